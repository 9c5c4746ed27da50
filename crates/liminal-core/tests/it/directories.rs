//! One test for each directory of fixtures, so that each can be run and fail by its name.

use std::path::Path;

/// A test for each name, and one that no directory was forgotten. They are sorted in both lists.
macro_rules! one_test_each {
    ($directories:expr; $check:path; $($name:ident)+) => {
        $(
            #[test]
            fn $name() {
                $check($crate::directories::of_test(stringify!($name)));
            }
        )+

        #[test]
        fn every_directory_has_its_test() {
            assert_eq!($directories, [$(stringify!($name)),+].map($crate::directories::of_test));
        }
    };
}
pub(crate) use one_test_each;

/// The directory of a test. Those of recordings begin with numbers, so their tests have a word in front.
pub(crate) fn of_test(name: &str) -> &str {
    name.strip_prefix("recording_").unwrap_or(name)
}

/// The names of what lies in a directory.
pub(crate) fn names_in(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
