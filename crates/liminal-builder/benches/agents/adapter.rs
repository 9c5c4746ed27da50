//! An ACP adapter that is driven by hand.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::Path;

use liminal_builder::process::{
    AgentProcess, Environment, InstanceId, ProcessSpec, SessionTag, StopLadder, Wrapper,
};
use liminal_builder::transport::{Frame, StdioLimits, StdioTransport};
use serde_json::{Value, json};

pub(crate) struct Adapter {
    transport: StdioTransport,
    lines: VecDeque<Value>,
}

impl Adapter {
    pub(crate) fn start(
        script: &Path,
        variables: Vec<(OsString, OsString)>,
        home: &Path,
        instance: &str,
    ) -> Self {
        let mut environment = Environment::inherited();
        for (name, value) in variables {
            environment = environment.with(name, value);
        }
        let process = AgentProcess::spawn(&ProcessSpec {
            program: "node".into(),
            args: vec![script.into()],
            wrapper: Wrapper::default(),
            cwd: home.to_owned(),
            environment,
            instance: InstanceId::new(instance).unwrap(),
            session: SessionTag::new("bench").unwrap(),
        });
        let transport = StdioTransport::new(process.unwrap(), &StdioLimits::default()).unwrap();
        Self { transport, lines: VecDeque::new() }
    }

    /// Initializes it and begins a session; gives the answer with the session's id.
    pub(crate) async fn begin(&mut self, home: &Path) -> Value {
        self.ask(1, "initialize", &json!({"protocolVersion": 1, "clientCapabilities": {}})).await;
        self.answer(1).await;
        self.ask(2, "session/new", &json!({"cwd": home, "mcpServers": []})).await;
        self.answer(2).await
    }

    pub(crate) async fn ask(&self, id: u32, method: &str, params: &Value) {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.transport.send(request.to_string().into_bytes()).await.unwrap();
    }

    pub(crate) async fn answer(&mut self, id: u32) -> Value {
        let answer = self.until(|line| line.get("id") == Some(&json!(id))).await;
        assert!(answer.get("result").is_some(), "{answer}");
        answer
    }

    pub(crate) async fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            while let Some(line) = self.lines.pop_front() {
                if wanted(&line) {
                    return line;
                }
            }
            for frame in self.transport.recv_ready().await.expect("the adapter lives") {
                if let Frame::Line(line) = frame {
                    self.lines.extend(serde_json::from_slice(&line));
                }
            }
        }
    }

    pub(crate) async fn end(self) {
        self.transport.close(&StopLadder::at_once()).await;
    }
}
