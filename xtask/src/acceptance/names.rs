//! Names of tests in sources, and the ids of acceptance cases in them: `tc_3_1b_tc_6_1e_…` and `sb_09_…` in Rust, `TC-8.1a` in
//! the titles of browser tests.

/// What finds the names of tests in a file of this kind.
pub(super) fn finder(path: &str) -> Option<fn(&str) -> Vec<String>> {
    if path.ends_with(".rs") {
        return Some(identifiers);
    }
    let is_test = path.ends_with(".spec.ts") || path.ends_with(".test.ts") || path.ends_with(".test.tsx");
    is_test.then_some(titles)
}

/// Identifiers that begin with an id. Macros make tests of some, so not all follow `fn`.
fn identifiers(source: &str) -> Vec<String> {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let words =
        code.flat_map(|line| line.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_'));
    let is_name = |word: &&str| (word.starts_with("tc_") || word.starts_with("sb_")) && !is_bare(word);
    words.filter(is_name).map(str::to_owned).collect()
}

/// Whether it is nothing but an id, as fixtures are called.
fn is_bare(word: &str) -> bool {
    word.split('_').all(|part| part == "tc" || part == "sb" || is_number(part) || is_case(part))
}

/// The titles of tests that name a case.
fn titles(source: &str) -> Vec<String> {
    let found = source.lines().filter_map(|line| {
        let (_, rest) = line.trim_start().strip_prefix("test(")?.split_once('\'')?;
        let (title, _) = rest.split_once("',")?;
        title.contains("TC-").then(|| title.replace("\\'", "'").replace('|', "\\|"))
    });
    found.collect()
}

/// The ids in a name.
pub(super) fn ids(name: &str) -> Vec<String> {
    let parts: Vec<&str> = name.split(['_', '-', '.', ' ', ',', ':']).collect();
    let cases = parts.windows(3).filter_map(|window| match window {
        ["tc" | "TC", area, case] if is_number(area) && is_case(case) => Some(format!("TC-{area}.{case}")),
        _ => None,
    });
    let messages = parts.windows(2).filter_map(|window| match window {
        ["sb", number] if number.len() == 2 && is_number(number) => Some(format!("SB-{number}")),
        _ => None,
    });
    cases.chain(messages).collect()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Such as `1a`.
fn is_case(text: &str) -> bool {
    let Some((last, number)) = text.as_bytes().split_last() else { return false };
    last.is_ascii_lowercase() && !number.is_empty() && number.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_in_names_of_both_kinds() {
        assert_eq!(ids("tc_3_1b_tc_6_1e_loading"), ["TC-3.1b", "TC-6.1e"]);
        assert_eq!(ids("sb_09_batch_timeout"), ["SB-09"]);
        assert_eq!(ids("TC-8.1a Claude Code: streams"), ["TC-8.1a"]);
        assert!(ids("a_tc_of_1_a").is_empty());
    }

    #[test]
    fn comments_and_other_words_are_no_tests() {
        let source =
            "// tc_1_1a_gone\nboth_pins!(tc_1_1b_here, other);\nfn tc_1_1c_too() { run(\"tc_1_1d\") }\n";
        assert_eq!(identifiers(source), ["tc_1_1b_here", "tc_1_1c_too"]);
        let source = "  test('TC-8.1a it\\'s here', async () => {\n  // TC-8.1b\n";
        assert_eq!(titles(source), ["TC-8.1a it's here"]);
    }
}
