//! How well a path fits what was typed. Owns the order; knows nothing of files.

/// How well a path fits: the more, the better. Nothing if the letters do not all occur in it, in order. `query` is in lower
/// case.
pub(super) fn score(path: &str, query: &str) -> Option<i64> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let in_name = letters(name, query).map(|points| points + 50 + whole(name, query));
    let points = in_name.or_else(|| letters(path, query).map(|points| points + whole(path, query)))?;
    // Of two that fit alike, the shorter one was meant.
    Some(points * 1000 - i64::try_from(path.chars().count()).unwrap_or(1000).min(1000))
}

/// Points for having all letters in one piece, most of all at the beginning.
fn whole(text: &str, query: &str) -> i64 {
    let pieces = i64::try_from(query.chars().count()).unwrap_or(0);
    let text = text.to_lowercase();
    match text.find(query) {
        Some(0) => 12 * pieces,
        Some(_) => 3 * pieces,
        None => 0,
    }
}

/// Points for letters that follow each other, and for those that begin a word.
fn letters(text: &str, query: &str) -> Option<i64> {
    let mut points = 0;
    let mut wanted = query.chars().peekable();
    let (mut before, mut was_hit) = ('/', false);
    for character in text.chars() {
        let Some(next) = wanted.peek() else { break };
        let is_hit = character.to_lowercase().eq([*next]);
        if is_hit {
            wanted.next();
            points += 1 + if was_hit { 4 } else { 0 } + if begins(before, character) { 6 } else { 0 };
        }
        (before, was_hit) = (character, is_hit);
    }
    wanted.peek().is_none().then_some(points)
}

fn begins(before: char, character: char) -> bool {
    !before.is_alphanumeric() || (before.is_lowercase() && character.is_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best<'a>(query: &str, paths: &[&'a str]) -> Vec<&'a str> {
        let mut found: Vec<_> =
            paths.iter().filter_map(|path| score(path, query).map(|points| (-points, *path))).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, path)| path).collect()
    }

    #[test]
    fn what_was_most_likely_meant_comes_first() {
        let paths =
            ["src/main.rs", "src/domain/remains.rs", "src/config.rs", "docs/main-ideas.md", "m/a/i/n.rs"];
        assert_eq!(best("main", &paths).first(), Some(&"src/main.rs"));
        let apart = ["src/parse_macro_input.rs", "src/domain.rs", "src/main.rs"];
        assert_eq!(best("main", &apart), ["src/main.rs", "src/domain.rs", "src/parse_macro_input.rs"]);
        assert_eq!(best("cfg", &paths), ["src/config.rs"]);
        assert_eq!(best("srcconf", &paths), ["src/config.rs"]);
        assert_eq!(best("zzz", &paths), Vec::<&str>::new());
        assert_eq!(best("", &["bb", "a"]), ["a", "bb"]);
    }
}
