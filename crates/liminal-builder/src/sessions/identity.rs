//! Ids of sessions as clients bring them. Owns which are sound: what is not is unknown, before anything is looked up.

use liminal_core::ids::SessionId;

const LONGEST: usize = 128;

/// The kind of agent and the agent's own id, if this can be the id of a session at all.
pub(super) fn parts(id: &SessionId) -> Option<(&str, &str)> {
    let text = id.as_str();
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_' | b'-' | b'.');
    let begins_well = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    let is_sound =
        begins_well && text.len() <= LONGEST && text.bytes().all(is_allowed) && !text.contains("..");
    text.split_once(':').filter(|(kind, own)| is_sound && !kind.is_empty() && !own.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_ids_are_looked_up() {
        let parts =
            |text: &str| parts(&SessionId::from(text)).map(|(kind, own)| (kind.to_owned(), own.to_owned()));
        assert_eq!(parts("claude-code:0f3c-1"), Some(("claude-code".to_owned(), "0f3c-1".to_owned())));
        assert_eq!(parts("opencode:ses_1:a"), Some(("opencode".to_owned(), "ses_1:a".to_owned())));
        let long = format!("a:{}", "b".repeat(200));
        for bad in ["", "a", ":a", "a:", "../a:b", "a:../b", "a:b/c", "a:b c", "a:b\0", "ä:b", "-a:b", &long]
        {
            assert_eq!(parts(bad), None, "{bad}");
        }
    }
}
