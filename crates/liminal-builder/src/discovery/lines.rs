//! Lines of a file of any size. Owns the bound: one line never costs more memory than the limit.

use std::io::{self, BufRead, Read};

/// A line, or the place where one was.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// A line without its end.
    Line(&'a [u8]),
    /// A line that was longer than the limit.
    TooLong,
}

#[derive(Debug)]
pub(super) struct Lines<R> {
    reader: R,
    limit: u64,
    buffer: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    pub(super) const fn new(reader: R, limit: u64) -> Self {
        Self { reader, limit, buffer: Vec::new() }
    }

    /// The next line; the last one may lack its end.
    pub(super) fn next(&mut self) -> io::Result<Option<Piece<'_>>> {
        self.buffer.clear();
        let room = self.limit.saturating_add(1);
        if self.reader.by_ref().take(room).read_until(b'\n', &mut self.buffer)? == 0 {
            return Ok(None);
        }
        if let Some(line) = self.buffer.strip_suffix(b"\n") {
            return Ok(Some(Piece::Line(line)));
        }
        if self.buffer.len() as u64 <= self.limit {
            return Ok(Some(Piece::Line(&self.buffer)));
        }
        self.reader.skip_until(b'\n')?;
        Ok(Some(Piece::TooLong))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_over_the_limit_is_left_out() {
        let mut lines = Lines::new(&b"1234\n12345\n\n1234567\nend"[..], 4);
        let mut found = Vec::new();
        while let Some(piece) = lines.next().unwrap() {
            found.push(match piece {
                Piece::Line(line) => String::from_utf8(line.to_vec()).unwrap(),
                Piece::TooLong => "too long".to_owned(),
            });
        }
        assert_eq!(found, ["1234", "too long", "", "too long", "end"]);
    }
}
