//! The command line of Claude Code. Owns which flags it is given, and checks their values: the program itself takes
//! any word for a model or a mode and fails much later, or never.

use std::ffi::OsString;

use liminal_core::dialect::claude::{DEFAULT_MODE, is_permission_mode, permission_modes};

use super::CLI_TYPE;
use crate::process::Environment;
use crate::provider::{Guards, OpenError, SessionOptions};

/// Nothing of the project: neither its settings with their hooks and variables, nor the servers of its `.mcp.json`.
const RESTRICTED: [&str; 2] = ["--setting-sources=user", "--strict-mcp-config"];
/// No flag keeps the program from submitting the prompts of a project's `scheduled_tasks.json`.
const WITHOUT_SCHEDULE: (&str, &str) = ("CLAUDE_CODE_DISABLE_CRON", "1");

/// What this program says itself. Said twice, it would break the conversation, or what keeps it from acting unasked.
const OURS: [&str; 23] = [
    "print",
    "input-format",
    "output-format",
    "verbose",
    "include-partial-messages",
    "replay-user-messages",
    "permission-prompt-tool",
    "permission-mode",
    "dangerously-skip-permissions",
    "allow-dangerously-skip-permissions",
    "thinking-display",
    "setting-sources",
    "strict-mcp-config",
    "session-id",
    "resume",
    "continue",
    "fork-session",
    "resume-session-at",
    "no-session-persistence",
    "json-schema",
    "worktree",
    "help",
    "version",
];

/// Why an argument of the user's own cannot be passed on.
pub(crate) fn problem(arguments: &[String]) -> Option<String> {
    arguments.iter().find_map(|argument| {
        let flag = argument.strip_prefix("--").filter(|flag| !flag.is_empty());
        let Some(name) = flag.and_then(|flag| flag.split('=').next()) else {
            // A bare word would be taken for the prompt.
            return Some(format!("write `{argument}` as --flag or --flag=value, one text for each"));
        };
        OURS.contains(&name).then(|| format!("--{name} is what this program says itself; leave it out"))
    })
}

/// A new session, one to go on with, or a new one with the history of another; ids are the program's own.
#[derive(Debug, Clone, Copy)]
pub(super) enum Start<'a> {
    New(&'a str),
    Resume(&'a str),
    Fork {
        from: &'a str,
        /// The last answer that is still the fork's.
        through: Option<&'a str>,
        session: &'a str,
    },
}

impl<'a> Start<'a> {
    pub(super) const fn session(&self) -> &'a str {
        match self {
            Self::New(session) | Self::Resume(session) | Self::Fork { session, .. } => session,
        }
    }

    /// The session whose history it begins with.
    pub(super) const fn resumed(&self) -> Option<&'a str> {
        match self {
            Self::New(_) => None,
            Self::Resume(session) | Self::Fork { from: session, .. } => Some(session),
        }
    }
}

/// The mode that the program begins in.
pub(super) fn mode(options: &SessionOptions) -> &str {
    options.permission_mode.as_deref().unwrap_or(DEFAULT_MODE)
}

/// Every value is bound to its flag, so that none can be taken for a flag itself.
pub(super) fn arguments(start: Start<'_>, options: &SessionOptions, own: &[String]) -> Vec<OsString> {
    let usual = [
        "-p",
        "--input-format=stream-json",
        "--output-format=stream-json",
        "--verbose",
        "--include-partial-messages",
        "--replay-user-messages",
        "--permission-prompt-tool=stdio",
        "--thinking-display=summarized",
    ];
    // Of a flag that stands there twice the last counts, and a session chooses for itself.
    let mut arguments: Vec<OsString> =
        own.iter().map(String::as_str).chain(usual).map(OsString::from).collect();
    if matches!(start, Start::Fork { .. }) {
        arguments.push("--fork-session".into());
    }
    if options.restricted {
        arguments.extend(RESTRICTED.map(OsString::from));
    }
    let mut bind = |flag: &str, value: &std::ffi::OsStr| {
        let mut argument = OsString::from(format!("--{flag}="));
        argument.push(value);
        arguments.push(argument);
    };
    match start {
        Start::New(session) => bind("session-id", session.as_ref()),
        Start::Resume(session) => bind("resume", session.as_ref()),
        Start::Fork { from, through, session } => {
            bind("resume", from.as_ref());
            bind("session-id", session.as_ref());
            if let Some(through) = through {
                bind("resume-session-at", through.as_ref());
            }
        }
    }
    if let Some(model) = &options.model {
        bind("model", model.as_ref());
    }
    bind("permission-mode", mode(options).as_ref());
    for directory in &options.extra_directories {
        bind("add-dir", directory.as_ref());
    }
    arguments
}

/// The environment for a session with these options.
pub(super) fn environment(environment: Environment, options: &SessionOptions) -> Environment {
    let (name, value) = WITHOUT_SCHEDULE;
    if options.restricted { environment.with(name, value) } else { environment }
}

pub(super) fn check(options: &SessionOptions, allow_bypass: bool) -> Result<(), OpenError> {
    if let Some(model) = &options.model {
        check_model(model)?;
    }
    if let Some(mode) = &options.permission_mode {
        check_mode(mode, allow_bypass)?;
    }
    options.extra_directories.iter().try_for_each(|directory| {
        if directory.is_absolute() && directory.is_dir() {
            return Ok(());
        }
        invalid("extraDirectories", format!("{} is not the full path of a directory", directory.display()))
    })
}

fn check_model(model: &str) -> Result<(), OpenError> {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"._:@/[]-".contains(&byte);
    let starts_well = model.starts_with(|first: char| first.is_ascii_alphanumeric());
    if starts_well && model.len() <= 128 && model.bytes().all(is_usual) {
        return Ok(());
    }
    invalid("model", "a model is named by letters, digits and . _ : @ / [ ] -, such as `opus`".to_owned())
}

fn check_mode(mode: &str, allow_bypass: bool) -> Result<(), OpenError> {
    if !is_permission_mode(mode) {
        return invalid("permissionMode", format!("choose one of {}", permission_modes()));
    }
    if Guards::of_type(CLI_TYPE).mode(mode).needs_leave() && !allow_bypass {
        return invalid("permissionMode", format!("{mode} must be allowed when the server is started"));
    }
    Ok(())
}

fn invalid(option: &'static str, problem: String) -> Result<(), OpenError> {
    Err(OpenError::InvalidOption { option, problem })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BYPASS: &str = "bypassPermissions";

    fn options(model: &str, mode: &str) -> SessionOptions {
        SessionOptions {
            model: Some(model.into()),
            permission_mode: Some(mode.into()),
            ..SessionOptions::default()
        }
    }

    #[test]
    fn no_value_adds_an_argument() {
        let plain = arguments(Start::New("id"), &options("opus", "plan"), &[]).len();
        for value in ["--settings={}", "-p", "a b", "a\"b", "$(x)", ""] {
            let found = arguments(Start::New("id"), &options(value, "plan"), &[]);
            assert_eq!(found.len(), plain, "{value}");
            assert!(found.contains(&OsString::from(format!("--model={value}"))));
        }
    }

    #[test]
    fn a_fork_begins_with_the_other_session_and_has_an_id_of_its_own() {
        let of = |through| {
            let start = Start::Fork { from: "a", through, session: "b" };
            arguments(start, &SessionOptions::default(), &[])
        };
        for flag in ["--fork-session", "--resume=a", "--session-id=b"] {
            assert!(of(None).contains(&OsString::from(flag)), "{flag}");
        }
        assert!(of(Some("c")).contains(&OsString::from("--resume-session-at=c")));
        assert_eq!(of(None).len() + 1, of(Some("c")).len());
    }

    #[test]
    fn what_the_user_adds_comes_first_and_cannot_break_the_conversation() {
        let own = ["--fallback-model=sonnet".to_owned(), "--model=haiku".to_owned()];
        assert_eq!(problem(&own), None);
        let found = arguments(Start::New("id"), &options("opus", "plan"), &own);
        assert_eq!(found[..2], own.clone().map(OsString::from));
        let place = |flag: &str| found.iter().position(|argument| argument == flag).unwrap();
        assert!(place("--model=haiku") < place("--model=opus"));
        for refused in [
            "hello",
            "-p",
            "-r",
            "--",
            "",
            "--print",
            "--output-format=text",
            "--permission-mode=bypassPermissions",
            "--dangerously-skip-permissions",
            "--resume=x",
        ] {
            assert!(problem(&[refused.to_owned()]).is_some(), "{refused}");
        }
    }

    #[test]
    fn s31_a_project_that_is_not_trusted_brings_nothing() {
        let of = |restricted| {
            let options = SessionOptions { restricted, ..SessionOptions::default() };
            arguments(Start::New("id"), &options, &[])
        };
        assert!(RESTRICTED.iter().all(|flag| of(true).contains(&OsString::from(*flag))));
        assert!(!RESTRICTED.iter().any(|flag| of(false).contains(&OsString::from(*flag))));
    }

    #[test]
    fn only_sound_models_and_modes_pass() {
        for (model, sound) in [
            ("opus", true),
            ("claude-opus-4-8[1m]", true),
            ("us.anthropic.claude-sonnet-5-v1:0", true),
            ("-opus", false),
            ("--settings={}", false),
            ("", false),
            ("a b", false),
            ("a\nb", false),
        ] {
            assert_eq!(check(&options(model, "default"), false).is_ok(), sound, "{model}");
        }
        for (mode, bypass, sound) in
            [("plan", false, true), ("bogus", false, false), (BYPASS, false, false), (BYPASS, true, true)]
        {
            assert_eq!(check(&options("opus", mode), bypass).is_ok(), sound, "{mode}");
        }
    }

    #[test]
    fn extra_directories_must_be_there() {
        let with =
            |path: &str| SessionOptions { extra_directories: vec![path.into()], ..SessionOptions::default() };
        assert!(check(&with("/"), false).is_ok());
        assert!(check(&with("relative"), false).is_err());
        assert!(check(&with("/no/such/directory"), false).is_err());
    }

    /// What somebody sends who wants to be more than a value: flags, quotes, what shells read, and any character.
    fn hostile(mut seed: u64) -> String {
        const PIECES: [&str; 24] = [
            "-",
            "--",
            "--settings={}",
            "--dangerously-skip-permissions",
            "=",
            " ",
            "\t",
            "\n",
            "\r\n",
            "\0",
            "'",
            "\"",
            "\\",
            "$(x)",
            "`x`",
            ";",
            "&",
            "|",
            "%PATH%",
            "^",
            "!",
            "*",
            "~",
            "../",
        ];
        let mut below = |bound: u32| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u32::try_from(seed >> 33).unwrap_or_default() % bound
        };
        let length = below(8);
        let piece = |_| match below(3) {
            0 => PIECES[below(24) as usize].to_owned(),
            1 => char::from_u32(below(0x11_0000)).unwrap_or('-').to_string(),
            _ => char::from_u32(0x20 + below(0x5f)).unwrap_or('-').to_string(),
        };
        (0..length).map(piece).collect()
    }

    /// Every field that a client or an agent can fill, by the flag that its text is bound to.
    const FIELDS: [&str; 7] = [
        "--model=",
        "--permission-mode=",
        "--add-dir=",
        "--session-id=",
        "--resume=",
        "--resume-session-at=",
        "--resume= of a fork",
    ];

    fn filled(field: &str, text: &str) -> Vec<OsString> {
        let mut options = SessionOptions::default();
        let mut start = Start::New("new");
        match field {
            "--model=" => options.model = Some(text.to_owned()),
            "--permission-mode=" => options.permission_mode = Some(text.to_owned()),
            "--add-dir=" => options.extra_directories = vec![text.into()],
            "--session-id=" => start = Start::New(text),
            "--resume=" => start = Start::Resume(text),
            "--resume-session-at=" => start = Start::Fork { from: "a", through: Some(text), session: "b" },
            _ => start = Start::Fork { from: text, through: None, session: "b" },
        }
        arguments(start, &options, &[])
    }

    /// Each case fills each field, so that every one is filled 100,000 times. What gets to a command line as a model or a
    /// mode is a word besides.
    #[test]
    fn s24_any_text_in_any_field_is_one_argument_and_changes_no_other() {
        let plain = FIELDS.map(|field| filled(field, "plain"));
        proptest!(ProptestConfig::with_cases(100_000), |(seed: u64)| {
            let text = hostile(seed);
            for (field, plain) in FIELDS.iter().zip(&plain) {
                let found = filled(field, &text);
                prop_assert_eq!(found.len(), plain.len(), "{} {:?}", field, text);
                let flag = field.split(' ').next().unwrap_or_default();
                for (found, _) in found.iter().zip(plain).filter(|(found, plain)| found != plain) {
                    prop_assert!(*found == *format!("{flag}{text}"), "{} {:?}: {:?}", field, text, found);
                }
            }
            let is_word = !text.starts_with('-') && text.bytes().all(|byte| byte.is_ascii_graphic());
            for options in [options(&text, "default"), options("opus", &text)] {
                prop_assert!(is_word || check(&options, true).is_err(), "{:?}", text);
            }
        });
    }
}
