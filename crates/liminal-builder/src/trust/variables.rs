//! Files of variables. Owns which lines set one, as dotenv reads them.

/// The names of the variables that a file sets.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(name)
}

/// `NAME=value`, `NAME: value`, either with `export` in front.
fn name(line: &str) -> Option<&str> {
    let line = line.trim();
    let line = line.strip_prefix("export").filter(|rest| rest.starts_with([' ', '\t'])).unwrap_or(line);
    let line = line.trim_start();
    let is_part = |character: char| character.is_alphanumeric() || "_.-".contains(character);
    let end = line.find(|character| !is_part(character))?;
    let (name, rest) = line.split_at_checked(end)?;
    let is_set = rest.trim_start().starts_with(['=', ':']);
    (is_set && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_set_a_variable_counts() {
        let text = "# A=1\n\nA=1\n export B = 2\nC: 3\nexport\tD=4\nexported=5\nword\n= 6\n";
        assert_eq!(names(text).collect::<Vec<_>>(), ["A", "B", "C", "D", "exported"]);
    }
}
