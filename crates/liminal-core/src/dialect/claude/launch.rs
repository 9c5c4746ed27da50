//! What a call says when its work goes into the background. Owns how such a result is recognised, what people see of it,
//! and where the output of a command goes.

use serde_json::Value;

/// Where a result stops being for people: what follows tells the model how to behave.
const FOR_THE_MODEL: [&str; 3] = [" (This tool result is internal metadata", " You will be notified", "\n"];
const OUTPUT_FILE: &str = "Output is being written to: ";
const SUFFIX: &str = ".output";

/// Whether a result only says that the work has begun.
pub(super) fn is_launch(tool_use_result: Option<&Value>) -> bool {
    let Some(Value::Object(result)) = tool_use_result else { return false };
    result.get("isAsync").and_then(Value::as_bool).unwrap_or_default()
        || result.contains_key("backgroundTaskId")
}

/// What people see of such a result.
pub(super) fn shown(result: &str) -> &str {
    let end = FOR_THE_MODEL.iter().filter_map(|mark| result.find(mark)).min();
    end.and_then(|end| result.get(..end)).unwrap_or(result)
}

/// The task of a command and the file that its output goes to.
pub(super) fn output_file(result: &str) -> Option<(&str, &str)> {
    let (_, rest) = result.split_once(OUTPUT_FILE)?;
    let end = rest.find(SUFFIX)? + SUFFIX.len();
    let path = rest.get(..end)?;
    let task = path.rsplit('/').next()?.strip_suffix(SUFFIX)?;
    Some((task, path))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const COMMAND: &str = "Command running in background with ID: b1. Output is being written to: /tmp/a b/tasks/b1.output. You will be notified when it completes. To check interim output, use Read on that file path.";

    #[test]
    fn people_do_not_see_what_is_for_the_model() {
        let agent = "Async agent launched successfully. (This tool result is internal metadata — never quote it.)\nagentId: a1";
        assert_eq!(shown(agent), "Async agent launched successfully.");
        assert_eq!(
            shown("Async agent launched successfully.\nagentId: a1"),
            "Async agent launched successfully."
        );
        assert_eq!(
            shown(COMMAND),
            "Command running in background with ID: b1. Output is being written to: /tmp/a b/tasks/b1.output."
        );
        assert_eq!(shown("something else"), "something else");
    }

    #[test]
    fn the_output_file_is_named_after_its_task() {
        assert_eq!(output_file(COMMAND), Some(("b1", "/tmp/a b/tasks/b1.output")));
        assert_eq!(output_file("Output is being written to: /etc/passwd"), None);
        assert_eq!(output_file("something else"), None);
    }

    #[test]
    fn a_launch_is_recognised() {
        assert!(is_launch(Some(&json!({ "isAsync": true, "status": "async_launched" }))));
        assert!(is_launch(Some(&json!({ "backgroundTaskId": "b1" }))));
        assert!(!is_launch(Some(&json!({ "stdout": "x" }))));
        assert!(!is_launch(Some(&json!("Error"))));
        assert!(!is_launch(None));
    }
}
