//! Routes that read what was said: pages, whole outputs, exports, search. Owns their form.

use axum::Json;
use axum::extract::State;
use axum::http::header::{ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_RANGE, CONTENT_TYPE, RANGE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use liminal_core::error::ErrorCode;
use liminal_core::ids::{ItemId, SessionId};
use liminal_core::upsert::{Upsert, UpsertBody};
use liminal_core::wire::approvals::{SearchHit, SearchResults, SnippetPiece};
use liminal_core::wire::rest::HistoryPage;
use schemars::JsonSchema;
use serde::Deserialize;

use super::answers::{Ranges, Written};
use super::app::App;
use super::extract::{Path, Query};
use super::frames;
use super::operation::{Answer, Content, Give, Type};
use super::problem::ApiError;
use crate::export::{self, Format};
use crate::log::sqlite::{FOUND_END, FOUND_START, Hit};
use crate::log::{Entry, Head, Key, Limit, LogError, StreamLog};

const PAGE_ENTRIES: usize = 200;
const LARGEST_PAGE: usize = 1000;
const PAGE_BYTES: usize = 8 << 20;
const HITS: usize = 50;

/// Which page of a history; the newest one, if no place is given. At most one place may be.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Page {
    /// Where older items go on: `before` of the page after it.
    before: Option<u64>,
    /// Where newer items go on: `after` of the page before it.
    after: Option<u64>,
    /// The item that the page is about: those that appeared before and after it stand around it.
    around: Option<ItemId>,
    /// The most items that are wanted.
    limit: Option<usize>,
}

/// Neighbours in a history, and where it goes on after them.
struct Span {
    entries: Vec<Entry>,
    head: Head,
    after: Option<u64>,
}

pub(super) async fn history(
    State(app): State<App>,
    Path(id): Path<SessionId>,
    Query(page): Query<Page>,
) -> Result<Written<HistoryPage>, ApiError> {
    app.sessions().status(&id).await?;
    let (log, entries) = (&**app.sessions().log(), page.limit.unwrap_or(PAGE_ENTRIES));
    let limit = Limit { entries: entries.clamp(1, LARGEST_PAGE), bytes: PAGE_BYTES };
    let found = match (page.before, page.after, page.around) {
        (before, None, None) => older(log, &id, before, limit).await?,
        (None, Some(after), None) => newer(log, &id, after, limit).await?,
        (None, None, Some(item)) => around(log, &id, item, limit).await?,
        _ => {
            let problem = "choose one of before, after and around";
            return Err(ApiError::new(ErrorCode::InvalidRequest, problem));
        }
    };
    Ok(Written::new(found.json(&id)))
}

async fn older(
    log: &dyn StreamLog,
    id: &SessionId,
    before: Option<u64>,
    limit: Limit,
) -> Result<Span, LogError> {
    let page = log.history(id, before, limit).await?;
    let last = page.entries.last().map(|entry| entry.first_seq);
    let after = last.filter(|_| before.is_some_and(|before| before <= page.head.seq));
    Ok(Span { entries: page.entries, head: page.head, after })
}

async fn newer(log: &dyn StreamLog, id: &SessionId, after: u64, limit: Limit) -> Result<Span, LogError> {
    let page = log.later(id, after, limit).await?;
    let after = (page.through < page.head.seq).then_some(page.through);
    Ok(Span { entries: page.entries, head: page.head, after })
}

async fn around(log: &dyn StreamLog, id: &SessionId, item: ItemId, limit: Limit) -> Result<Span, ApiError> {
    let unknown = || ApiError::new(ErrorCode::ItemNotFound, "there is no such item in this session");
    let entry = log.entry(id, &Key::Item(item)).await?.ok_or_else(unknown)?;
    let half = Limit { entries: limit.entries.div_ceil(2), bytes: limit.bytes / 2 };
    let older = log.history(id, Some(entry.first_seq + 1), half).await?;
    let mut entries = older.entries;
    let rest = limit.entries - entries.len();
    // Whether there are newer ones is to be told also where there is no room for them.
    let looked = Limit { entries: rest.max(1), bytes: half.bytes };
    let mut newer = newer(log, id, entry.first_seq, looked).await?;
    if rest == 0 && newer.entries.pop().is_some() {
        newer.after = Some(entry.first_seq);
    }
    if newer.head.epoch != older.head.epoch {
        // The log began a new life between the two looks.
        return Err(unknown());
    }
    entries.extend(newer.entries);
    Ok(Span { entries, ..newer })
}

impl Span {
    fn json(&self, id: &SessionId) -> Vec<u8> {
        let Self { entries, head, after } = self;
        let before = entries.first().map(|entry| entry.first_seq).filter(|first| *first > head.floor + 1);
        let mut body = b"{\"sessionId\":".to_vec();
        body.extend(frames::json(id));
        frames::lists(&mut body, entries);
        body.extend_from_slice(b",\"epoch\":");
        body.extend(frames::json(&head.epoch));
        frames::number(&mut body, "seq", head.seq);
        for (name, place) in [("before", before), ("after", *after)] {
            if let Some(place) = place {
                frames::number(&mut body, name, place);
            }
        }
        body.push(b'}');
        body
    }
}

/// The full output of a tool, or a part of it.
pub(super) async fn output(
    State(app): State<App>,
    Path((id, item)): Path<(SessionId, ItemId)>,
    headers: HeaderMap,
) -> Result<Ranges, ApiError> {
    app.sessions().status(&id).await?;
    let entry = app.sessions().log().entry(&id, &Key::Item(item)).await?;
    let state = entry.and_then(|entry| serde_json::from_slice::<Upsert>(&entry.bytes).ok());
    let output = match state.map(|state| state.body) {
        Some(UpsertBody::ToolCall(call)) => call.tool_output.unwrap_or_default(),
        Some(UpsertBody::Message(message)) => message.content,
        Some(UpsertBody::Thinking(thinking)) => thinking.content,
        Some(UpsertBody::Plan(_) | UpsertBody::Permission(_)) | None => {
            return Err(ApiError::new(ErrorCode::ItemNotFound, "there is no such item with a text"));
        }
    };
    Ok(Ranges(ranged(output.into_bytes(), headers.get(RANGE))))
}

fn ranged(bytes: Vec<u8>, range: Option<&HeaderValue>) -> Response {
    let total = bytes.len();
    let asked = range.and_then(|range| range.to_str().ok()?.strip_prefix("bytes=")?.split_once('-'));
    let part = asked.map(|(from, to)| part(from, to, total));
    let plain = [(CONTENT_TYPE, "text/plain; charset=utf-8"), (ACCEPT_RANGES, "bytes")];
    match part {
        None => (plain, bytes).into_response(),
        Some(Some((from, to))) => {
            let range = [(CONTENT_RANGE, format!("bytes {from}-{}/{total}", to - 1))];
            let part = bytes.get(from..to).unwrap_or_default().to_vec();
            (StatusCode::PARTIAL_CONTENT, plain, range, part).into_response()
        }
        Some(None) => ApiError::outside(total).into_response(),
    }
}

/// From and up to where, of a range that lies inside.
fn part(from: &str, to: &str, total: usize) -> Option<(usize, usize)> {
    let (from, to) = match (from.parse::<usize>().ok(), to.parse::<usize>().ok()) {
        (Some(from), Some(to)) => (from, to.saturating_add(1).min(total)),
        (Some(from), None) => (from, total),
        (None, Some(last)) => (total.saturating_sub(last), total),
        (None, None) => return None,
    };
    (from < to).then_some((from, to))
}

/// Which form of an export.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Export {
    /// The form of the file.
    #[serde(default)]
    format: Format,
}

/// A conversation as a file.
#[derive(Debug)]
pub(super) struct Exported(Response);

impl IntoResponse for Exported {
    fn into_response(self) -> Response {
        self.0
    }
}

impl Give for Exported {
    const ANSWER: Answer = Answer {
        status: 200,
        content: Content::File(Type::of::<export::Document<'static>>(), Format::TEXTS),
    };
}

pub(super) async fn export(
    State(app): State<App>,
    Path(id): Path<SessionId>,
    Query(Export { format }): Query<Export>,
) -> Result<Exported, ApiError> {
    let status = app.sessions().status(&id).await?;
    let page = app.sessions().log().history(&id, None, Limit::NONE).await?;
    let text = export::write(format, &status, &page.entries);
    let name = format!("attachment; filename=\"{}.{}\"", id.as_str().replace(':', "-"), format.ending());
    let headers = [(CONTENT_TYPE, format.media_type().to_owned()), (CONTENT_DISPOSITION, name)];
    Ok(Exported((headers, text).into_response()))
}

/// What is looked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Search {
    /// The words; an item must hold all of them.
    #[serde(default)]
    q: String,
    /// The session to look in; without it, all of them.
    session_id: Option<SessionId>,
    /// The most items that are wanted.
    limit: Option<usize>,
}

pub(super) async fn search(
    State(app): State<App>,
    Query(search): Query<Search>,
) -> Result<Json<SearchResults>, ApiError> {
    let limit = search.limit.unwrap_or(HITS);
    // Counted first: what is indexed meanwhile may be counted and found, but nothing is missed unsaid.
    let not_indexed = app.sessions().database().not_indexed(search.session_id.as_ref()).await?;
    let found = app.sessions().database().search(&search.q, search.session_id.as_ref(), limit).await?;
    let mut hits = Vec::new();
    for hit in found {
        let row = app.sessions().store().session(&hit.session).await?;
        let (project_id, title) = row.map(|row| (row.project_id, row.title)).unwrap_or_default();
        let snippet = pieces(&hit);
        hits.push(SearchHit { session_id: hit.session, project_id, title, item_id: hit.item_id, snippet });
    }
    let elsewhere = elsewhere(&app, search.session_id.as_ref());
    let not_indexed = u32::try_from(not_indexed).ok().filter(|count| *count > 0);
    Ok(Json(SearchResults { hits, elsewhere, not_indexed }))
}

/// How many of the sessions that were meant are kept by other servers, and not here.
fn elsewhere(app: &App, only: Option<&SessionId>) -> Option<u32> {
    let records = app.sessions().others()?.records();
    let meant = records.iter().filter(|record| only.is_none_or(|only| record.session() == only));
    u32::try_from(meant.count()).ok().filter(|count| *count > 0)
}

/// The words between the marks are what was looked for.
fn pieces(hit: &Hit) -> Vec<SnippetPiece> {
    let mut pieces = Vec::new();
    for (index, part) in hit.snippet.split([FOUND_START, FOUND_END]).enumerate() {
        if !part.is_empty() {
            pieces.push(SnippetPiece { text: part.to_owned(), is_match: index % 2 == 1 });
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        for (from, to, expected) in [
            ("0", "4", Some((0, 5))),
            ("5", "", Some((5, 10))),
            ("", "3", Some((7, 10))),
            ("0", "99", Some((0, 10))),
            ("10", "", None),
            ("4", "3", None),
            ("", "", None),
            ("x", "y", None),
        ] {
            assert_eq!(part(from, to, 10), expected, "{from}-{to}");
        }
    }
}
