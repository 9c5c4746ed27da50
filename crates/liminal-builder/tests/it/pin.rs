//! The two versions of Claude Code that `tests/agents/package.json` pins. Only this file knows where npm puts them.

use std::path::{Path, PathBuf};
use std::str::FromStr;

#[derive(Debug, Clone, Copy)]
pub(crate) enum Pin {
    /// The version that the product was first recorded with.
    Old,
    /// The latest release. It moves every week; see `CONTRIBUTING.md`.
    Newest,
}

impl Pin {
    pub(crate) fn program(self) -> PathBuf {
        let packages = match self {
            Self::Old => "node_modules",
            // npm nests what an alias depends on below it, because the names are those of the old pin.
            Self::Newest => "node_modules/claude-code-newest/node_modules",
        };
        let architecture = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
        let agents = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents");
        let program =
            agents.join(packages).join(format!("@anthropic-ai/claude-code-linux-{architecture}/claude"));
        assert!(program.exists(), "{} is missing; run ./x test, which installs it", program.display());
        program
    }
}

impl FromStr for Pin {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "old" => Ok(Self::Old),
            "newest" => Ok(Self::Newest),
            _ => Err(format!("{name} is not a pin; name `old` or `newest`")),
        }
    }
}
