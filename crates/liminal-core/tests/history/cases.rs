//! The cases, by their directories.

use crate::directories::{names_in, one_test_each};
use crate::run::{check, fixtures};

one_test_each! {
    names_in(&fixtures());
    check;
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
    task_lists
    unknown_and_broken
}
