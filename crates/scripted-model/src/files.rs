//! Files inside requests. Owns where the APIs have them: in a source of the kind `base64`, in a URL that is its data, or
//! inline.

use serde_json::Value;

/// The files of a body, in Base64 and in their order.
pub(crate) fn in_body(body: &[u8]) -> Vec<String> {
    let mut files = Vec::new();
    if let Ok(body) = serde_json::from_slice(body) {
        collect(&body, &mut files);
    }
    files
}

fn collect(value: &Value, files: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let data = text.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
            files.extend(data.map(|(_, data)| data.to_owned()));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, files)),
        Value::Object(fields) => {
            let is_file =
                fields.get("type").is_some_and(|kind| kind == "base64") || fields.contains_key("mimeType");
            let data = fields.get("data").and_then(Value::as_str).filter(|_| is_file);
            match data {
                Some(data) => files.push(data.to_owned()),
                None => fields.values().for_each(|value| collect(value, files)),
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_apis_files_are_found() {
        let body = r#"{"a":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}],
            "b":{"image_url":"data:image/png;base64,AQ=="},"c":{"inlineData":{"mimeType":"image/png","data":"Ag=="}},
            "d":"data:","e":{"data":"no file"}}"#;
        assert_eq!(in_body(body.as_bytes()), ["AA==", "AQ==", "Ag=="]);
        assert!(in_body(b"no JSON").is_empty());
    }
}
