//! The edges of the format, each cut at every byte.

use super::*;

const LIMIT: usize = 64;

fn read(pieces: &[&[u8]], limit: usize) -> Vec<SseItem> {
    let (mut reader, mut items) = (SseReader::new(limit), Vec::new());
    pieces.iter().for_each(|piece| reader.feed(piece, &mut items));
    items
}

fn event(event: &str, data: &str) -> SseItem {
    SseItem::Event(SseEvent { event: event.into(), data: data.into() })
}

/// Reads the bytes as a whole, cut in two at every place, and byte by byte.
fn check(bytes: &[u8], expected: &[SseItem]) {
    let shown = String::from_utf8_lossy(bytes);
    assert_eq!(read(&[bytes], LIMIT), expected, "{shown:?}");
    for at in 0..=bytes.len() {
        let (front, back) = bytes.split_at(at);
        assert_eq!(read(&[front, back], LIMIT), expected, "{shown:?} cut at {at}");
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(read(&single, LIMIT), expected, "{shown:?} byte by byte");
}

#[test]
fn an_event_is_told_at_its_empty_line() {
    check(b"event: a\ndata: one\n\n", &[event("a", "one")]);
    check(b"data: one\n\ndata: two\n\n", &[event("", "one"), event("", "two")]);
}

#[test]
fn lines_end_in_any_way_and_in_all_of_them() {
    let expected = [event("a", "one"), event("", "two")];
    check(b"event: a\r\ndata: one\r\n\r\ndata: two\r\n\r\n", &expected);
    check(b"event: a\rdata: one\r\rdata: two\r\r", &expected);
    check(b"event: a\r\ndata: one\r\n\ndata: two\r\r\n", &expected);
    check(b"event: a\ndata: one\r\n\r\n\r\n\r\ndata: two\n\n", &expected);
}

#[test]
fn a_byte_order_mark_is_skipped_at_the_beginning_only() {
    check(b"\xef\xbb\xbfdata: one\n\n", &[event("", "one")]);
    check(b"\xef\xbb\xbf\ndata: one\n\n", &[event("", "one")]);
    check(b"\n\xef\xbb\xbfdata: one\n\n", &[]);
}

#[test]
fn comments_and_unknown_fields_say_nothing() {
    check(
        b": ping\n\n:\n\ndata: one\n: in between\nid: 7\nretry: 10\nother: x\ndata\n\n",
        &[event("", "one\n")],
    );
}

#[test]
fn data_of_several_lines_is_joined() {
    check(b"data: {\"a\":\ndata: 1}\n\n", &[event("", "{\"a\":\n1}")]);
    check(b"data:\ndata:\n\n", &[event("", "\n")]);
    check(b"data\n\n", &[event("", "")]);
}

#[test]
fn only_one_space_behind_the_colon_is_taken() {
    check(
        b"data:one\n\ndata:  two\n\ndata: a: b\n\n",
        &[event("", "one"), event("", " two"), event("", "a: b")],
    );
}

#[test]
fn an_event_without_data_is_none_and_its_name_is_forgotten() {
    check(b"event: a\n\ndata: one\n\n", &[event("", "one")]);
}

#[test]
fn an_event_without_its_empty_line_is_not_told() {
    check(b"data: one\n\ndata: two\n", &[event("", "one")]);
    check(b"data: one\n\ndata: two", &[event("", "one")]);
    check(b"data: one\r", &[]);
}

#[test]
fn bytes_that_are_no_text_stay_as_they_are() {
    check(
        b"data: \xff\xfe\0\n\n",
        &[SseItem::Event(SseEvent { event: Vec::new(), data: b"\xff\xfe\0".to_vec() })],
    );
}

#[test]
fn an_event_that_is_too_long_is_lost_alone() {
    let long = [b"data: ".as_slice(), &[b'x'; 100], b"\n\ndata: next\n\n"].concat();
    check(&long, &[SseItem::TooLong { bytes: 106 }, event("", "next")]);
    let many = [b"data: 123456789\n".repeat(9).as_slice(), b"\ndata: next\n\n"].concat();
    let items = read(&[&many], LIMIT);
    assert!(matches!(items[..], [SseItem::TooLong { .. }, SseItem::Event(_)]), "{items:?}");
    check(&many, &items);
}

#[test]
fn memory_is_bounded_however_long_an_event_is() {
    let (mut reader, mut items) = (SseReader::new(LIMIT), Vec::new());
    reader.feed(b"data: ", &mut items);
    for _ in 0..1000 {
        reader.feed(&[b'x'; 1000], &mut items);
        reader.feed(b"\ndata: ", &mut items);
    }
    assert!(reader.line.capacity() + reader.kept() <= 2 * LIMIT);
    assert_eq!(items, []);
}
