//! What keeps agents from more than they need, if the user wants it.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::client::eventually;
use super::machine::Machine;

/// A command that notes how it was called and then does as it is told.
fn wrapper(machine: &Machine) -> (String, std::path::PathBuf) {
    let (script, noted) = (machine.home.path().join("wrapper"), machine.home.path().join("noted"));
    let text = format!("#!/bin/sh\nprintf '%s\\n' \"$@\" >> {}\nshift\nexec \"$@\"\n", noted.display());
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    (script.display().to_string(), noted)
}

#[tokio::test]
async fn d19_every_agent_is_started_through_the_command_and_by_default_none_is() {
    let mut machine = Machine::with_fake();
    let (script, noted) = wrapper(&machine);
    for is_set in [false, true] {
        if is_set {
            machine.settings += &format!("[security]\nagent-wrapper = [{script:?}, \"a b; $(c)\"]\n");
        }
        let server = if is_set { machine.start_bare().await } else { machine.start().await };
        for cli_type in ["claude-code", "demo"] {
            let id = server.create(cli_type).await;
            server.turn(&id, "hello").await;
        }
        server.stop().await;
        assert_eq!(noted.exists(), is_set);
    }
    let noted = fs::read_to_string(noted).unwrap();
    let calls = noted.lines().filter(|line| *line == "a b; $(c)").count();
    assert_eq!(calls, 2, "its own argument comes as it was set, before each agent: {noted}");
    assert!(noted.contains("fake-agent\n") && noted.contains("demo-agent\n"), "{noted}");
}

/// The names of the variables that the fake agent got at its last start.
async fn variables(machine: &Machine) -> BTreeSet<String> {
    let before = machine.starts().len();
    let server = if before == 0 { machine.start().await } else { machine.start_bare().await };
    server.create("claude-code").await;
    eventually(|| machine.starts().len() > before).await;
    server.stop().await;
    let started = machine.noted().into_iter().rfind(|line| line["environment"].is_array()).unwrap();
    started["environment"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn d18_agents_get_only_the_variables_that_were_named_and_what_is_needed() {
    let mut machine = Machine::with_fake();
    let given = [("MINE", "1"), ("YOURS", "2"), ("LANG", "C"), ("LIMINAL_KEY", "3")];
    machine.variables = given.to_vec();
    let usual = variables(&machine).await;
    assert!(usual.contains("MINE") && usual.contains("YOURS"), "by default: {usual:?}");
    machine.flags = vec!["--agent-env", "MINE", "--agent-env", "LIMINAL_KEY"];
    let strict = variables(&machine).await;
    for name in ["MINE", "LANG", "HOME", "PATH", "FAKE_AGENT_LOG", "LIMINAL_SESSION"] {
        assert!(strict.contains(name), "{name} {strict:?}");
    }
    for name in ["YOURS", "LIMINAL_KEY"] {
        assert!(!strict.contains(name), "{name} {strict:?}");
    }
    machine.flags = Vec::new();
    machine.settings += "[security]\nagent-env = []\n";
    assert!(!variables(&machine).await.contains("MINE"), "an empty list is a strict one");
}
