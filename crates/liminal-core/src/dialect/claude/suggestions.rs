//! What Claude Code suggests to allow beyond one call. Owns which suggestions are offered and the words for them. Each
//! is an option of its own that grants exactly what its name says, for this session only.

use serde_json::{Map, Value};

use super::wire::{list, text};

/// More would hide the other options.
const MOST_OFFERED: usize = 6;

/// A suggestion that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Suggestion {
    pub(super) option_id: String,
    /// What it grants.
    pub(super) name: String,
    /// The update of the permissions, as the agent takes it.
    pub(super) update: Value,
}

/// Reads the suggestions of a request. One that cannot be named, or that would end all asking, is not offered.
pub(super) fn read(suggested: &[Value]) -> Vec<Suggestion> {
    let named =
        suggested.iter().filter_map(Value::as_object).filter_map(|update| Some((name(update)?, update)));
    let offered = named.take(MOST_OFFERED).enumerate().map(|(position, (name, update))| Suggestion {
        option_id: format!("allow_session_{position}"),
        name,
        update: for_session(update),
    });
    offered.collect()
}

/// Rules that outlive the session are the user's to write, so the agent's own destination is not used.
fn for_session(update: &Map<String, Value>) -> Value {
    let mut update = update.clone();
    update.insert("destination".to_owned(), Value::from("session"));
    Value::Object(update)
}

fn name(update: &Map<String, Value>) -> Option<String> {
    match text(update, "type")? {
        "addRules" if text(update, "behavior") == Some("allow") => rules_name(list(update, "rules")),
        "addDirectories" => {
            let directories = list(update, "directories").iter().map(Value::as_str);
            let directories: Vec<&str> = directories.collect::<Option<_>>()?;
            (!directories.is_empty())
                .then(|| format!("Allow access to {} for this session", directories.join(", ")))
        }
        "setMode" if text(update, "mode") == Some("acceptEdits") => {
            Some("Accept all edits for this session".to_owned())
        }
        _ => None,
    }
}

/// Every rule is named: one that is not would be granted unseen.
fn rules_name(rules: &[Value]) -> Option<String> {
    let names: Vec<String> = rules.iter().map(rule_name).collect::<Option<_>>()?;
    (!names.is_empty()).then(|| format!("Allow {} for this session", names.join(", ")))
}

fn rule_name(rule: &Value) -> Option<String> {
    let rule = rule.as_object()?;
    let tool = text(rule, "toolName")?;
    Some(match (tool, text(rule, "ruleContent")) {
        ("Bash", Some(command)) => command_name(command),
        (tool, Some(content)) => format!("{tool}({content})"),
        (tool, None) => format!("every use of {tool}"),
    })
}

/// Rules for commands are exact, or have wildcards: `touch:*` in earlier versions, `touch *` in later ones.
fn command_name(rule: &str) -> String {
    let prefix = rule.strip_suffix(":*").or_else(|| rule.strip_suffix(" *"));
    match prefix.filter(|prefix| !prefix.contains('*')) {
        Some(prefix) => format!("commands starting with `{prefix}`"),
        None if rule.contains('*') => format!("commands matching `{rule}`"),
        None => format!("the command `{rule}`"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(suggested: &Value) -> Vec<String> {
        read(suggested.as_array().unwrap()).into_iter().map(|suggestion| suggestion.name).collect()
    }

    #[test]
    fn offers_each_suggestion_as_what_it_grants() {
        let suggested = json!([
            { "type": "setMode", "mode": "acceptEdits", "destination": "session" },
            { "type": "addDirectories", "directories": ["/tmp/a", "/tmp/b"], "destination": "session" },
            { "type": "addRules", "behavior": "allow", "destination": "localSettings", "rules": [
                { "toolName": "Bash", "ruleContent": "touch:*" }, { "toolName": "Bash", "ruleContent": "ls -la" },
                { "toolName": "Read", "ruleContent": "//tmp/**" }, { "toolName": "WebFetch" } ] },
        ]);
        assert_eq!(
            names(&suggested),
            [
                "Accept all edits for this session",
                "Allow access to /tmp/a, /tmp/b for this session",
                "Allow commands starting with `touch`, the command `ls -la`, Read(//tmp/**), every use of WebFetch \
                 for this session",
            ]
        );
        for suggestion in read(suggested.as_array().unwrap()) {
            assert_eq!(suggestion.update["destination"], "session", "nothing outlives the session");
        }
    }

    #[test]
    fn a_rule_with_a_wildcard_is_not_called_one_command() {
        for (rule, name) in [
            ("touch:*", "commands starting with `touch`"),
            ("echo hi *", "commands starting with `echo hi`"),
            ("git * --force", "commands matching `git * --force`"),
            ("* *", "commands matching `* *`"),
            ("make test", "the command `make test`"),
        ] {
            assert_eq!(command_name(rule), name);
        }
    }

    #[test]
    fn offers_nothing_that_it_cannot_name_or_that_ends_all_asking() {
        for update in [
            json!({ "type": "setMode", "mode": "bypassPermissions" }),
            json!({ "type": "setMode", "mode": "auto" }),
            json!({ "type": "addRules", "behavior": "deny", "rules": [{ "toolName": "Bash" }] }),
            json!({ "type": "addRules", "behavior": "allow", "rules": [{ "toolName": "Read" }, { "new": 1 }] }),
            json!({ "type": "addRules", "behavior": "allow", "rules": [] }),
            json!({ "type": "addDirectories", "directories": ["/a", 7] }),
            json!({ "type": "replaceRules", "behavior": "allow", "rules": [{ "toolName": "Bash" }] }),
            json!("everything"),
        ] {
            assert_eq!(names(&json!([update])), [""; 0], "{update}");
        }
    }
}
