//! What a call says when its work goes into the background. Owns how such a result is recognised, what people see of it,
//! and where the output of a command goes.

use serde_json::Value;

/// Where a result stops being for people: what follows tells the model how to behave.
const FOR_THE_MODEL: [&str; 3] = [" (This tool result is internal metadata", " You will be notified", "\n"];
const AGENT_BEGUN: &str = "Async agent launched successfully.";
const AGENT_ID: &str = "\nagentId: ";
const COMMAND_BEGUN: &str = "Command running in background with ID: ";
const OUTPUT_FILE: &str = "Output is being written to: ";
const STOPPED: &str = "Successfully stopped task: ";
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

/// The task that a tool has stopped.
pub(super) fn stopped_task(tool_use_result: Option<&Value>) -> Option<&str> {
    let field = |name: &str| tool_use_result?.get(name)?.as_str();
    field("message").filter(|message| message.starts_with(STOPPED))?;
    field("task_id")
}

/// Whether a command was stopped, as the line says that newer versions then add to its file.
pub(super) fn is_killed(written: &str) -> bool {
    written.ends_with("\n[killed]\n")
}

/// What a command has written, without the line that newer versions add to its file when it has ended: how it ended is
/// shown anyway.
pub(super) fn without_trailer(written: &str) -> &str {
    let trailer = written.strip_suffix("]\n").and_then(|rest| rest.rsplit_once("\n[exited with code "));
    let trailer = trailer.filter(|(_, code)| code.parse::<i32>().is_ok());
    trailer.map_or(written, |(before, _)| before)
}

/// The task that a stored result starts, or continues. In the files of sub-agents results are text only.
pub(super) fn stored_task<'a>(result: &'a str, tool_use_result: Option<&'a Value>) -> Option<&'a str> {
    let Some(told) = tool_use_result else { return task_in_text(result) };
    let field = |name: &str| told.get(name).and_then(Value::as_str);
    match is_launch(tool_use_result) {
        true => field("backgroundTaskId").or_else(|| field("agentId")).or(Some("")),
        false => field("resumedAgentId"),
    }
}

fn task_in_text(result: &str) -> Option<&str> {
    let rest = match result.strip_prefix(AGENT_BEGUN) {
        Some(rest) => rest.split_once(AGENT_ID)?.1,
        None => result.strip_prefix(COMMAND_BEGUN)?,
    };
    rest.split(|character: char| !character.is_ascii_alphanumeric()).next()
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
    fn the_line_behind_the_output_is_left_out() {
        assert_eq!(without_trailer("one\n\n[exited with code 0]\n"), "one\n");
        assert_eq!(without_trailer("\n[exited with code 130]\n"), "");
        for written in ["one\n", "[exited with code 0]\nmore]\n", "\n[exited with code 0]\n[x]\n"] {
            assert_eq!(without_trailer(written), written);
        }
    }

    #[test]
    fn a_stop_is_recognised() {
        let stop = json!({ "message": "Successfully stopped task: b1 (sleep 9)", "task_id": "b1" });
        assert_eq!(stopped_task(Some(&stop)), Some("b1"));
        assert_eq!(stopped_task(Some(&json!({ "message": "No such task", "task_id": "b1" }))), None);
        assert_eq!(stopped_task(None), None);
        assert!(is_killed("one\n\n[killed]\n") && !is_killed("[killed]\none\n"));
    }

    #[test]
    fn a_stored_result_names_its_task() {
        let agent = "Async agent launched successfully. (For the model.)\nagentId: a1 (internal)";
        assert_eq!(stored_task(agent, None), Some("a1"));
        assert_eq!(stored_task(COMMAND, None), Some("b1"));
        assert_eq!(stored_task("It says: Command running in background with ID: b1.", None), None);
        assert_eq!(stored_task("", Some(&json!({ "isAsync": true, "agentId": "a1" }))), Some("a1"));
        assert_eq!(stored_task(COMMAND, Some(&json!({ "backgroundTaskId": "b2" }))), Some("b2"));
        assert_eq!(stored_task(COMMAND, Some(&json!({ "stdout": COMMAND }))), None);
        assert_eq!(stored_task("{}", Some(&json!({ "resumedAgentId": "a1" }))), Some("a1"));
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
