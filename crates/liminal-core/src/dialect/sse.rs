//! Server-sent events, read from bytes that may be cut anywhere. Owns the rules of that format and how much of one
//! event is kept; knows nothing of connections and of what the events say.
//!
//! As browsers read it: lines end in LF, CR or both, a byte order mark may come first, lines that begin with a colon
//! are comments, the lines of `data` are joined by LF, and an event is told at the empty line behind it. An event that
//! the stream ends in is never told: nobody knows whether it is whole.

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What came of the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SseItem {
    /// An event.
    Event(SseEvent),
    /// An event that was longer than allowed, and is lost.
    TooLong {
        /// How many bytes it had up to its end.
        bytes: u64,
    },
}

/// One event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// Its type; empty where the stream does not say one.
    pub event: Vec<u8>,
    /// What it says.
    pub data: Vec<u8>,
}

/// Reads events from bytes; any cuts of the same bytes give the same events. It never holds much more than the limit.
#[derive(Debug)]
pub struct SseReader {
    limit: usize,
    line: Vec<u8>,
    event: Vec<u8>,
    data: Option<Vec<u8>>,
    /// The bytes of an event that is too long; whether the line is empty is all that is kept of it.
    lost: Option<u64>,
    is_line_empty: bool,
    is_first_line: bool,
    was_carriage_return: bool,
}

impl SseReader {
    /// A reader at the beginning of a stream that keeps so many bytes of an event.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            event: Vec::new(),
            data: None,
            lost: None,
            is_line_empty: true,
            is_first_line: true,
            was_carriage_return: false,
        }
    }

    /// Takes the next bytes and adds what they complete to `out`.
    pub fn feed(&mut self, mut bytes: &[u8], out: &mut Vec<SseItem>) {
        while let Some((&first, rest)) = bytes.split_first() {
            if std::mem::take(&mut self.was_carriage_return) && first == b'\n' {
                bytes = rest;
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let Some((line, rest)) = end.and_then(|end| bytes.split_at_checked(end)) else {
                return self.hold(bytes);
            };
            self.hold(line);
            self.end_line(out);
            self.was_carriage_return = rest.first() == Some(&b'\r');
            bytes = rest.get(1..).unwrap_or_default();
        }
    }

    fn hold(&mut self, bytes: &[u8]) {
        self.is_line_empty &= bytes.is_empty();
        if let Some(lost) = &mut self.lost {
            *lost += bytes.len() as u64;
            return;
        }
        let total = self.line.len() + self.kept() + bytes.len();
        if total > self.limit {
            self.lost = Some(total as u64);
            (self.line, self.event, self.data) = (Vec::new(), Vec::new(), None);
            return;
        }
        self.line.extend_from_slice(bytes);
    }

    fn kept(&self) -> usize {
        self.event.len() + self.data.as_ref().map_or(0, Vec::len)
    }

    fn end_line(&mut self, out: &mut Vec<SseItem>) {
        let is_empty = std::mem::replace(&mut self.is_line_empty, true);
        let is_first = std::mem::take(&mut self.is_first_line);
        if self.lost.is_some() {
            if is_empty {
                out.extend(self.lost.take().map(|bytes| SseItem::TooLong { bytes }));
            }
            return;
        }
        let mut buffer = std::mem::take(&mut self.line);
        let marked = buffer.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first);
        let line = marked.unwrap_or(&buffer);
        if line.is_empty() {
            self.end_event(out);
        } else {
            self.field(line);
        }
        buffer.clear();
        self.line = buffer;
    }

    fn field(&mut self, line: &[u8]) {
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (name, value) = line.split_at_checked(colon).unwrap_or((line, b""));
        let value = value.strip_prefix(b":").unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"event" => value.clone_into(&mut self.event),
            b"data" => match &mut self.data {
                None => self.data = Some(value.to_owned()),
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
            },
            // `id` and `retry` are for clients that connect again by themselves; a comment has no name.
            _ => {}
        }
    }

    fn end_event(&mut self, out: &mut Vec<SseItem>) {
        let event = std::mem::take(&mut self.event);
        out.extend(self.data.take().map(|data| SseItem::Event(SseEvent { event, data })));
    }
}

#[cfg(test)]
mod tests;
