//! Descriptions of the wire types for others: JSON Schema and TypeScript. Owns which types are described and in
//! which files; the types themselves are the only source.

use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};

use schemars::{JsonSchema, generate::SchemaSettings};
use ts_rs::{Config, TS, TypeVisitor};

use crate::envelope::EnvelopeShape;
use crate::event::Attachment;
use crate::stream_b::{StreamBMessage, UiTurnEvent, UiUpsert};
use crate::upsert::{TurnEvent, Upsert};
use crate::wire::access::{BrowserKey, ExchangeCode, FreshAddress};
use crate::wire::agents::AgentReport;
use crate::wire::approvals::{ApprovalList, SearchResults};
use crate::wire::attachments::AttachFile;
use crate::wire::projects::{AddProject, DecideTrust, KnownProjectList, PathList, Project, ProjectList};
use crate::wire::rest::{
    Configure, CreateSession, EditQueued, ForkSession, HistoryPage, LoadSession, MessageAccepted, Meta,
    PermissionAnswer, Problem, Queue, Rename, SendMessage, SessionList, SessionOpened, SessionStatus,
};
use crate::wire::{ClientFrame, ServerMessage};

/// Every described type that others start from; what they are made of follows.
macro_rules! each_root {
    ($do:ident) => {
        $do!(
            EnvelopeShape,
            Upsert,
            TurnEvent,
            StreamBMessage,
            UiUpsert,
            UiTurnEvent,
            ClientFrame,
            ServerMessage,
            CreateSession,
            SessionOpened,
            LoadSession,
            ForkSession,
            SendMessage,
            AttachFile,
            Attachment,
            MessageAccepted,
            SessionStatus,
            SessionList,
            HistoryPage,
            Queue,
            EditQueued,
            Rename,
            Configure,
            ApprovalList,
            SearchResults,
            AddProject,
            Project,
            ProjectList,
            KnownProjectList,
            DecideTrust,
            PathList,
            PermissionAnswer,
            ExchangeCode,
            BrowserKey,
            FreshAddress,
            Meta,
            AgentReport,
            Problem
        )
    };
}

/// A file that is generated and committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedFile {
    /// Where it lies, from the root of the repository.
    pub path: String,
    /// What is in it.
    pub contents: String,
}

/// Every generated file.
#[must_use]
pub fn files() -> Vec<GeneratedFile> {
    macro_rules! schemas {
        ($($root:ty),+) => { vec![$(schema::<$root>()),+] };
    }
    let mut files = each_root!(schemas);
    files.push(GeneratedFile { path: "web/src/gen/contracts.ts".to_owned(), contents: typescript() });
    files
}

fn schema<T: JsonSchema>() -> GeneratedFile {
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>();
    let contents = serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n";
    GeneratedFile { path: format!("schema/{}.schema.json", T::schema_name()), contents }
}

fn typescript() -> String {
    macro_rules! declare {
        ($($root:ty),+) => {{
            let mut declarations = Declarations::default();
            $( declarations.visit::<$root>(); )+
            declarations.by_name
        }};
    }
    let declarations = each_root!(declare);
    let mut text = "// Generated from the Rust types by `./x gen`. Do not edit.\n".to_owned();
    for declaration in declarations.values() {
        text.push_str("\nexport ");
        text.push_str(declaration);
        text.push('\n');
    }
    text
}

/// Walks from a type to everything it is made of.
#[derive(Default)]
struct Declarations {
    seen: HashSet<TypeId>,
    by_name: BTreeMap<String, String>,
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        let config = Config::default();
        if T::output_path().is_some() {
            self.by_name.insert(T::ident(&config), T::decl(&config));
        }
        T::visit_dependencies(self);
    }
}
