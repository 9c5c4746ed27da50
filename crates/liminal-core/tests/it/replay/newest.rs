//! One test per recording of the newest version of Claude Code, made of the same scenarios as those of the older one.

use crate::replay::recordings::check_in;
use crate::replay::snapshots::{Folder, recordings};

pub(crate) const FOLDER: Folder = Folder("claude-newest");

fn check(name: &str) {
    check_in(&FOLDER, name);
}

recordings! {
    recording_80_question_answered
    recording_80b_question_refused
    recording_80c_question_cancelled
    recording_81_two_pending_permissions
    recording_81b_two_pending_permissions_cancelled
    recording_82_deny_and_stop
    recording_83_allow_for_session_then_again
    recording_84_sub_agent_asks
    recording_84b_sub_agent_asks_cancelled
    recording_85_compact
    recording_85b_compact_too_early
    recording_86_clear
    recording_87_unknown_command
    recording_88_long_answer
    recording_89_stream_breaks_after_a_block
    recording_89b_stream_breaks_after_a_text
    recording_90_retry_after
    recording_91_max_tokens_then_enough
    recording_92_background_command_ends
    recording_93_plan_refused_then_approved
    recording_94_shown_text_breaks
    recording_94b_shown_thought_breaks
    recording_94c_text_after_a_thought_breaks
    recording_94d_call_breaks
    recording_95_sub_agent_speaks
    recording_96_tasks
    recording_96b_task_list
    recording_97_sub_agent_in_background
    recording_97b_two_sub_agents_in_background
    recording_97c_sub_agent_in_foreground
    recording_97d_nested_sub_agent
    recording_97e_sub_agent_asks_after_the_turn
    recording_97f_message_while_a_sub_agent_works
    recording_98_background_command_writes
    recording_98b_background_command_fails
    recording_98c_background_command_ends_inside_a_turn
    recording_98d_sub_agent_starts_a_command
    recording_99_cancelled_with_background_work
    recording_99b_background_work_stopped
    recording_99c_ended_with_background_work
    recording_99d_killed_with_background_work
    recording_99e_resumed_after_a_kill
    recording_99f_two_turns_after_background_work
}
