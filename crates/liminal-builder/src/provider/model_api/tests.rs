//! What is read from the environment and the configuration.

use super::*;

const KEY: &str = "sk-very-secret";
/// For connections that are made ready and never used: no certificates are needed.
const LOCAL: &str = "http://127.0.0.1:1";

fn environment(variables: &[(&str, &str)]) -> Environment {
    let cleared = VENDORS.iter().fold(Environment::inherited(), |environment, vendor| {
        environment.with(vendor.key_variable, "").with(vendor.base_variable, "")
    });
    variables.iter().fold(cleared, |environment, (name, value)| environment.with(name, value))
}

fn read(
    vendor: &'static Vendor,
    variables: &[(&str, &str)],
    config: &AgentConfig,
) -> Result<Settings, SettingsError> {
    Settings::read(vendor, &environment(variables), config)
}

fn set(config: &str) -> AgentConfig {
    toml::from_str(config).unwrap()
}

#[test]
fn without_a_key_the_variable_to_set_is_named() {
    for vendor in &VENDORS {
        let error = read(vendor, &[(vendor.key_variable, " ")], &set("")).unwrap_err();
        assert_eq!(error.to_string(), format!("needs {}", vendor.key_variable));
    }
}

#[test]
fn the_configuration_goes_before_the_environment() {
    for vendor in &VENDORS {
        let config = format!(
            "model = \"m\"\nmax-retries = 1\nrequest = {{ temperature = 0.5, thinking = {{ type = \"enabled\" }} }}\n[env]\n{} = \"http://127.0.0.1:1\"",
            vendor.base_variable
        );
        let variables = [(vendor.key_variable, KEY), (vendor.base_variable, "https://example.com")];
        let settings = read(vendor, &variables, &set(&config)).unwrap();
        assert_eq!((settings.base.as_str(), settings.options.model.as_str()), ("http://127.0.0.1:1", "m"));
        assert_eq!(settings.options.retry.most, 1);
        assert_eq!(
            Value::Object(settings.options.request),
            serde_json::json!({"temperature": 0.5, "thinking": {"type": "enabled"}})
        );
        let plain = read(vendor, &variables, &set("")).unwrap();
        assert_eq!(
            (plain.base.as_str(), plain.options.model.as_str()),
            ("https://example.com", vendor.default_model)
        );
    }
}

#[test]
fn what_this_program_sets_itself_is_not_for_users() {
    let openai = Vendor::named("openai").unwrap();
    let error = read(openai, &[(openai.key_variable, KEY)], &set("request = { store = true }")).unwrap_err();
    assert_eq!(error.to_string(), "`store` of [agents.openai.request] is set by this program; remove it");
}

#[tokio::test]
async fn a_key_is_in_nothing_that_can_be_printed() {
    for vendor in &VENDORS {
        let settings =
            read(vendor, &[(vendor.key_variable, KEY), (vendor.base_variable, LOCAL)], &set("")).unwrap();
        let api = ModelApi::new(settings.clone()).unwrap();
        let request = OpenRequest {
            directory: "/".into(),
            resume: None,
            options: SessionOptions::default(),
            past: Vec::new(),
        };
        let opened = api.open(request).await.unwrap();
        let shown = format!("{settings:?} {api:?} {opened:?}");
        assert!(!shown.contains(KEY), "{shown}");
    }
}

#[tokio::test]
async fn a_session_of_another_kind_and_options_without_meaning_are_refused() {
    let vendor = Vendor::named("anthropic").unwrap();
    let api = ModelApi::new(
        read(vendor, &[(vendor.key_variable, KEY), (vendor.base_variable, LOCAL)], &set("")).unwrap(),
    )
    .unwrap();
    let open = async |resume: Option<&str>, options| {
        let resume = resume.map(SessionId::from);
        api.open(OpenRequest { directory: "/".into(), resume, options, past: Vec::new() })
            .await
            .map(|opened| opened.session_id)
    };
    let uuid = "00000000-0000-4000-8000-000000000000";
    let own = format!("anthropic:{uuid}");
    assert_eq!(open(Some(&own), SessionOptions::default()).await.unwrap().as_str(), own);
    for strange in ["anthropic:x", &format!("openai:{uuid}"), uuid] {
        let error = open(Some(strange), SessionOptions::default()).await.unwrap_err();
        assert_eq!(error.info().code, "SESSION_NOT_FOUND");
    }
    let mode = SessionOptions { permission_mode: Some("plan".to_owned()), ..SessionOptions::default() };
    let directories = SessionOptions { extra_directories: vec!["/".into()], ..SessionOptions::default() };
    let model = SessionOptions { model: Some(" ".to_owned()), ..SessionOptions::default() };
    for options in [mode, directories, model] {
        assert_eq!(open(None, options).await.unwrap_err().info().code, "INVALID_REQUEST");
    }
}
