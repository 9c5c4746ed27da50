use super::*;

#[test]
fn only_the_words_of_the_user_remain() {
    let cases = [
        ("plain", Some("plain")),
        ("  say:a\n", Some("say:a")),
        ("<system-reminder>\nsay:no\n</system-reminder>\n\nsay:yes", Some("say:yes")),
        ("<environment_context>\n  <cwd>/w</cwd>\n</environment_context>", None),
        ("<session_context>\nsay:no\n</session_context>", None),
        ("say:yes <context ref=\"file:///a\">\nsay:no\n</context>", Some("say:yes")),
        ("<user_instructions>\nsay:no\n</user_instructions>", None),
        ("<permissions instructions>say:no</permissions instructions>", None),
        ("<turn_aborted>\nThe user interrupted\n</turn_aborted>", None),
        ("# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nsay:no\n</INSTRUCTIONS>", None),
        ("[Image: source: /tmp/images/1.png]", None),
        ("<b>say:bold</b>", Some("<b>say:bold</b>")),
        ("an <system-reminder> left open", Some("an <system-reminder> left open")),
        ("a <contextual> word", Some("a <contextual> word")),
        (" \n", None),
    ];
    for (text, expected) in cases {
        assert_eq!(spoken_in(text).as_deref(), expected, "{text:?}");
    }
}

#[test]
fn the_texts_of_one_prompt_are_its_lines() {
    assert_eq!(spoken(&["say:a", "<x_y>no</x_y>", "say:b"]).as_deref(), Some("say:a\nsay:b"));
    assert_eq!(spoken(&[]), None);
}
