//! What Redis does by itself, in one step each. Owns the scripts and how their answers are read.

use bytes::Bytes;
use liminal_core::ids::SessionId;
use redis::{FromRedisValue, Script, ScriptInvocation, Value, from_redis_value};

use super::super::{Entry, Head, LogError};
use super::packed;
use crate::redis_store::Keys;

macro_rules! script {
    ($name:literal) => {
        Script::new(concat!(include_str!("scripts/common.lua"), include_str!(concat!("scripts/", $name))))
    };
}

/// Every script, with its digest.
#[derive(Debug)]
pub(super) struct Scripts {
    pub(super) append: Script,
    pub(super) copy: Script,
    pub(super) head: Script,
    pub(super) read: Script,
    pub(super) history: Script,
    pub(super) later: Script,
    pub(super) trim: Script,
    pub(super) remove: Script,
    pub(super) record: Script,
    pub(super) own: Script,
}

impl Default for Scripts {
    fn default() -> Self {
        Self {
            append: script!("append.lua"),
            copy: script!("copy.lua"),
            head: script!("head.lua"),
            read: script!("read.lua"),
            history: script!("history.lua"),
            later: script!("later.lua"),
            trim: script!("trim.lua"),
            remove: script!("remove.lua"),
            record: script!("record.lua"),
            own: script!("own.lua"),
        }
    }
}

/// A call of a script with the keys of a session.
pub(super) fn call<'a>(script: &'a Script, keys: &Keys, session: &SessionId) -> ScriptInvocation<'a> {
    let mut call = script.prepare_invoke();
    for key in [Keys::meta, Keys::items, Keys::seqs, Keys::firsts, Keys::out, Keys::events] {
        call.key(key(keys, session));
    }
    call
}

/// What a script that changes something answers.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Verdict {
    /// It is done; what the script says beside it.
    Done(Vec<Value>),
    /// It was not, because the log is not where the caller took it to be.
    Elsewhere(Vec<Value>),
}

impl Verdict {
    pub(super) fn of(answer: Vec<Value>) -> Result<Self, LogError> {
        let mut answer = answer.into_iter();
        let verdict: i64 = field(answer.next())?;
        match verdict {
            0 => Ok(Self::Done(answer.collect())),
            1 => Ok(Self::Elsewhere(answer.collect())),
            2 => Err(LogError::Fenced),
            _ => Err(unexpected()),
        }
    }

    /// For scripts that leave nothing undone.
    pub(super) fn done(self) -> Result<Vec<Value>, LogError> {
        match self {
            Self::Done(rest) => Ok(rest),
            Self::Elsewhere(_) => Err(unexpected()),
        }
    }
}

/// The head in an answer of `epoch seq floor`.
pub(super) fn head(answer: &mut impl Iterator<Item = Value>) -> Result<Head, LogError> {
    let epoch: String = field(answer.next())?;
    Ok(Head { epoch: epoch.into(), seq: field(answer.next())?, floor: field(answer.next())? })
}

/// What a reading script found.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) head: Head,
    pub(super) is_cut: bool,
    pub(super) entries: Vec<Entry>,
}

impl Found {
    /// None where there is no log.
    pub(super) fn of(answer: Vec<Value>) -> Result<Option<Self>, LogError> {
        if answer.is_empty() {
            return Ok(None);
        }
        let mut answer = answer.into_iter();
        let head = head(&mut answer)?;
        let is_cut = field::<i64>(answer.next())? == 1;
        let Some(Value::Array(found)) = answer.next() else { return Err(unexpected()) };
        let mut found = found.into_iter();
        let mut entries = Vec::new();
        while let Some(key) = found.next() {
            let Some(Value::BulkString(state)) = found.next() else { return Err(unexpected()) };
            entries.push(packed::read(&field::<String>(Some(key))?, &Bytes::from(state))?);
        }
        Ok(Some(Self { head, is_cut, entries }))
    }
}

pub(super) fn field<T: FromRedisValue>(value: Option<Value>) -> Result<T, LogError> {
    value.and_then(|value| from_redis_value(value).ok()).ok_or_else(unexpected)
}

pub(super) fn unexpected() -> LogError {
    LogError::Failed(
        "Redis gave an answer that makes no sense; look whether something else uses the same keys".to_owned(),
    )
}
