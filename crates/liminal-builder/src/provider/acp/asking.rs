//! Single questions to an agent, beside its sessions. Owns how one is asked and what counts as its answer.

use liminal_core::error::ErrorInfo;
use serde_json::{Value, json};

use crate::transport::{AgentPipe, Frame};

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Unanswered(String);

pub(super) async fn ask(
    pipe: &mut dyn AgentPipe,
    id: usize,
    method: &str,
    params: Value,
) -> Result<Value, Unanswered> {
    let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let sent = pipe.sender().send(request.to_string().into_bytes()).await;
    sent.map_err(|error| Unanswered(error.to_string()))?;
    loop {
        let frames = pipe.recv_ready().await.map_err(|_| Unanswered("the agent ended".to_owned()))?;
        for frame in &frames {
            let message: Value = serde_json::from_slice(line(frame)?).unwrap_or_default();
            if message.get("id") == Some(&Value::from(id)) {
                return answer(&message);
            }
        }
    }
}

/// A line that cannot be read may have been the answer.
fn line(frame: &Frame) -> Result<&[u8], Unanswered> {
    match frame {
        Frame::Line(line) => Ok(line),
        Frame::TooLong { bytes } => Err(Unanswered(format!("a line of {bytes} bytes is too long"))),
    }
}

fn answer(message: &Value) -> Result<Value, Unanswered> {
    if let Some(result) = message.get("result") {
        return Ok(result.clone());
    }
    let told = message.pointer("/error/message").and_then(Value::as_str);
    let detail = message.pointer("/error/data/details").and_then(Value::as_str);
    Err(Unanswered(detail.or(told).unwrap_or("the agent gave no answer").to_owned()))
}

/// Agents have no code of their own for this that all would use.
pub(super) fn is_unknown_session(error: &ErrorInfo) -> bool {
    error.code == "-32002"
        || error.message.contains("no rollout found")
        || error.message.contains("not found")
}
