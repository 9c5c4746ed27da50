use liminal_core::dialect::{Abilities, AgentCommand, AgentOption, Choice};
use liminal_core::wire::guard::Guard;
use liminal_core::wire::view::AgentView;

use super::{Guards, Standing, known_types};
use crate::agents::Launch;

fn launch(program: &str, args: &[&str]) -> Launch {
    Launch { program: program.into(), args: args.iter().map(|&word| word.to_owned()).collect() }
}

fn choices(ids: &[&str]) -> Vec<Choice> {
    let choice = |id: &&str| Choice { id: (*id).into(), name: (*id).into(), description: None, guard: None };
    ids.iter().map(choice).collect()
}

fn option(id: &str, category: Option<&str>, current: &str, values: &[&str]) -> AgentOption {
    AgentOption {
        id: id.to_owned(),
        name: id.to_owned(),
        category: category.map(str::to_owned),
        current: Some(current.to_owned()),
        choices: choices(values),
    }
}

fn agent(mode: Option<&str>, modes: &[&str], options: Vec<AgentOption>) -> AgentView {
    let abilities = Abilities { permission_modes: choices(modes), options, ..Abilities::default() };
    AgentView { permission_mode: mode.map(str::to_owned), abilities, ..AgentView::default() }
}

#[test]
fn modes_of_known_agents_are_judged_by_the_table() {
    use Standing::{Asks, Configured, Unguarded, Unknown};
    const COPILOT: &str = "https://agentclientprotocol.com/protocol/session-modes#";
    let autopilot = format!("{COPILOT}autopilot");
    let plan = format!("{COPILOT}plan");
    for (cli_type, mode, standing) in [
        ("claude-code", "default", Asks),
        ("claude-code", "acceptEdits", Asks),
        ("claude-code", "dontAsk", Asks),
        ("claude-code", "auto", Unguarded),
        ("claude-code", "bypassPermissions", Unguarded),
        ("claude-agent-acp", "bypassPermissions", Unguarded),
        ("codex", "read-only", Asks),
        ("codex", "workspace-write", Asks),
        ("codex", "auto", Asks),
        ("codex", "agent", Unguarded),
        ("codex", "agent-full-access", Unguarded),
        ("codex", "full-access", Unguarded),
        ("codex", "permission-profile:mine", Unknown),
        ("gemini", "autoEdit", Asks),
        ("gemini", "yolo", Unguarded),
        ("qwen", "auto-edit", Asks),
        ("qwen", "auto", Unguarded),
        ("qwen", "yolo", Unguarded),
        ("kimi", "default", Asks),
        ("kimi", "auto", Unguarded),
        ("kimi", "yolo", Unguarded),
        ("copilot", "agent", Asks),
        ("copilot", plan.as_str(), Asks),
        ("copilot", "autopilot", Unguarded),
        ("copilot", autopilot.as_str(), Unguarded),
        ("opencode", "build", Configured),
        ("opencode", "plan", Configured),
        ("opencode", "my-agent", Unknown),
        ("mine", "default", Unknown),
        ("mine", "auto", Unknown),
        ("mine", "yolo", Unguarded),
        ("mine", "bypassPermissions", Unguarded),
    ] {
        assert_eq!(Guards::of_type(cli_type).mode(mode), standing, "{cli_type} {mode}");
    }
}

#[test]
fn every_known_agent_asks_or_is_shown_while_it_reports_no_mode() {
    for cli_type in known_types() {
        let expected = if cli_type == "opencode" { Guard::MayAct } else { Guard::Asks };
        let found = Guards::of_type(cli_type).in_force(&AgentView::default()).guard();
        assert_eq!(found, expected, "{cli_type}");
    }
    assert_eq!(Guards::of_type("mine").in_force(&AgentView::default()).guard(), Guard::MayAct);
}

#[test]
fn agents_are_recognised_by_program_package_and_own_name() {
    for (program, args, own_name, unguarded) in [
        ("/usr/local/bin/qwen", vec!["--acp"], None, "auto"),
        ("npx", vec!["-y", "@qwen-code/qwen-code@0.24.4", "--acp"], None, "auto"),
        ("node", vec!["/lib/node_modules/@google/gemini-cli/bundle/gemini.js", "--acp"], None, "yolo"),
        ("C:\\npm\\kimi.cmd", vec!["acp"], Some("Kimi Code CLI"), "auto"),
        ("uvx", vec!["kimi-cli", "acp"], None, "auto"),
        ("/opt/run.sh", vec![], Some("qwen-code"), "auto"),
        ("/opt/run.sh", vec![], Some("Copilot"), "autopilot"),
        ("/opt/codex/@zed-industries/codex-acp-linux-x64/bin/codex-acp", vec![], None, "full-access"),
        ("npx", vec!["@agentclientprotocol/claude-agent-acp"], None, "auto"),
        ("npx", vec!["-y", "@agentclientprotocol/codex-acp@2"], None, "agent"),
    ] {
        let guards = Guards::of_agent("mine", Some(&launch(program, &args)), own_name);
        assert_eq!(guards.mode(unguarded), Standing::Unguarded, "{program} {args:?} {own_name:?}");
    }
    for (program, args) in
        [("/opt/agent", vec!["--model", "qwen"]), ("node", vec!["/opt/not-@github/copilots"])]
    {
        let guards = Guards::of_agent("mine", Some(&launch(program, &args)), Some("something else"));
        assert_eq!(guards.mode("auto"), Standing::Unknown, "{program} {args:?}");
        assert_eq!(guards.mode("plan"), Standing::Unknown, "{program} {args:?}");
    }
}

#[test]
fn what_an_agent_calls_itself_counts_more_than_its_cli_type() {
    let guards = Guards::of_agent("codex", Some(&launch("run", &[])), Some("qwen-code"));
    assert_eq!(guards.mode("auto"), Standing::Unguarded);
    let guards = Guards::of_agent("codex", Some(&launch("run", &[])), Some("nobody knows"));
    assert_eq!(guards.mode("auto"), Standing::Asks);
}

#[test]
fn the_user_may_name_modes_that_ask_but_not_excuse_unguarded_ones() {
    let modes = ["careful".to_owned(), "yolo".to_owned()];
    let mine = Guards::of_type("mine").with_asking(&modes);
    assert_eq!((mine.mode("careful"), mine.mode("yolo")), (Standing::Asks, Standing::Asks));
    let gemini = Guards::of_type("gemini").with_asking(&modes);
    assert_eq!((gemini.mode("careful"), gemini.mode("yolo")), (Standing::Asks, Standing::Unguarded));
}

#[test]
fn the_mode_an_unknown_agent_starts_in_needs_no_leave() {
    let guards = Guards::of_type("mine").starting_in(Some("code".to_owned()));
    assert_eq!((guards.mode("code"), guards.mode("turbo")), (Standing::Configured, Standing::Unknown));
    assert_eq!(guards.mode("code").guard(), Guard::MayAct);
    assert!(!guards.mode("code").needs_leave() && guards.mode("turbo").needs_leave());
}

#[test]
fn options_that_approve_are_judged_for_every_agent() {
    use Standing::{Asks, Unguarded, Unknown};
    for cli_type in ["copilot", "mine"] {
        let guards = Guards::of_type(cli_type);
        for (id, category, value, standing) in [
            ("allow_all", Some("permissions"), "on", Unguarded),
            ("allow-all", None, "true", Unguarded),
            ("allow_all", Some("permissions"), "off", Asks),
            ("auto_approve", None, "true", Unknown),
            ("auto_approve", None, "false", Asks),
            ("approval_policy", None, "never", Unknown),
            ("approval_policy", None, "yolo", Unguarded),
            ("policy", Some("permissions"), "wide", Unknown),
            ("mode", None, "yolo", Unguarded),
            ("model", Some("model"), "auto", Asks),
            ("reasoning_effort", Some("thought_level"), "high", Asks),
            ("fast-mode", Some("model_config"), "on", Asks),
            ("collaboration_mode", Some("collaboration_mode"), "plan", Asks),
        ] {
            assert_eq!(guards.option(id, category, value), standing, "{cli_type} {id}={value}");
        }
    }
}

#[test]
fn the_least_guarded_choice_in_force_counts() {
    let guards = Guards::of_type("copilot");
    let allow_all = |value| vec![option("allow_all", Some("permissions"), value, &["off", "on"])];
    let of = |mode, value| guards.in_force(&agent(Some(mode), &[], allow_all(value))).guard();
    assert_eq!(of("plan", "off"), Guard::Asks);
    assert_eq!(of("plan", "on"), Guard::Unguarded);
    assert_eq!(of("autopilot", "off"), Guard::Unguarded);
    assert_eq!(of("something", "off"), Guard::MayAct);
}

#[test]
fn a_retreat_leads_to_modes_and_values_that_ask() {
    let mode = |mode: &str| AgentCommand::SetPermissionMode { mode: mode.to_owned() };
    let qwen = Guards::of_type("qwen");
    let modes = ["plan", "default", "auto", "yolo"];
    assert_eq!(qwen.retreat(&agent(Some("auto"), &modes, Vec::new()), None), [mode("default")]);
    assert_eq!(qwen.retreat(&agent(Some("yolo"), &modes, Vec::new()), Some("plan")), [mode("plan")]);
    assert_eq!(qwen.retreat(&agent(Some("plan"), &modes, Vec::new()), None), []);
    let on = option("allow_all", Some("permissions"), "on", &["on", "off"]);
    let off = AgentCommand::SetOption { id: "allow_all".to_owned(), value: "off".to_owned() };
    let copilot = Guards::of_type("copilot");
    let modes = ["x#agent", "x#autopilot"];
    assert_eq!(copilot.retreat(&agent(Some("x#autopilot"), &modes, vec![on]), None), [mode("x#agent"), off]);
    let mine = Guards::of_type("mine").with_asking(&["careful".to_owned()]);
    assert_eq!(mine.retreat(&agent(Some("yolo"), &["yolo", "careful"], Vec::new()), None), [mode("careful")]);
    assert_eq!(Guards::of_type("mine").retreat(&agent(Some("yolo"), &["yolo"], Vec::new()), None), []);
}

#[test]
fn choices_carry_their_guard() {
    let effort = option("effort", Some("thought_level"), "low", &["low", "high"]);
    let allow_all = option("allow_all", Some("permissions"), "off", &["off", "on"]);
    let mut offered = agent(None, &["agent", "autopilot"], vec![effort, allow_all]).abilities;
    Guards::of_type("copilot").mark(&mut offered);
    let guards = |choices: &[Choice]| choices.iter().map(|choice| choice.guard).collect::<Vec<_>>();
    assert_eq!(guards(&offered.permission_modes), [Some(Guard::Asks), Some(Guard::Unguarded)]);
    assert_eq!(guards(&offered.options[0].choices), [None, None]);
    assert_eq!(guards(&offered.options[1].choices), [Some(Guard::Asks), Some(Guard::Unguarded)]);
}
