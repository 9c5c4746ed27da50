use std::path::Path;
use std::time::Duration;

use liminal_core::processor::ExtraItems;
use serde_json::{Value, json};

use super::*;
use crate::emitter::RetryPolicy;
use crate::log::Durability;

fn loaded(text: &str) -> Result<Loaded, ConfigError> {
    let mut loaded = Loaded { config: Config::default(), origins: BTreeMap::new() };
    file::apply_text(Path::new("c.toml"), text, &mut loaded)?;
    Ok(loaded)
}

fn fault(text: &str) -> String {
    loaded(text).unwrap_err().to_string()
}

fn sources(text: &str, variables: &[(&str, &str)]) -> (tempfile::TempDir, Sources) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    std::fs::write(&file, text).unwrap();
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let sources = Sources {
        file: Some(file),
        environment: Environment::inherited(),
        variables: variables.collect(),
        flags: Flags::default(),
    };
    (folder, sources)
}

fn variable_fault(name: &str, value: &str) -> String {
    sources("", &[(name, value)]).1.load().unwrap_err().to_string()
}

#[test]
fn an_agent_is_a_command_with_its_arguments_and_environment() {
    let text = r#"
        [agents.my-agent]
        command = "my-agent"
        args = ["--acp"]
        env = { KEY = "value" }
        cwd-policy = "home"
        asking-modes = ["careful"]
    "#;
    let config = loaded(text).unwrap().config;
    let agent = config.agents.get("my-agent").unwrap();
    assert_eq!(agent.command, Some("my-agent".into()));
    assert_eq!(agent.args, ["--acp"]);
    assert_eq!(agent.cwd_policy, CwdPolicy::Home);
    assert_eq!(agent.asking_modes, ["careful"]);
}

#[test]
fn what_is_no_setting_is_told_with_file_and_line() {
    for (text, told) in [
        ("[agents.a]\ncomand = \"x\"", "c.toml:2: unknown field `comand`"),
        ("\n[agent.a]\n", "c.toml:2: unknown section `agent`; known are listen, "),
        ("[agents.a]\nargs = \"x\"", "c.toml:2: this has the wrong type; expected a sequence"),
        ("[agents.\"A b\"]\n", "c.toml:1: `A b` cannot name an agent"),
        ("[agents.openai]\ncommand = \"x\"", "c.toml:1: [agents.openai] is a model's API"),
        ("[agents.claude-code]\nmodel = \"x\"", "c.toml:1: [agents.claude-code] is a program"),
        (
            "[agents.claude-code]\nargs = [\"--print\"]",
            "c.toml:1: [agents.claude-code] args: --print is what",
        ),
        ("[agents.claude-code]\nargs = [\"hello\"]", "c.toml:1: [agents.claude-code] args: write `hello` as"),
        (
            "[agents.claude-code]\nasking-modes = [\"x\"]",
            "c.toml:1: [agents.claude-code] has modes that are known",
        ),
        ("[agents.openai]\nasking-modes = [\"x\"]", "c.toml:1: [agents.openai] is a model's API"),
        ("[agents.claude-code]\nidle-seconds = 5", "c.toml:1: [agents.claude-code] has a process for each"),
        ("[agents.claude-code]\ncwd-policy = \"home\"", "c.toml:1: [agents.claude-code] has a process for"),
        ("[agents.a]\ncwd-policy = \"root\"", "c.toml:2: unknown variant `root`"),
        ("[listen]\n\nprot = 1", "c.toml:3: unknown key `prot` in [listen]; known are host, port"),
        ("listen = 1", "c.toml:1: `listen` is a section; write [listen]"),
        ("[listen]\nport = ", "c.toml:2: "),
        ("[listen]\nport = 1\nport = 2", "c.toml:3: duplicate key"),
    ] {
        assert!(fault(text).starts_with(told), "{text}: {}", fault(text));
    }
}

#[test]
fn a_value_out_of_its_bounds_is_told_with_what_is_allowed() {
    for (section, line, told) in [
        ("listen", "port = 70000", "listen.port must be a port from 0 to 65535"),
        ("listen", "port = \"80\"", "listen.port must be a port from 0 to 65535"),
        ("listen", "host = \"localhost\"", "listen.host must be an IP address"),
        ("sessions", "max-agents = 0", "sessions.max-agents must be a whole number from 1 to 1000"),
        ("sessions", "stall-seconds = -1", "sessions.stall-seconds must be a whole number from 1 to 86400"),
        ("sessions", "durability = \"none\"", "sessions.durability must be `grouped` or `synced`"),
        ("batch", "gradient = [1, 0]", "batch.gradient must be a list of 1 to 32 whole numbers, each from 1"),
        ("batch", "gradient = []", "batch.gradient must be a list"),
        ("storage", "data-dir = \"data\"", "storage.data-dir must be the full path"),
        ("security", "allow-bypass = 1", "security.allow-bypass must be true or false"),
        ("security", "allowed-hosts = [\"*\"]", "security.allowed-hosts must be a list of host names"),
        ("security", "allowed-hosts = [\"0.0.0.0\"]", "security.allowed-hosts must be"),
        ("security", "allowed-hosts = [\"http://a\"]", "security.allowed-hosts must be"),
        ("redis", "url = \"http://a\"", "redis.url must be the address of a Redis"),
        (
            "redis",
            "stream-b-batch-gradient = [0]",
            "redis.stream-b-batch-gradient must be a list of 1 to 32 whole numbers, each from 1",
        ),
        (
            "redis",
            "stream-b-batch-timeout-ms = 0",
            "redis.stream-b-batch-timeout-ms must be a whole number from 1",
        ),
        (
            "redis",
            "stream-b-retry-attempts = -1",
            "redis.stream-b-retry-attempts must be a whole number from 0",
        ),
        (
            "redis",
            "stream-b-extra-items = [\"message\"]",
            "redis.stream-b-extra-items must be a list of `plan` and `permission`",
        ),
        ("logging", "level = \"loud\"", "logging.level must be off, error,"),
    ] {
        let told = format!("c.toml:2: {told}");
        let found = fault(&format!("[{section}]\n{line}"));
        assert!(found.starts_with(&told), "{line}: {found}");
    }
}

#[test]
fn every_setting_can_be_set_in_a_file() {
    let text = r#"
[listen]
host = "::1"
port = 0
socket = "/srv/socket"
tls-cert = "/srv/cert.pem"
tls-key = "/srv/key.pem"
[storage]
event-rows = 1_000
event-mib = 1
database-mib = 100
data-dir = "/srv/data"
[sessions]
idle-minutes = 1
idle-seconds = 5
max-agents = 2
permission-minutes = 3
permission-seconds = 7
stall-seconds = 4
queue-length = 0
durability = "synced"
[batch]
gradient = [1, 0x10]
idle-ms = 5
first-emission-ms = 6
[limits]
connections = 9
header-seconds = 1
body-seconds = 1
idle-seconds = 1
stop-seconds = 0
header-kib = 8
header-fields = 16
body-kib = 16
file-kib = 16
message-kib = 16
stall-seconds = 1
[security]
agent-env = ["ANTHROPIC_API_KEY"]
agent-wrapper = ["bwrap", "--bind", "/a b", "/"]
allow-bypass = true
allowed-hosts = ["Builder.example", "10.0.0.7"]
cors-origins = ["https://App.example:443"]
insecure-http = true
insecure-no-auth = true
insecure-redis = true
public-url = "https://builder.example"
trusted-proxies = ["127.0.0.1", "::ffff:10.0.0.2"]
[redis]
url = "redis://:hunter2@127.0.0.1:6379/1"
prefix = "team-1"
lease-ms = 5_000
publish-stream-b = true
stream-b-minutes = 10
stream-b-batch-gradient = [5, 50]
stream-b-batch-timeout-ms = 7
stream-b-retry-attempts = 0
stream-b-retry-base-ms = 8
stream-b-retry-max-ms = 9
stream-b-extra-items = ["permission"]
[logging]
level = "warn,liminal_builder::session=debug"
file = "/srv/log"
syslog = "/dev/log"
"#;
    let loaded = loaded(text).unwrap();
    let at_default = loaded.lines().into_iter().filter(|line| line.origin == Origin::Default);
    assert_eq!(at_default.map(|line| line.name).collect::<Vec<_>>(), Vec::<String>::new());
    let config = loaded.config;
    assert_eq!(config.sessions.durability, Durability::Synced);
    assert_eq!(config.security.agent_wrapper.words(), ["bwrap", "--bind", "/a b", "/"]);
    assert_eq!(config.security.cors_origins.first().unwrap().to_string(), "https://app.example");
    assert_eq!(config.batch.gradient, [1, 16]);
    assert_eq!(config.security.allowed_hosts.first().unwrap().as_str(), "builder.example");
    assert_eq!((config.redis.prefix.as_str(), config.redis.lease_ms), ("team-1", 5_000));
    let (base, max) = (Duration::from_millis(8), Duration::from_millis(9));
    assert_eq!(config.redis.stream_b_retry(), RetryPolicy { attempts: 0, base, max });
    assert_eq!(config.redis.stream_b_processor().gradient(), [5, 50]);
    assert_eq!(config.redis.stream_b_extra_items, ExtraItems { plans: false, permissions: true });
    assert_eq!(config.storage.data_dir, Some("/srv/data".into()));
}

#[test]
fn flags_stand_over_variables_over_the_file_over_defaults() {
    let text = "[sessions]\nmax-agents = 2\nqueue-length = 2\nstall-seconds = 2\n";
    let variables = [("LIMINAL_SESSIONS_QUEUE_LENGTH", "3"), ("LIMINAL_SESSIONS_STALL_SECONDS", "3")];
    let (_folder, sources) = sources(text, &variables);
    let flag = Flag { flag: "--stall", setting: "sessions.stall-seconds", value: "4".to_owned() };
    let flags = Flags { settings: vec![flag], agents: vec![("codex".to_owned(), "/bin/codex".into())] };
    let loaded = sources.with_flags(flags).load().unwrap();
    let sessions = &loaded.config.sessions;
    assert_eq!((sessions.idle_minutes, sessions.max_agents), (10, 2));
    assert_eq!((sessions.queue_length, sessions.stall_seconds), (3, 4));
    assert_eq!(loaded.config.agents.get("codex").unwrap().command, Some("/bin/codex".into()));
    for (name, told) in [
        ("sessions.idle-minutes", "default"),
        ("sessions.max-agents", "config.toml:2"),
        ("sessions.queue-length", "LIMINAL_SESSIONS_QUEUE_LENGTH"),
        ("sessions.stall-seconds", "--stall"),
        ("agents.codex.command", "--agent"),
    ] {
        assert!(loaded.origin(name).to_string().ends_with(told), "{name}: {}", loaded.origin(name));
    }
}

#[test]
fn a_variable_is_checked_like_a_line_of_the_file() {
    for (name, value, told) in [
        (
            "LIMINAL_LISTEN_PROT",
            "1",
            "there is no such setting; known are LIMINAL_LISTEN_HOST, LIMINAL_LISTEN_PORT",
        ),
        ("LIMINAL_LISTEN_PORT", "many", "listen.port must be a port"),
        ("LIMINAL_BATCH_GRADIENT", "1,x", "batch.gradient must be a list"),
        ("LIMINAL_AGENTS_CODEX", "x", "agents are set in the file or with --agent"),
        ("LIMINAL_REDIS_PUBLISH_STREAM_B", "true", "redis.publish-stream-b needs the address of a Redis"),
        ("LIMINAL_SECURITY_ALLOW_BYPASS", "true", "security.allow-bypass cannot be set by a variable"),
    ] {
        let found = variable_fault(name, value);
        assert!(found.starts_with(&format!("{name}: {told}")), "{found}");
    }
    let others = [("LIMINAL_INSTANCE", "x"), ("LIMINAL_SESSION", "y"), ("LIMINAL_LISTEN_PORT", "")];
    assert_eq!(sources("", &others).1.load().unwrap().config, Config::default());
    let (_folder, sources) = sources("", &[("LIMINAL_BATCH_GRADIENT", "1, 2"), ("LIMINAL_DATA_DIR", "/d")]);
    let config = sources.load().unwrap().config;
    assert_eq!((config.batch.gradient, config.storage.data_dir), (vec![1, 2], Some("/d".into())));
}

#[test]
fn s11_no_variable_opens_the_server_to_other_machines() {
    for host in ["0.0.0.0", "::", "192.0.2.1"] {
        let found = variable_fault("LIMINAL_LISTEN_HOST", host);
        assert!(found.contains("an address of this machine alone"), "{found}");
    }
    let (_folder, sources) = sources("", &[("HOST", "0.0.0.0"), ("PORT", "80")]);
    assert_eq!(sources.load().unwrap().config.listen, Listen::default());
}

#[test]
fn secrets_are_not_told() {
    let text = r#"
        [agents.a]
        command = "a"
        args = ["--api-key=hunter2", "--plain=yes", "ghp_A1b2C3d4E5f6G7h8I9j0"]
        env = { API = "hunter2" }
    "#;
    let lines = loaded(text).unwrap().lines();
    let value = |name: &str| lines.iter().find(|line| line.name == name).unwrap().value.clone();
    assert_eq!(value("agents.a.args"), json!(["--api-key=(hidden)", "--plain=yes", "[redacted]"]));
    assert_eq!(value("agents.a.env"), json!({"API": "(hidden)"}));
    let (_folder, sources) = sources("", &[("LIMINAL_REDIS_URL", "redis://:hunter2@127.0.0.1")]);
    let redis = sources.load().unwrap();
    assert!(redis.config.redis.url.is_some());
    assert!(!format!("{redis:?} {:?}", redis.lines()).contains("hunter2"));
    let wrong = fault("[redis]\nurl = \"http://:hunter2@a\"");
    assert!(!wrong.contains("hunter2"), "{wrong}");
    let wrong = fault("[agents.a]\nenv = \"KEY=hunter2\"");
    assert!(!wrong.contains("hunter2"), "{wrong}");
    assert!(!format!("{:?}", loaded(text).unwrap()).contains("hunter2"));
    let all: Value = serde_json::to_value(&lines).unwrap();
    assert!(!all.to_string().contains("hunter2"));
}

#[test]
fn d18_variables_of_an_agent_may_be_in_a_file_of_their_own() {
    let text = "[agents.a]\ncommand = \"a\"\nenv = { B = \"set\" }\nenv-file = \"a.env\"\n";
    let (folder, sources) = sources(text, &[]);
    let missing = sources.load().unwrap_err().to_string();
    assert!(missing.contains("config.toml:1") && missing.contains("a.env is not there"), "{missing}");
    let file = folder.path().join("a.env");
    std::fs::write(&file, "A=hunter2\nB=hunter2\n").unwrap();
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let loaded = sources.load().unwrap();
    let env = &loaded.config.agents.get("a").unwrap().env;
    assert_eq!(
        env.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>(),
        ["A=hunter2", "B=set"]
    );
    assert!(!format!("{loaded:?} {:?}", loaded.lines()).contains("hunter2"));
}

#[test]
fn a_file_that_is_named_must_be_there_and_the_usual_one_need_not() {
    let home = tempfile::tempdir().unwrap();
    let environment = Environment::inherited().with("HOME", home.path()).with("XDG_CONFIG_HOME", "");
    assert_eq!(Config::load(None, &environment).unwrap(), Config::default());
    assert!(Config::load(Some(&home.path().join("none.toml")), &environment).is_err());
    let folder = home.path().join(".config/liminal-builder");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), "[agents.a]\ncommand = \"x\"").unwrap();
    assert_eq!(Config::load(None, &environment).unwrap().agents.len(), 1);
}

#[test]
fn r18_data_needs_a_place() {
    let none = Environment::inherited().with("HOME", "").with("XDG_DATA_HOME", "relative");
    assert!(matches!(Config::default().data_directory(&none), Err(ConfigError::NoPlace)));
    let home = none.with("HOME", "/h");
    let usual = Path::new("/h/.local/share/liminal-builder");
    assert_eq!(Config::default().data_directory(&home).unwrap(), usual);
    let other = home.with("XDG_DATA_HOME", "/x");
    assert_eq!(Config::default().data_directory(&other).unwrap(), Path::new("/x/liminal-builder"));
}

#[test]
fn the_guide_names_every_setting_and_its_variable() {
    let guide = include_str!("../../../../docs/configuration.md");
    for setting in &settings::SETTINGS {
        let section =
            guide.split("\n[").find(|part| part.starts_with(setting.section)).expect(setting.section);
        assert!(section.contains(&format!("\n{} =", setting.key())), "{}", setting.name());
    }
}
