//! Full-text search over all sessions. Owns how a person's words become a query and how a hit is shown.

use std::collections::BTreeSet;

use liminal_core::ids::{ItemId, SessionId};
use rusqlite::{Connection, OptionalExtension, params};

use super::super::{Key, LogError};
use super::plain_text::{passages, plain_text};
use super::reader::session_row;
use super::rows;

/// Stands before what was found in a snippet.
pub const FOUND_START: char = '\u{2}';
/// Stands behind it.
pub const FOUND_END: char = '\u{3}';
/// Nobody reads more.
const MOST: usize = 200;
/// So many passages are looked at for each hit that is wanted.
const CANDIDATES: u64 = 16;

/// An item in which something was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The session it belongs to.
    pub session: SessionId,
    /// The item.
    pub item_id: ItemId,
    /// A few words around what was found, which stands between [`FOUND_START`] and [`FOUND_END`].
    pub snippet: String,
}

/// The newest hits for all of the words, the last of which may be only begun.
pub(super) fn search(
    connection: &Connection,
    query: &str,
    session: Option<&SessionId>,
    limit: usize,
) -> Result<Vec<Hit>, LogError> {
    let Some(expression) = expression(query) else { return Ok(Vec::new()) };
    let limit = limit.min(MOST);
    let Some((from, to)) = places(connection, session)? else { return Ok(Vec::new()) };
    let mut statement = connection.prepare_cached(
        "SELECT passage.place, passage.number FROM words JOIN passage ON passage.id = words.rowid
            WHERE words MATCH ?1 AND passage.place > ?3 AND passage.place < ?4 ORDER BY words.rowid DESC LIMIT ?2",
    )?;
    let show = Show::new(&expression)?;
    let most = rows::number(limit as u64 * CANDIDATES);
    let Some(candidates) = show.candidates(query)? else { return Ok(Vec::new()) };
    let mut rows = statement.query(params![candidates, most, from, to])?;
    let (mut hits, mut seen) = (Vec::new(), BTreeSet::new());
    while hits.len() < limit
        && let Some(row) = rows.next()?
    {
        let (place, number): (i64, i64) = (row.get(0)?, row.get(1)?);
        // Several passages of one item are one hit.
        if seen.contains(&place) {
            continue;
        }
        if let Some(hit) = show.hit(connection, place, usize::try_from(number).unwrap_or_default())? {
            seen.insert(place);
            hits.push(hit);
        }
    }
    Ok(hits)
}

/// Finished items of one session, or of all, that are not in the index yet.
pub(super) fn not_indexed(connection: &Connection, session: Option<&SessionId>) -> Result<u64, LogError> {
    let Some((from, to)) = places(connection, session)? else { return Ok(0) };
    let count: i64 = connection
        .prepare_cached("SELECT count(*) FROM unindexed WHERE place > ?1 AND place < ?2")?
        .query_row([from, to], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

/// Between which places to look: in one session, or everywhere. None if there is no such session.
fn places(connection: &Connection, session: Option<&SessionId>) -> Result<Option<(i64, i64)>, LogError> {
    let Some(session) = session else { return Ok(Some((i64::MIN, i64::MAX))) };
    let row = session_row(connection, session)?;
    Ok(row.map(|row| (rows::place(row.id, 0), rows::place(row.id + 1, 0))))
}

/// Every word as a quoted string, so that nothing in it is an operator.
fn expression(query: &str) -> Option<String> {
    let words = query.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric));
    let quoted: Vec<String> =
        words.map(|word| format!("\"{}\"", word.replace('\0', "").replace('"', "\"\""))).collect();
    (!quoted.is_empty()).then(|| format!("{}*", quoted.join(" ")))
}

/// Snippets. The index holds no texts, so the passage is put into an index of its own for a moment; that way the words
/// are marked by the same rules by which they were found.
struct Show<'a> {
    scratch: Connection,
    expression: &'a str,
}

impl<'a> Show<'a> {
    fn new(expression: &'a str) -> Result<Self, LogError> {
        let scratch = Connection::open_in_memory()?;
        scratch.execute_batch(
            "CREATE VIRTUAL TABLE found USING fts5 (text);
                CREATE VIRTUAL TABLE term USING fts5vocab (found, 'instance');",
        )?;
        Ok(Self { scratch, expression })
    }

    /// What the index is asked: it knows single words only, so that one such as `main.rs` is two there. Whether they
    /// stand together is seen when the passage is looked at.
    fn candidates(&self, query: &str) -> Result<Option<String>, LogError> {
        self.put(query)?;
        let mut statement = self.scratch.prepare("SELECT term FROM term ORDER BY offset")?;
        let terms = statement.query_map([], |row| row.get::<_, String>(0))?;
        let quoted: Vec<String> = terms
            .map(|term| Ok(format!("\"{}\"", term?.replace('"', "\"\""))))
            .collect::<rusqlite::Result<_>>()?;
        Ok((!quoted.is_empty()).then(|| format!("{}*", quoted.join(" "))))
    }

    fn put(&self, text: &str) -> Result<(), LogError> {
        self.scratch.prepare_cached("DELETE FROM found")?.execute([])?;
        self.scratch.prepare_cached("INSERT INTO found (text) VALUES (?1)")?.execute([text])?;
        Ok(())
    }

    fn hit(&self, connection: &Connection, place: i64, number: usize) -> Result<Option<Hit>, LogError> {
        let Some(entry) = rows::at(connection, place)? else { return Ok(None) };
        let Key::Item(item_id) = &entry.key else { return Ok(None) };
        let text = plain_text(&entry).unwrap_or_default();
        let passage = passages(&text).nth(number).unwrap_or_default();
        let name: Option<String> = connection
            .prepare_cached("SELECT name FROM session WHERE id = ?1")?
            .query_row([rows::session_of(place)], |row| row.get(0))
            .optional()?;
        let found = name.zip(self.snippet(passage)?);
        Ok(found.map(|(name, snippet)| Hit { session: name.into(), item_id: item_id.clone(), snippet }))
    }

    /// None if the words are not there as they were asked for.
    fn snippet(&self, passage: &str) -> Result<Option<String>, LogError> {
        let printable: String =
            passage.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        self.put(&printable)?;
        let snippet = self
            .scratch
            .prepare_cached("SELECT snippet(found, 0, ?1, ?2, '…', 24) FROM found WHERE found MATCH ?3")?
            .query_row([&FOUND_START.to_string(), &FOUND_END.to_string(), self.expression], |row| row.get(0))
            .optional()?;
        Ok(snippet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_a_person_types_is_an_operator() {
        let cases = [
            ("hello", Some("\"hello\"*")),
            ("two words", Some("\"two\" \"words\"*")),
            ("a OR NOT b", Some("\"a\" \"OR\" \"NOT\" \"b\"*")),
            ("say \"x\" NEAR(", Some("\"say\" \"\"\"x\"\"\" \"NEAR(\"*")),
            ("  \" * - ()  ", None),
            ("", None),
        ];
        for (query, expected) in cases {
            assert_eq!(expression(query).as_deref(), expected, "{query}");
        }
    }
}
