//! The cases, by their directories.

use crate::directories::{names_in, one_test_each};
use crate::history::run::{check, fixtures};

one_test_each! {
    names_in(&fixtures());
    check;
    api_errors
    background_below_a_sub_agent
    background_cancelled_with_its_turn
    background_command
    background_command_stopped
    background_continued_by_message
    background_failed
    background_inside_a_turn
    background_nested_sub_agents
    background_of_a_killed_process
    background_stopped_by_agent
    background_stopped_by_user
    background_sub_agent
    background_sub_agent_asks
    background_two_sub_agents
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
