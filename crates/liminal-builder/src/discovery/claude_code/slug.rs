//! The name of a project's directory. Owns the one rule that Claude Code makes it by.

use std::iter;

/// Longer names are cut here and told apart by a hash.
const LENGTH: usize = 200;

/// The name that Claude Code gives to the directory with a project's sessions.
#[must_use]
pub fn project_slug(path: &str) -> String {
    let mut slug: String = path.encode_utf16().map(slug_character).collect();
    if slug.len() > LENGTH {
        slug.truncate(LENGTH);
        slug.push('-');
        slug.push_str(&base_36(hash(path).unsigned_abs()));
    }
    slug
}

/// JavaScript sees UTF-16: a character outside the basic plane counts as two.
fn slug_character(unit: u16) -> char {
    let character = char::from_u32(u32::from(unit)).filter(char::is_ascii_alphanumeric);
    character.unwrap_or('-')
}

fn hash(path: &str) -> i32 {
    path.encode_utf16().fold(0, |hash: i32, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

fn base_36(number: u32) -> String {
    let quotients = iter::successors(Some(number), |rest| Some(rest / 36).filter(|rest| *rest > 0));
    let digits: Vec<char> = quotients.filter_map(|rest| char::from_digit(rest % 36, 36)).collect();
    digits.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_what_claude_code_makes_of_a_path() {
        for (path, slug) in [
            ("/home/dev/project", "-home-dev-project"),
            ("/srv/sl ug/a.b_c-d/Ünï", "-srv-sl-ug-a-b-c-d--n-"),
            ("/a/\u{1f600}", "-a---"),
            ("", ""),
        ] {
            assert_eq!(project_slug(path), slug, "{path}");
        }
    }

    #[test]
    fn a_long_slug_ends_in_a_hash() {
        let path = format!("/{}", "a".repeat(199));
        assert_eq!(project_slug(&path), format!("-{}", "a".repeat(199)));
        let path = format!("/{}", "a".repeat(200));
        assert_eq!(project_slug(&path), format!("-{}-b6ymvl", "a".repeat(199)));
    }

    #[test]
    fn the_hash_is_javascripts() {
        assert_eq!(hash("hello"), 99_162_322);
        assert_eq!(base_36(0), "0");
        assert_eq!(base_36(35), "z");
        assert_eq!(base_36(36), "10");
        assert_eq!(base_36(i32::MIN.unsigned_abs()), "zik0zk");
    }
}
