use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const LIMIT: usize = 16;

fn line(bytes: &[u8]) -> Frame {
    Frame::Line(Bytes::copy_from_slice(bytes))
}

fn too_long(bytes: u64) -> Frame {
    Frame::TooLong { bytes }
}

fn frames_of<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Frame> {
    let mut framer = LineFramer::new(LIMIT);
    let mut frames: Vec<Frame> = chunks.into_iter().flat_map(|chunk| framer.feed(chunk)).collect();
    frames.extend(framer.finish());
    frames
}

#[test]
fn cuts_lines_whatever_the_bytes_and_wherever_they_are_split() {
    let cases: Vec<(&[u8], Vec<Frame>)> = vec![
        (b"", vec![]),
        (b"\n", vec![line(b"")]),
        (b"one\ntwo\n", vec![line(b"one"), line(b"two")]),
        (b"one\ntail", vec![line(b"one"), line(b"tail")]),
        (b"one\r\n\r\ntwo\r", vec![line(b"one"), line(b""), line(b"two")]),
        (b"a\rb\n\rc\n", vec![line(b"a\rb"), line(b"\rc")]),
        (b"\xff\xfe\n\xed\xa0\x80\n", vec![line(b"\xff\xfe"), line(b"\xed\xa0\x80")]),
        (b"nul\0nul\n", vec![line(b"nul\0nul")]),
        (b"\xef\xbb\xbfone\n\xef\xbb\xbftwo\n", vec![line(b"one"), line(b"\xef\xbb\xbftwo")]),
        (b"\xef\xbb\xbf\r\nx\n", vec![line(b""), line(b"x")]),
        (b"\xef\xbb\xbf", vec![]),
        (b"\xef\xbb", vec![line(b"\xef\xbb")]),
        (b"0123456789abcdef\nx\n", vec![line(b"0123456789abcdef"), line(b"x")]),
        (b"0123456789abcdefg\nx\n", vec![too_long(17), line(b"x")]),
        (b"a\n0123456789abcdef0123456789abcdef", vec![line(b"a"), too_long(32)]),
    ];
    for (input, expected) in cases {
        for at in 0..=input.len() {
            let (left, right) = input.split_at(at);
            assert_eq!(frames_of([left, right]), expected, "{} split at {at}", input.escape_ascii());
        }
        assert_eq!(frames_of(input.chunks(1)), expected, "{} byte by byte", input.escape_ascii());
    }
}

#[test]
fn a_line_of_a_hundred_megabytes_costs_no_memory() {
    let limit = 1 << 20;
    let mut framer = LineFramer::new(limit);
    let chunk = vec![b'x'; 100_000];
    for _ in 0..1_000 {
        assert_eq!(framer.feed(&chunk), vec![]);
        assert!(framer.partial.capacity() <= limit, "{} bytes held", framer.partial.capacity());
    }
    assert_eq!(framer.partial.capacity(), 0);
    assert_eq!(framer.feed(b"\nnext\n"), vec![too_long(100_000_000), line(b"next")]);
}

proptest! {
    #[test]
    fn any_split_gives_the_same_frames(
        input in vec(prop_oneof![3 => Just(b'\n'), 2 => Just(b'\r'), 20 => any::<u8>()], 0..200),
        cuts in vec(0..200usize, 0..20),
    ) {
        prop_assert_eq!(frames_of(split_at_all(&input, cuts)), frames_of([input.as_slice()]));
    }

    #[test]
    fn short_lines_come_back_as_they_were(lines in vec(vec(b' '..b'~', 0..LIMIT), 0..20)) {
        let sent: Vec<u8> = lines.iter().flat_map(|line| [line.as_slice(), b"\n"].concat()).collect();
        prop_assert_eq!(frames_of([sent.as_slice()]), lines.iter().map(|each| line(each)).collect::<Vec<_>>());
    }
}

fn split_at_all(input: &[u8], mut cuts: Vec<usize>) -> Vec<&[u8]> {
    cuts.retain(|cut| *cut <= input.len());
    cuts.extend([0, input.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|pair| &input[pair[0]..pair[1]]).collect()
}
