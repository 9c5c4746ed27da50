//! Owns what an agent may see of our environment.
//! May not know which agent is started; callers name what theirs needs.
//!
//! An agent gets the user's environment, because its tools are the user's tools, except:
//!
//! | what | why |
//! |---|---|
//! | `LIMINAL_*`, `REDIS_URL`, `DATABASE_URL` | secrets and settings of this server; never passed on |
//! | `CLAUDECODE`, `CLAUDE_CODE_*`, `CLAUDE_AGENT_SDK_*`, `CODEX_SANDBOX*` | say "you run inside an agent" |
//! | `NODE_OPTIONS`, `NODE_CHANNEL_FD`, `VSCODE_INSPECTOR_OPTIONS` | hijack the agent's own runtime |
//! | `NOTIFY_SOCKET`, `LISTEN_PID`, `LISTEN_FDS`, `LISTEN_FDNAMES` | are the service manager's word to us |
//!
//! Names of the last three rows pass when the caller asks to keep them.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const SECRET: Names = Names { exact: &["REDIS_URL", "DATABASE_URL"], prefixes: &["LIMINAL_"] };

const MISLEADING: Names = Names {
    exact: &[
        "CLAUDECODE",
        "NODE_OPTIONS",
        "NODE_CHANNEL_FD",
        "VSCODE_INSPECTOR_OPTIONS",
        "NOTIFY_SOCKET",
        "LISTEN_PID",
        "LISTEN_FDS",
        "LISTEN_FDNAMES",
    ],
    prefixes: &["CLAUDE_CODE_", "CLAUDE_AGENT_SDK_", "CODEX_SANDBOX"],
};

/// The complete environment of a process to be started.
#[derive(Clone, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

impl Environment {
    /// Takes our own environment without the variables listed in the module's table.
    pub fn inherited() -> Self {
        Self::scrubbed(std::env::vars_os(), &[])
    }

    /// As [`Self::inherited`], but lets the misleading variables named in `keep` pass.
    pub fn inherited_keeping(keep: &[&str]) -> Self {
        Self::scrubbed(std::env::vars_os(), keep)
    }

    /// Adds or replaces a variable; what the caller sets is not scrubbed.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// What of it passes a test of names.
    pub(crate) fn only(mut self, passes: impl Fn(&OsStr) -> bool) -> Self {
        self.variables.retain(|name, _| passes(name));
        self
    }

    /// The value of a variable.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// The first executable of this name on the `PATH`.
    #[must_use]
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        let path = self.get("PATH")?;
        std::env::split_paths(path).map(|folder| folder.join(name)).find(|program| is_executable(program))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    fn scrubbed(variables: impl IntoIterator<Item = (OsString, OsString)>, keep: &[&str]) -> Self {
        let kept = |name: &OsStr| keep.iter().any(|each| name == *each);
        let passes = |name: &OsStr| !SECRET.cover(name) && (kept(name) || !MISLEADING.cover(name));
        Self { variables: variables.into_iter().filter(|(name, _)| passes(name)).collect() }
    }
}

pub(super) fn is_executable(program: &Path) -> bool {
    program.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// Shows names only: values may be credentials.
impl fmt::Debug for Environment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.variables.keys()).finish()
    }
}

struct Names {
    exact: &'static [&'static str],
    prefixes: &'static [&'static str],
}

impl Names {
    fn cover(&self, name: &OsStr) -> bool {
        let bytes = name.as_encoded_bytes();
        self.exact.iter().any(|exact| name == *exact)
            || self.prefixes.iter().any(|prefix| bytes.starts_with(prefix.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    fn passes(name: &str, keep: &[&str]) -> bool {
        let variables = [(OsString::from(name), OsString::from("value"))];
        Environment::scrubbed(variables, keep).iter().count() == 1
    }

    #[test]
    fn passes_the_users_environment_but_not_what_is_ours_or_misleads() {
        let cases = [
            ("PATH", true),
            ("HOME", true),
            ("ANTHROPIC_API_KEY", true),
            ("CLAUDE_CONFIG_DIR", true),
            ("MY_LIMINAL_KEY", true),
            ("LIMINAL_KEY", false),
            ("LIMINAL_INSTANCE", false),
            ("REDIS_URL", false),
            ("DATABASE_URL", false),
            ("CLAUDECODE", false),
            ("CLAUDE_CODE_ENTRYPOINT", false),
            ("CLAUDE_CODE_SSE_PORT", false),
            ("CODEX_SANDBOX_NETWORK_DISABLED", false),
            ("NODE_OPTIONS", false),
            ("NOTIFY_SOCKET", false),
        ];
        for (name, expected) in cases {
            assert_eq!(passes(name, &[]), expected, "{name}");
        }
    }

    #[test]
    fn keeps_what_the_caller_asks_for_but_never_a_secret_of_ours() {
        let keep = ["CLAUDE_CODE_OAUTH_TOKEN", "LIMINAL_KEY", "REDIS_URL"];
        let passed: Vec<&str> = keep.into_iter().filter(|name| passes(name, &keep)).collect();
        assert_eq!(passed, ["CLAUDE_CODE_OAUTH_TOKEN"]);
    }

    #[test]
    fn carries_bytes_that_are_not_text() {
        let odd = OsString::from_vec(b"\xff\xfe".to_vec());
        let environment = Environment::scrubbed([(odd.clone(), odd.clone())], &[]);
        assert_eq!(environment.iter().collect::<Vec<_>>(), [(odd.as_os_str(), odd.as_os_str())]);
    }

    #[test]
    fn shows_no_values() {
        let environment = Environment::scrubbed([], &[]).with("API_KEY", "hunter2");
        assert_eq!(format!("{environment:?}"), r#"{"API_KEY"}"#);
    }
}
