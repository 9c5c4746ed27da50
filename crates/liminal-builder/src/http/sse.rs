//! Streams of server-sent events. Owns their form: an id that is a cursor, so that a client that comes back goes on
//! where it was; what is sent is the feed's business.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{Extension, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};
use liminal_core::envelope::StreamEventEnvelope;
use liminal_core::ids::SessionId;
use liminal_core::wire::{Resume, ServerMessage};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::answers::Events;
use super::app::App;
use super::credentials::Caller;
use super::extract::{Path, Query};
use super::feed::{Feed, Frame};
use super::frames;
use super::problem::ApiError;
use crate::log::{Cursor, EventLog};
use crate::metrics::Counted;
use crate::sessions::Followed;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// Proxies and browsers give up on a silent connection after about a minute.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// How long a browser waits before it comes back.
const RETRY: Duration = Duration::from_millis(500);
const EVENTS_AT_ONCE: usize = 256;

/// Where to begin.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Place {
    /// The cursor of the last frame applied, `<epoch>.<seq>`; without it everything is sent.
    after: Option<String>,
}

/// A session's items and turns as they change.
pub(super) async fn upserts(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<SessionId>,
    Query(place): Query<Place>,
    headers: HeaderMap,
) -> Result<Events<ServerMessage>, ApiError> {
    let logged_out = app.logged_out(caller);
    let after = begin(&headers, place);
    let followed = app.sessions().follow(&id, after.as_deref()).await?;
    let (head, resume) = (followed.subscription.head(), followed.subscription.resume());
    let hello = json!({ "resume": resume, "epoch": head.epoch, "seq": head.seq });
    let feed = Feed::new(id, followed, None, app.sessions().metrics().subscriber());
    let changes = stream::unfold(feed, |mut feed| async move {
        let mut frames = feed.next().await.ok()?;
        // The id of a history tells the same.
        frames.retain(|frame| frame.kind != frames::SUBSCRIBED);
        Some((stream::iter(frames.into_iter().map(event)), feed))
    });
    let first = stream::iter([hello_event(&hello)]);
    Ok(Events::new(answer(app, logged_out, first.chain(changes.flatten()))))
}

/// A session's canonical events as they happen.
pub(super) async fn events(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<SessionId>,
    Query(place): Query<Place>,
    headers: HeaderMap,
) -> Result<Events<StreamEventEnvelope>, ApiError> {
    let logged_out = app.logged_out(caller);
    let Followed { subscription, .. } = app.sessions().follow(&id, None).await?;
    let epoch = subscription.head().epoch;
    let asked = begin(&headers, place);
    let asked = asked.as_deref().and_then(|cursor| number(cursor, &epoch));
    let log: &dyn EventLog = &**app.sessions().events();
    let after = match asked {
        Some(after) if goes_on(log, &id, after).await => Some(after),
        Some(_) | None => None,
    };
    let resume = if after.is_some() { Resume::Ok } else { Resume::Reset };
    let hello = hello_event(&json!({ "resume": resume, "epoch": epoch }));
    let counted = app.sessions().metrics().subscriber();
    let reader = EventReader { app: app.clone(), id, after: after.unwrap_or_default(), _counted: counted };
    let changes = stream::unfold(reader, |mut reader| async move {
        let events = reader.next().await?;
        Some((stream::iter(events), reader))
    });
    let epoch = epoch.to_string();
    let events = changes.flatten().map(move |(number, bytes)| canonical(&epoch, number, &bytes));
    Ok(Events::new(answer(app, logged_out, stream::iter([hello]).chain(events))))
}

/// Whether nothing is missing behind a place: old events are given up, and some places were never reached.
async fn goes_on(log: &dyn EventLog, id: &SessionId, after: u64) -> bool {
    let Ok(events) = log.events(id, after.saturating_sub(1), 1).await else { return false };
    // One that is not kept any more is no loss to whoever has it, as long as the next one is.
    let next = after.saturating_add(1);
    events.first().map_or(after == 0, |(number, _)| (after..=next).contains(number))
}

/// Reads on whenever there is more.
struct EventReader {
    app: App,
    id: SessionId,
    after: u64,
    _counted: Counted,
}

impl EventReader {
    async fn next(&mut self) -> Option<Vec<(u64, Bytes)>> {
        // Told first and read afterwards, so that nothing falls in between.
        let log: &dyn EventLog = &**self.app.sessions().events();
        let mut more = log.follow(&self.id);
        loop {
            let events = log.events(&self.id, self.after, EVENTS_AT_ONCE).await.ok()?;
            if let Some((last, _)) = events.last() {
                self.after = *last;
                return Some(events);
            }
            more.changed().await.ok()?;
        }
    }
}

/// The header wins: browsers send it when they come back to the address with the old place in it.
fn begin(headers: &HeaderMap, place: Place) -> Option<String> {
    let header = headers.get(LAST_EVENT_ID).and_then(|value| value.to_str().ok());
    header.map(str::to_owned).or(place.after)
}

fn number(cursor: &str, epoch: &str) -> Option<u64> {
    let cursor: Cursor = cursor.parse().ok()?;
    (*cursor.epoch == *epoch).then_some(cursor.seq)
}

fn hello_event(hello: &serde_json::Value) -> Event {
    Event::default().event("hello").retry(RETRY).data(hello.to_string())
}

fn event(frame: Frame) -> Event {
    let event = Event::default().event(frame.kind).data(text(&frame.bytes));
    match frame.cursor {
        Some(cursor) => event.id(cursor.to_string()),
        None => event,
    }
}

fn canonical(epoch: &str, number: u64, bytes: &Bytes) -> Event {
    Event::default().event("event").id(format!("{epoch}.{number}")).data(text(bytes))
}

fn text(bytes: &Bytes) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Ends with the server, so that stopping it does not wait for readers, and with the credential that opened it.
fn answer(
    app: App,
    logged_out: impl Future<Output = ()> + Send + 'static,
    events: impl Stream<Item = Event> + Send + 'static,
) -> Response {
    let ended = async move {
        tokio::select! {
            () = app.stopping() => {}
            () = logged_out => {}
        }
    };
    let events = events.take_until(Box::pin(ended)).map(Ok::<_, Infallible>);
    let mut response = Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response();
    let headers = response.headers_mut();
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    response
}
