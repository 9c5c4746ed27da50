//! One request and its answer. Owns what is read of an answer, in bounded memory and time; dropping it ends it.

use std::time::Duration;

use jiff::fmt::rfc2822::DateTimeParser;
use liminal_core::dialect::model_api::exchange::{EVENT_LIMIT, Record, payload_frame};
use liminal_core::dialect::sse::{SseItem, SseReader};
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, DATE, HeaderMap, HeaderName, RETRY_AFTER};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::endpoint::Endpoint;
use crate::transport::Frame;

/// Of an answer that is no stream, this much is read.
const BODY_LIMIT: usize = 64 * 1024;

pub(super) struct Exchange<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) frames: &'a mpsc::Sender<Frame>,
    pub(super) request: u64,
}

/// Nobody wants the frames any more.
struct Unheard;

impl Exchange<'_> {
    /// Makes the request and hands on all that comes of it.
    pub(super) async fn run(&self, body: Vec<u8>) {
        let end = match self.within(self.endpoint.post(body).send()).await {
            Ok(response) => self.answer(response).await,
            Err(problem) => Ok(self.failed(problem)),
        };
        if let Ok(record) = end {
            drop(self.record(&record).await);
        }
    }

    async fn answer(&self, response: Response) -> Result<Record, Unheard> {
        if !is_stream(&response) {
            return Ok(self.refused(response).await);
        }
        self.record(&Record::Begun { request: self.request }).await?;
        self.stream(response).await
    }

    async fn stream(&self, mut response: Response) -> Result<Record, Unheard> {
        let (mut reader, mut items) = (SseReader::new(EVENT_LIMIT), Vec::new());
        loop {
            match self.within(response.chunk()).await {
                Ok(Some(bytes)) => reader.feed(&bytes, &mut items),
                Ok(None) => return Ok(Record::Ended { request: self.request }),
                Err(problem) => return Ok(self.failed(problem)),
            }
            for item in items.drain(..) {
                self.hand_on(item).await?;
            }
        }
    }

    async fn hand_on(&self, item: SseItem) -> Result<(), Unheard> {
        match item {
            SseItem::Event(event) => self.line(payload_frame(event.data)).await,
            SseItem::TooLong { bytes } => {
                self.frames.send(Frame::TooLong { bytes }).await.map_err(|_| Unheard)
            }
        }
    }

    async fn refused(&self, mut response: Response) -> Record {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let mut body = Vec::new();
        while body.len() < BODY_LIMIT
            && let Ok(Some(bytes)) = self.within(response.chunk()).await
        {
            body.extend_from_slice(&bytes);
        }
        body.truncate(BODY_LIMIT);
        Record::Refused {
            request: self.request,
            status,
            retry_after_ms: retry_after(&headers),
            should_retry: header(&headers, "x-should-retry").and_then(|value| value.parse().ok()),
            body: String::from_utf8_lossy(&self.endpoint.without_secret(body)).into_owned(),
        }
    }

    async fn record(&self, record: &Record) -> Result<(), Unheard> {
        self.line(record.frame()).await
    }

    async fn line(&self, frame: Vec<u8>) -> Result<(), Unheard> {
        let line = self.endpoint.without_secret(frame).into();
        self.frames.send(Frame::Line(line)).await.map_err(|_| Unheard)
    }

    const fn failed(&self, problem: String) -> Record {
        Record::Failed { request: self.request, problem }
    }

    async fn within<T>(&self, step: impl Future<Output = reqwest::Result<T>>) -> Result<T, String> {
        let silence = self.endpoint.patience.silence;
        match timeout(silence, step).await {
            Ok(result) => result.map_err(|error| self.endpoint.told(error)),
            Err(_) => Err(format!("the API said nothing for {} seconds", silence.as_secs())),
        }
    }
}

fn is_stream(response: &Response) -> bool {
    let kind = header(response.headers(), CONTENT_TYPE.as_str()).unwrap_or_default();
    response.status().is_success() && kind.to_ascii_lowercase().starts_with("text/event-stream")
}

/// In seconds, or in the finer form that both APIs' own clients know, or as a date.
fn retry_after(headers: &HeaderMap) -> Option<u64> {
    let milliseconds = header(headers, "retry-after-ms").and_then(|value| value.parse::<f64>().ok());
    let seconds = || header(headers, RETRY_AFTER.as_str()).and_then(|value| value.parse::<f64>().ok());
    let wait = milliseconds.map(|value| value / 1000.0).or_else(seconds).or_else(|| until_date(headers))?;
    let wait = Duration::try_from_secs_f64(wait).ok()?;
    u64::try_from(wait.as_millis()).ok()
}

/// By the server's own clock, which told the date: ours may differ.
fn until_date(headers: &HeaderMap) -> Option<f64> {
    let date = |name: HeaderName| DateTimeParser::new().parse_timestamp(header(headers, name.as_str())?).ok();
    let wait = date(RETRY_AFTER)?.duration_since(date(DATE)?);
    Some(wait.as_secs_f64().max(0.0))
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_counts_from_the_answers_own() {
        let read = |told: &'static str, date: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, told.parse().unwrap());
            headers.extend(date.map(|date| (DATE, date.parse().unwrap())));
            retry_after(&headers)
        };
        let now = Some("Wed, 21 Oct 2026 07:27:30 GMT");
        assert_eq!(read("Wed, 21 Oct 2026 07:28:00 GMT", now), Some(30_000));
        assert_eq!(read("Wed, 21 Oct 2026 07:27:00 GMT", now), Some(0));
        assert_eq!(read("Wed, 21 Oct 2026 07:28:00 GMT", None), None);
        assert_eq!(read("tomorrow", now), None);
    }

    #[test]
    fn a_wait_is_read_in_both_forms() {
        let read = |name: &'static str, value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            retry_after(&headers)
        };
        assert_eq!(read("retry-after", "2"), Some(2000));
        assert_eq!(read("retry-after", "0.5"), Some(500));
        assert_eq!(read("retry-after-ms", "1500"), Some(1500));
        for nonsense in ["", "-1", "soon", "NaN", "inf", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            assert_eq!(read("retry-after", nonsense), None, "{nonsense}");
        }
    }
}
