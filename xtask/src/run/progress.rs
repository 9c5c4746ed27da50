//! Cargo's progress bar, reduced to what a person wants to know: how many crates are built, of how many, and which
//! are next. Knows the form of cargo's output.

/// Lines of cargo that the counter replaces.
const REPLACED: [&str; 7] =
    ["Compiling", "Downloading", "Downloaded", "Updating", "Locking", "Adding", "Blocking"];

/// Prints one line that is overwritten on a terminal, and a line per tenth elsewhere.
#[derive(Debug)]
pub(super) struct Progress {
    is_terminal: bool,
    tenth: Option<usize>,
    is_line_open: bool,
}

/// What cargo's progress bar says.
#[derive(Debug, PartialEq)]
struct Bar<'a> {
    done: usize,
    all: usize,
    now: &'a str,
}

impl Progress {
    pub(super) fn new(is_terminal: bool) -> Self {
        Self { is_terminal, tenth: None, is_line_open: false }
    }

    /// Takes one line of cargo's standard error output.
    pub(super) fn read(&mut self, line: &str) {
        match bar(line) {
            Some(bar) => self.show(&bar),
            None if is_replaced(line) => (),
            None => self.pass_on(line),
        }
    }

    /// Call when the build has ended.
    pub(super) fn end(&mut self) {
        if std::mem::take(&mut self.is_line_open) {
            eprintln!();
        }
    }

    fn show(&mut self, bar: &Bar<'_>) {
        let text = text(bar);
        if self.is_terminal {
            eprint!("\r\x1b[K{text}");
            self.is_line_open = true;
        } else if self.tenth.replace(tenth(bar)) != Some(tenth(bar)) {
            eprintln!("{text}");
        }
    }

    fn pass_on(&mut self, line: &str) {
        self.end();
        eprintln!("{line}");
    }
}

fn text(bar: &Bar<'_>) -> String {
    let now: String = bar.now.chars().take(40).collect();
    format!("      {} of {} crates built; now: {now}", bar.done, bar.all)
}

fn tenth(bar: &Bar<'_>) -> usize {
    bar.done * 10 / bar.all.max(1)
}

/// Reads `Building [===>    ] 17/46: serde, tokio(build)`.
fn bar(line: &str) -> Option<Bar<'_>> {
    let (_, counted) = line.trim_start().strip_prefix("Building [")?.split_once("] ")?;
    let (counts, now) = counted.split_once(':').unwrap_or((counted, ""));
    let (done, all) = counts.trim().split_once('/')?;
    Some(Bar { done: done.parse().ok()?, all: all.parse().ok()?, now: now.trim() })
}

fn is_replaced(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || REPLACED.iter().any(|word| line.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_and_the_crates_are_read() {
        let line = "    Building [=====>      ] 17/46: serde_json(build.rs), tokio      ";
        assert_eq!(bar(line), Some(Bar { done: 17, all: 46, now: "serde_json(build.rs), tokio" }));
        assert_eq!(bar("    Building [=> ] 1/2"), Some(Bar { done: 1, all: 2, now: "" }));
        assert_eq!(bar("error: could not compile"), None);
        assert_eq!(bar("    Building [=> ] soon"), None);
    }

    #[test]
    fn errors_are_passed_on_and_names_of_crates_are_not() {
        assert!(is_replaced("   Compiling serde v1.0.229"));
        assert!(is_replaced("  "));
        assert!(!is_replaced("error[E0308]: mismatched types"));
        assert!(!is_replaced("warning: unused variable"));
    }

    #[test]
    fn a_line_fits_into_a_terminal() {
        let bar = Bar { done: 230, all: 231, now: &"liminal-builder, ".repeat(20) };
        assert!(text(&bar).len() <= 80, "{}", text(&bar));
        assert!(text(&bar).starts_with("      230 of 231 crates built; now: liminal-builder"));
    }
}
