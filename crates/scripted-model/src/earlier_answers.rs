//! What the assistant said before, inside requests. Owns where the APIs have it: in messages of the role `assistant`.

use serde_json::Value;

/// Enough to recognise an answer.
const KEPT_CHARACTERS: usize = 200;
/// Enough for every test.
const KEPT_ANSWERS: usize = 50;

/// The beginnings of the newest answers in a body, oldest first.
pub(crate) fn in_body(body: &[u8]) -> Vec<String> {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let messages = ["messages", "input"].iter().find_map(|list| body.get(list)?.as_array());
    let is_answer = |message: &&Value| message.get("role").is_some_and(|role| role == "assistant");
    let answers =
        messages.into_iter().flatten().filter(is_answer).filter_map(|message| message.get("content"));
    let mut texts: Vec<String> = answers.map(text).filter(|text| !text.is_empty()).collect();
    texts.drain(..texts.len().saturating_sub(KEPT_ANSWERS));
    texts
}

fn text(content: &Value) -> String {
    let parts = content.as_array().into_iter().flatten().filter_map(|part| part.get("text")?.as_str());
    let whole = content.as_str().into_iter().chain(parts).collect::<String>();
    whole.chars().take(KEPT_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_apis_answers_are_found() {
        let anthropic = json!({ "messages": [
            { "role": "user", "content": "a" },
            { "role": "assistant", "content": [{ "type": "text", "text": "b" }, { "type": "tool_use", "id": "t" }] },
            { "role": "assistant", "content": "c" },
        ] });
        let openai = json!({ "input": [
            { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "b" }] },
            { "type": "function_call", "name": "x" },
            { "role": "assistant", "content": "c" },
        ] });
        for body in [anthropic, openai] {
            assert_eq!(in_body(body.to_string().as_bytes()), ["b", "c"]);
        }
        assert!(in_body(b"{").is_empty());
    }
}
