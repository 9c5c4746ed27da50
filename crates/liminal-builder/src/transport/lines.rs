//! Owns the cutting of a byte stream into lines, in bounded memory.
//! May not know about text encodings, pipes or time: it is fed bytes and returns frames.

use bytes::Bytes;
use memchr::memchr;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// One unit of the stream: a line without its ending, or word of a line that was dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A line without `\n` or `\r\n`; any bytes, also invalid UTF-8.
    Line(Bytes),
    /// A line above the limit was discarded; `bytes` is its length without the newline.
    TooLong { bytes: u64 },
}

/// Cuts bytes into lines; any split of the same bytes gives the same frames.
///
/// It never holds more than the limit: a longer line is counted and thrown away up to its newline.
#[derive(Debug)]
pub struct LineFramer {
    limit: usize,
    partial: Vec<u8>,
    discarded: Option<u64>,
    at_start: bool,
}

impl LineFramer {
    /// Accepts lines of up to `limit` bytes, a carriage return before the newline included.
    pub fn new(limit: usize) -> Self {
        Self { limit, partial: Vec::new(), discarded: None, at_start: true }
    }

    /// Takes the next bytes of the stream and returns the lines they complete.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Vec<Frame> {
        let mut frames = Vec::new();
        while let Some((line, rest)) = split_line(bytes) {
            frames.push(self.complete(line));
            bytes = rest;
        }
        self.hold(bytes);
        frames
    }

    /// Ends the stream: returns the last line if it had no newline.
    pub fn finish(&mut self) -> Option<Frame> {
        if self.partial.is_empty() && self.discarded.is_none() {
            return None;
        }
        let frame = self.complete(&[]);
        (frame != Frame::Line(Bytes::new())).then_some(frame)
    }

    fn complete(&mut self, end: &[u8]) -> Frame {
        let at_start = std::mem::replace(&mut self.at_start, false);
        self.hold(end);
        if let Some(bytes) = self.discarded.take() {
            return Frame::TooLong { bytes };
        }
        Frame::Line(trimmed(&Bytes::from(std::mem::take(&mut self.partial)), at_start))
    }

    fn hold(&mut self, bytes: &[u8]) {
        let total = self.partial.len() + bytes.len();
        match self.discarded.as_mut() {
            Some(discarded) => *discarded += bytes.len() as u64,
            None if total > self.limit => {
                self.discarded = Some(total as u64);
                self.partial = Vec::new();
            }
            None => self.extend(bytes, total),
        }
    }

    // `Vec` alone may double past the limit.
    fn extend(&mut self, bytes: &[u8], total: usize) {
        if total > self.partial.capacity() {
            let doubled = self.partial.capacity().saturating_mul(2).min(self.limit);
            self.partial.reserve_exact(doubled.max(total) - self.partial.len());
        }
        self.partial.extend_from_slice(bytes);
    }
}

fn split_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (line, rest) = bytes.split_at_checked(memchr(b'\n', bytes)?)?;
    Some((line, rest.get(1..)?))
}

fn trimmed(line: &Bytes, at_start: bool) -> Bytes {
    let from = if at_start && line.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let to = line.strip_suffix(b"\r").map_or(line.len(), <[u8]>::len);
    line.slice(from..to.max(from))
}

#[cfg(test)]
mod tests;
