//! Agents of sessions: when one is started and given up. Owns the conditions under which an agent may run at all.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use liminal_core::error::ErrorCode;
use liminal_core::wire::projects::{Finding, Trust};
use liminal_core::wire::rest::{CreateSession, SessionOpened, SessionState};
use serde::Deserialize;

use super::recognising::attached;
use super::reloading::Lack;
use super::slot::Slot;
use super::{Failure, Sessions};
use crate::clock;
use crate::provider::{OpenRequest, OpenedAgent, Origin, SessionOptions};
use crate::recording::Recorder;
use crate::session::{Counts, History, Outlet, SessionHandle, Setup};
use crate::store::{ProjectRow, SessionRow, StoredOptions};
use crate::{projects, trust};

/// An error names this many files.
const LISTED: usize = 5;

/// What a client may choose for a new session. Anything else is an error: a wish that has no effect is a lie.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Wishes {
    model: Option<String>,
    permission_mode: Option<String>,
    extra_directories: Vec<PathBuf>,
    confirm_unguarded: bool,
}

impl Sessions {
    /// Starts a new session.
    pub async fn create(&self, request: CreateSession) -> Result<SessionOpened, Failure> {
        self.refuse_while_closing()?;
        let provider = self.0.parts.providers.get(&request.cli_type)?;
        let (project, directory) = self.place(Path::new(&request.project_dir)).await?;
        let options = self.wishes(&request)?;
        let restricted = self.is_restricted(&project, &directory, &request.cli_type)?;
        self.make_room().await?;
        let open = OpenRequest {
            directory: directory.clone(),
            resume: None,
            options: self.opening(&options, restricted),
            past: Vec::new(),
        };
        let opened = provider.open(open).await?;
        let options = StoredOptions { initial_mode: opened.guards.initial().map(str::to_owned), ..options };
        let row = self.new_row(&opened, &request.cli_type, &project, directory, options);
        let slot = self.begin(row, opened).await?;
        Ok(SessionOpened { session_id: slot.id.clone(), cli_type: slot.cli_type.clone() })
    }

    /// Takes a new session in, with its agent.
    pub(super) async fn begin(&self, row: SessionRow, opened: OpenedAgent) -> Result<Arc<Slot>, Failure> {
        let token = self.claim_new(&opened.session_id).await?;
        let row = SessionRow { token, ..row };
        self.0.parts.store.save_session(row.clone()).await?;
        let slot = self.enter(&row, Vec::new());
        self.show_offers(&slot).await;
        self.herald(&slot);
        let door = slot.door.lock().await;
        slot.board.change(|live| live.view.state = SessionState::Starting);
        self.start(&slot, opened, History::Tell)?;
        // Whoever hears of it here may ask any other server next.
        self.publish(&slot).await;
        self.announce(row.project_id);
        drop(door);
        Ok(slot)
    }

    pub(super) fn new_row(
        &self,
        opened: &OpenedAgent,
        cli_type: &str,
        project: &ProjectRow,
        directory: PathBuf,
        options: StoredOptions,
    ) -> SessionRow {
        let row = SessionRow::new(opened.session_id.clone(), cli_type, directory, self.now());
        SessionRow { project_id: Some(project.id.clone()), options, ..row }
    }

    /// The agent of a session, which is started if there is none. The door must be held.
    pub(super) async fn agent(&self, slot: &Slot) -> Result<SessionHandle, Failure> {
        if let Some(handle) = slot.handle() {
            return Ok(handle);
        }
        let lack = self.lack(slot).await?;
        self.agent_with(slot, lack).await
    }

    pub(super) async fn agent_with(&self, slot: &Slot, lack: Lack) -> Result<SessionHandle, Failure> {
        self.refuse_while_closing()?;
        self.see_off(slot, slot.last_handle()).await?;
        let provider = self.0.parts.providers.get(&slot.cli_type)?;
        let (project, directory) = self.place(&slot.directory).await?;
        let row = self.0.parts.store.session(&slot.id).await?.ok_or_else(|| Failure::no_session(&slot.id))?;
        let restricted = self.is_restricted(&project, &directory, &slot.cli_type)?;
        // It was confirmed, but perhaps to a server that was started otherwise.
        self.permit_mode(&slot.cli_type, &row.options, row.options.is_unguarded)?;
        let options = SessionOptions { may_begin: row.is_made, ..self.opening(&row.options, restricted) };
        self.make_room().await?;
        slot.board.change(|live| live.view.state = SessionState::Starting);
        let past = if provider.needs_past() { self.memory(&slot.id).await? } else { Vec::new() };
        let files = self.files_of_past(&slot.id, &attached(&past)).await;
        let options = SessionOptions { files, ..options };
        let request = OpenRequest { directory, resume: Some(slot.id.clone()), options, past };
        let started = match provider.open(request).await {
            Ok(mut opened) => {
                if row.options.initial_mode.is_some() {
                    opened.guards = opened.guards.starting_in(row.options.initial_mode);
                }
                self.start_with_history(slot, opened, lack).await
            }
            Err(error) => Err(Failure::from(error)),
        };
        started.inspect_err(|failure| {
            slot.board.change(|live| {
                (live.view.state, live.view.failure) = (SessionState::Closed, Some(failure.info()));
            });
        })
    }

    /// What another program added comes before what is said next.
    async fn start_with_history(
        &self,
        slot: &Slot,
        opened: OpenedAgent,
        lack: Lack,
    ) -> Result<SessionHandle, Failure> {
        if lack == Lack::Additions {
            self.merge_history(slot, &opened.history).await?;
        }
        self.start(slot, opened, lack.history())
    }

    fn start(&self, slot: &Slot, opened: OpenedAgent, history: History) -> Result<SessionHandle, Failure> {
        let settings = &self.0.parts.settings;
        let recorder = settings.recordings.as_deref().map(|folder| recorder(folder, slot)).transpose()?;
        let setup = Setup {
            config: settings.batching.clone(),
            patience: settings.patience,
            ladder: settings.ladder,
            recorder,
            history,
        };
        let outlet = Outlet {
            log: Arc::clone(&self.0.parts.log),
            events: Some(Arc::clone(&self.0.parts.events)),
            durability: settings.durability,
            board: slot.board.clone(),
            stream_b: self.0.parts.stream_b.clone(),
            counts: Some(Counts { metrics: self.0.metrics.clone(), cli_type: slot.cli_type.clone() }),
        };
        let handle = SessionHandle::start(opened, setup, outlet, &mut self.tasks());
        slot.set_handle(Some(handle.clone()));
        slot.works(self.now());
        self.attend(slot, handle.clone());
        self.guard(slot, handle.clone());
        Ok(handle)
    }

    /// The project of a directory, and the directory as it really is. Checked again at every start, because directories
    /// move. Of projects inside each other the innermost counts: trust is decided there.
    pub(super) async fn place(&self, directory: &Path) -> Result<(ProjectRow, PathBuf), Failure> {
        let projects = self.0.parts.store.projects().await?;
        let inside = projects.into_iter().filter_map(|project| {
            let real = projects::inside(&project.path, directory).ok()?;
            Some((project, real))
        });
        let innermost = inside.max_by_key(|(project, _)| project.path.components().count());
        innermost.ok_or_else(|| {
            let problem = "is not inside a project, or is not there; add its project first";
            Failure::new(ErrorCode::ProjectDirInvalid, format!("{} {problem}", directory.display()))
        })
    }

    /// Whether an agent must not use what the project brings. It must not start at all while that is undecided, or if
    /// nothing keeps it from using it.
    pub(super) fn is_restricted(
        &self,
        project: &ProjectRow,
        directory: &Path,
        cli_type: &str,
    ) -> Result<bool, Failure> {
        let scan = scan(&project.path, directory);
        let found = scan.concerning(cli_type);
        let is_decided =
            project.trust_hash.as_deref().is_some_and(|stored| scan.is_decided(stored, cli_type));
        match (project.trust, is_decided) {
            (Trust::Trusted, true) => Ok(false),
            (Trust::Untrusted, true) if scan.has_git_programs => Err(git_programs(project)),
            (Trust::Untrusted, true) => Ok(true),
            (trust, _) if found.is_empty() => Ok(trust == Trust::Untrusted),
            (_, _) => Err(undecided(project, directory, &found)),
        }
    }

    fn wishes(&self, request: &CreateSession) -> Result<StoredOptions, Failure> {
        let given = serde_json::Value::Object(request.provider_options.clone().into_iter().collect());
        let wishes: Wishes = serde_json::from_value(given)
            .map_err(|error| Failure::new(ErrorCode::InvalidRequest, format!("providerOptions: {error}")))?;
        let options = StoredOptions {
            model: wishes.model,
            permission_mode: wishes.permission_mode,
            extra_directories: wishes.extra_directories,
            ..StoredOptions::default()
        };
        let is_unguarded = self.permit_mode(&request.cli_type, &options, wishes.confirm_unguarded)?;
        Ok(StoredOptions { is_unguarded, ..options })
    }

    /// Makes sure that one more agent may run: the session that has been idle for longest gives its own up.
    pub(super) async fn make_room(&self) -> Result<(), Failure> {
        let most = self.0.parts.settings.most_agents;
        while self.agents() >= most {
            let idle = self.slots().values().find(|slot| is_idle(slot)).cloned();
            let Some(slot) = idle else {
                return Err(Failure::new(ErrorCode::AgentsExhausted, self.exhausted(most)));
            };
            self.hibernate(&slot).await;
        }
        Ok(())
    }

    /// Why no more agents can run. Sessions that wait for a person keep their agents, so they are named.
    fn exhausted(&self, most: usize) -> String {
        let slots: Vec<_> = self.slots().values().cloned().collect();
        let waiting = slots.iter().filter_map(|slot| {
            let view = slot.board.now().view;
            let title = view.title.unwrap_or_else(|| "untitled".to_owned());
            (view.state == SessionState::Waiting).then(|| format!("{} ({title})", slot.id))
        });
        let waiting: Vec<String> = waiting.collect();
        let limit = format!("{most} agents are running, which is the limit set by max-agents");
        if waiting.is_empty() {
            return format!("{limit}; wait for one to finish, or end one");
        }
        format!("{limit}; answer or end one of the sessions that wait for you: {}", waiting.join(", "))
    }

    /// Ends the agent of an idle session; its next message brings it back.
    pub(super) async fn hibernate(&self, slot: &Slot) {
        let Some(handle) = slot.handle().filter(|_| is_idle(slot)) else { return };
        handle.kill().await;
        slot.set_handle(None);
        slot.works(self.now());
        // A person may have ended the session meanwhile, and that is what counts.
        if !self.was_killed(slot).await.unwrap_or_default() {
            slot.board.change(|live| (live.view.state, live.view.failure) = (SessionState::Idle, None));
        }
        self.announce_of(slot);
    }

    pub(super) fn opening(&self, options: &StoredOptions, restricted: bool) -> SessionOptions {
        let through = options.forked_through.clone();
        let origin = options.forked_from.clone().map(|session_id| Origin { session_id, through });
        SessionOptions {
            model: options.model.clone(),
            permission_mode: options.permission_mode.clone(),
            is_confirmed: options.is_unguarded && self.0.parts.settings.allow_bypass,
            extra_directories: options.extra_directories.clone(),
            restricted,
            may_begin: false,
            origin,
            files: Vec::new(),
        }
    }

    pub(super) fn refuse_while_closing(&self) -> Result<(), Failure> {
        if *self.0.is_closing.borrow() {
            return Err(Failure::new(ErrorCode::ShuttingDown, "the server is stopping; start it again"));
        }
        Ok(())
    }
}

/// What was decided on a project, as long as it brings what it brought then; and what it brings now.
#[must_use]
pub fn standing(project: &ProjectRow) -> (Trust, trust::Scan) {
    let scan = scan(&project.path, &project.path);
    let is_decided = project.trust_hash.as_ref() == Some(&scan.fingerprint());
    (if is_decided { project.trust } else { Trust::Unknown }, scan)
}

fn scan(project: &Path, directory: &Path) -> trust::Scan {
    let home = std::env::var_os("HOME").map(PathBuf::from).and_then(|home| home.canonicalize().ok());
    trust::scan(project, directory, home.as_deref())
}

/// A decision is about the project's own directory; what lies below it only is decided on as a project of its own.
fn undecided(project: &ProjectRow, directory: &Path, found: &[&Finding]) -> Failure {
    let mut files: Vec<&str> = found.iter().map(|finding| finding.path.as_str()).collect();
    files.dedup();
    let (count, files) = (found.len(), short_list(&files));
    let what = if count == 1 { "1 setting".to_owned() } else { format!("{count} settings") };
    let problem = if directory == project.path {
        let (name, id) = (&project.name, &project.id);
        format!(
            "{name} contains {what} that can run code ({files}); trust it with POST /api/projects/{id}/trust"
        )
    } else {
        let directory = directory.display();
        format!(
            "{directory} contains {what} that can run code ({files}); add it as a project to decide on them"
        )
    };
    Failure::new(ErrorCode::TrustRequired, problem)
}

fn short_list(names: &[&str]) -> String {
    match names.split_at_checked(LISTED) {
        Some((first, rest)) if !rest.is_empty() => format!("{} and {} more", first.join(", "), rest.len()),
        Some(_) | None => names.join(", "),
    }
}

fn git_programs(project: &ProjectRow) -> Failure {
    let name = &project.name;
    let problem = format!(
        "{name} contains git settings that run programs, which no agent can be kept from; remove them or trust the project"
    );
    Failure::new(ErrorCode::TrustRequired, problem)
}

fn is_idle(slot: &Slot) -> bool {
    let live = slot.board.now();
    let is_resting = live.view.state == SessionState::Idle && live.view.background.is_none();
    // A paused queue waits for a person and needs no agent meanwhile.
    live.view.is_alive && is_resting && live.next_queued().is_none()
}

/// One file per life of an agent.
fn recorder(folder: &Path, slot: &Slot) -> Result<Recorder, Failure> {
    let name = format!("{}-{}.ndjson", slot.id.as_str().replace(':', "-"), clock::new_turn_id());
    let path = folder.join(name);
    Recorder::create(&path).map_err(|error| {
        let problem = format!("cannot record to {}: {error}; choose another --record", path.display());
        Failure::new(ErrorCode::Internal, problem)
    })
}
