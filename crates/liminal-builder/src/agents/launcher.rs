//! Where a provider finds its agent's program. Owns that this is asked at each start: what is installed, updated or
//! removed counts at once, exactly as `GET /api/agents` says.

use super::{Detector, Launch};

/// Finds the program of one agent.
#[derive(Debug, Clone)]
pub struct Launcher(Source);

#[derive(Debug, Clone)]
enum Source {
    Fixed(Launch),
    Detected { detector: Detector, name: String },
}

impl From<Launch> for Launcher {
    fn from(launch: Launch) -> Self {
        Self(Source::Fixed(launch))
    }
}

impl Launcher {
    /// Finds an agent where the detector does.
    #[must_use]
    pub fn detected(detector: &Detector, name: &str) -> Self {
        Self(Source::Detected { detector: detector.clone(), name: name.to_owned() })
    }

    /// How the agent is started now, or why it cannot be.
    pub(crate) async fn launch(&self) -> Result<Launch, String> {
        match &self.0 {
            Source::Fixed(launch) => Ok(launch.clone()),
            Source::Detected { detector, name } => detector.launch(name).await,
        }
    }

    /// How the agent is started, as far as that is known without waiting.
    pub(crate) fn known(&self) -> Option<Launch> {
        match &self.0 {
            Source::Fixed(launch) => Some(launch.clone()),
            Source::Detected { detector, name } => detector.known_launch(name),
        }
    }

    /// Whether the agent is installed, as far as files tell.
    pub(crate) fn is_there(&self) -> bool {
        match &self.0 {
            Source::Fixed(_) => true,
            Source::Detected { detector, name } => detector.is_there(name),
        }
    }

    /// Notes that the agent worked, or failed for want of a login.
    pub(crate) fn note_login(&self, is_there: bool) {
        match &self.0 {
            Source::Fixed(_) => {}
            Source::Detected { detector, name } => detector.note_login(name, is_there),
        }
    }
}
