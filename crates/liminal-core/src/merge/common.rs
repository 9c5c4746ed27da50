//! The longest common subsequence of two lists. Owns how much is compared: lists are nearly equal, so most of it is
//! found at their ends.

/// Lists whose middles have more pairs than this are not compared in full.
const MOST_PAIRS: usize = 4 << 20;

/// For each place of `right`, the place of the same element in `left`. Both rise together.
pub(super) fn subsequence(
    left: usize,
    right: usize,
    is_same: impl Fn(usize, usize) -> bool,
) -> Vec<Option<usize>> {
    let most = left.min(right);
    let start = (0..most).take_while(|place| is_same(*place, *place)).count();
    let is_same_from_end = |count: &usize| is_same(left - 1 - count, right - 1 - count);
    let end = (0..most - start).take_while(is_same_from_end).count();
    let middle = middle(start..left - end, start..right - end, &is_same);
    let ends = (left - end..left).map(Some);
    (0..start).map(Some).chain(middle).chain(ends).collect()
}

type Places = std::ops::Range<usize>;

fn middle(left: Places, right: Places, is_same: &impl Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
    if left.len().saturating_mul(right.len()) > MOST_PAIRS {
        return in_order(left, right, is_same);
    }
    let lengths = Lengths::of(&left, &right, is_same);
    let (mut at, mut found) = (left.start, Vec::with_capacity(right.len()));
    for place in right.clone() {
        // Elements of the left that no longest subsequence needs from here on are passed over.
        let same = (at..left.end)
            .take_while(|other| lengths.at(*other, place) == lengths.at(at, place))
            .find(|other| {
                is_same(*other, place) && lengths.at(*other + 1, place + 1) + 1 == lengths.at(at, place)
            });
        found.push(same);
        at = same.map_or(at, |same| same + 1);
    }
    found
}

/// How long the common subsequence of each pair of rests is.
struct Lengths {
    left: usize,
    right: usize,
    width: usize,
    lengths: Vec<u32>,
}

impl Lengths {
    fn of(left: &Places, right: &Places, is_same: &impl Fn(usize, usize) -> bool) -> Self {
        let width = right.len() + 1;
        let lengths = vec![0; (left.len() + 1) * width];
        let mut table = Self { left: left.start, right: right.start, width, lengths };
        for one in left.clone().rev() {
            for other in right.clone().rev() {
                let length = if is_same(one, other) {
                    table.at(one + 1, other + 1) + 1
                } else {
                    table.at(one + 1, other).max(table.at(one, other + 1))
                };
                let place = table.place(one, other);
                table.lengths.get_mut(place).into_iter().for_each(|cell| *cell = length);
            }
        }
        table
    }

    fn at(&self, left: usize, right: usize) -> u32 {
        self.lengths.get(self.place(left, right)).copied().unwrap_or_default()
    }

    const fn place(&self, left: usize, right: usize) -> usize {
        (left - self.left) * self.width + (right - self.right)
    }
}

/// A common subsequence that may not be the longest one.
fn in_order(left: Places, right: Places, is_same: &impl Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
    let mut at = left.start;
    let mut find = |place: usize| {
        let same = (at..left.end).find(|other| is_same(*other, place))?;
        at = same + 1;
        Some(same)
    };
    right.map(&mut find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(left: &str, right: &str) -> String {
        let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
        let places = subsequence(left.len(), right.len(), |one, other| left[one] == right[other]);
        assert_eq!(places.len(), right.len());
        let found: Vec<usize> = places.iter().copied().flatten().collect();
        assert!(found.is_sorted_by(|one, other| one < other), "{found:?}");
        assert!(
            places.iter().zip(&right).all(|(place, other)| place.is_none_or(|place| left[place] == *other))
        );
        found.into_iter().map(|place| left[place]).collect()
    }

    #[test]
    fn the_longest_common_subsequence_is_found() {
        for (left, right, expected) in [
            ("", "", ""),
            ("", "abc", ""),
            ("abc", "abc", "abc"),
            ("abc", "abcd", "abc"),
            ("bcd", "abcd", "bcd"),
            ("pl", "pyly", "pl"),
            ("abxcy", "aybcx", "abx"),
            ("xmjyauz", "mzjawxu", "mjau"),
        ] {
            assert_eq!(common(left, right).len(), expected.len(), "{left} {right}");
        }
    }

    #[test]
    fn elements_at_the_start_are_preferred() {
        assert_eq!(
            subsequence(2, 4, |one, other| ["p", "y"][one] == ["p", "y", "l", "y"][other])[1],
            Some(1)
        );
    }

    #[test]
    fn long_lists_are_compared_in_order() {
        assert_eq!(in_order(0..3, 0..3, &|one, other| one == other), [Some(0), Some(1), Some(2)]);
        assert_eq!(in_order(0..3, 0..3, &|one, other| one + 1 == other), [None, Some(0), Some(1)]);
    }
}
