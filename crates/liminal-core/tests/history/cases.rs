//! One test per directory, so that each can be run and fail by its name.

use crate::run::{check, fixtures};

macro_rules! cases {
    ($($name:ident)+) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )+

        #[test]
        fn every_directory_has_its_test() {
            let mut directories: Vec<String> = std::fs::read_dir(fixtures())
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            directories.sort();
            assert_eq!(directories, [$(stringify!($name)),+]);
        }
    };
}

cases! {
    api_errors
    branches_and_copies
    compaction
    compaction_without_boundary
    dangling_calls
    images
    interrupted
    late_result
    local_commands
    messages_during_work
    old_version_1
    parallel_results
    sample
    server_tools
    sub_agents
    sub_agents_in_main_file
    unknown_and_broken
}
