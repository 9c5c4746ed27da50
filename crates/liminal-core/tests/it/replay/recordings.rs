//! One test per recording of Claude Code, so that each can be run and fail by its name.

use liminal_core::dialect::claude::Options;
use liminal_core::ids::SessionId;
use liminal_core::replay::{Audience, ClaudePlayback, Recording, play};

use crate::replay::faithfulness::Played;
use crate::replay::invariants;
use crate::replay::snapshots::{Folder, event_lines, notices, parsed, recordings, upsert_lines};

pub(crate) const FOLDER: Folder = Folder("claude");

fn check(name: &str) {
    check_in(&FOLDER, name);
}

/// Checks a recording of any version.
pub(crate) fn check_in(folder: &Folder, name: &str) {
    let recording = folder.recording(name);
    let (events, upserts) = (events_of(&recording), upsert_lines(|audience| played(&recording, audience)));
    invariants::of_events(&parsed(&events));
    invariants::of_upserts(&parsed(&upserts));
    let notices = notices(|audience| played(&recording, audience));
    Played::new(&recording, parsed(&events), parsed(&upserts), notices).check();
    folder.compare(name, "events.ndjson", &events);
    folder.compare(name, "upserts.ndjson", &upserts);
}

/// The events that a recording gives, as lines.
pub(crate) fn events_of(recording: &Recording) -> String {
    event_lines(|audience| played(recording, audience))
}

pub(crate) fn played(recording: &Recording, audience: &mut dyn Audience) {
    let mut playback = ClaudePlayback::new(SessionId::from("claude-code:recorded"), Options::default());
    play(recording, &mut playback, audience);
}

recordings! {
    recording_01_init_text
    recording_02_two_turns
    recording_02b_two_turns_replay
    recording_02d_message_during_tool
    recording_02e_two_users_pipelined_at_start
    recording_03_thinking
    recording_04_tool_read_auto
    recording_04b_think_text_tool
    recording_05_perm_bash_allow
    recording_05c_perm_allow_always
    recording_05e_perm_allow_session_rule
    recording_05g_edit_allow
    recording_05h_read_outside_cwd
    recording_05i_permission_pending_180s
    recording_06_perm_deny
    recording_06b_perm_deny_interrupt
    recording_06d_no_permission_tool
    recording_06e_perm_allow_without_updatedinput
    recording_07_multi_parallel_read
    recording_07b_multi_parallel_perm
    recording_08_interrupt_text
    recording_08b_interrupt_running_tool
    recording_08c_interrupt_pending_permission
    recording_08d_interrupt_idle
    recording_10_error_500_retries2
    recording_10b_error_500_retries0
    recording_10d_error_500_default_retries_then_interrupt
    recording_11_error_429_retries2
    recording_12_error_400
    recording_13_error_401
    recording_13b_error_403
    recording_14_error_529_retries2
    recording_15_error_prompt_too_long
    recording_15b_error_credit
    recording_16_stream_error_event
    recording_16b_stream_dropped_midway
    recording_16c_stream_dropped_once
    recording_16d_connection_dropped
    recording_16e_connection_refused
    recording_16h_stream_dropped_no_fallback
    recording_16i_stream_always_dropped_no_fallback
    recording_17_stop_max_tokens
    recording_17f_max_turns
    recording_17g_max_budget
    recording_20_kill9_mid_turn
    recording_20b_resume_after_kill9
    recording_20c_kill9_mid_tool
    recording_20e_sigterm_mid_turn
    recording_20f_sigint_mid_turn
    recording_20g_sigterm_idle
    recording_20h_stdin_eof_mid_turn
    recording_20i_stdin_eof_pending_permission
    recording_21a_resume_first_process
    recording_21b_resume
    recording_21c_resume_replay_flag
    recording_21e_resume_unknown_id
    recording_21f_session_id_in_use
    recording_21g_resume_bad_id
    recording_21h_resume_from_other_cwd
    recording_21i_continue_flag
    recording_22_subagent_task
    recording_22b_subagent_task_foreground
    recording_23b_set_model_mid_turn
    recording_24_user_image
    recording_25_invalid_stdin_json
    recording_25b_unknown_message_type
    recording_25c_wrong_role
    recording_26_no_initialize
    recording_27_cwd_missing
    recording_28_root_dangerously_skip
    recording_28b_root_permission_mode_bypass
    recording_28c_root_is_sandbox_skip
    recording_28d_root_allow_dangerously_then_set_mode
    recording_28e_dontask_mode
    recording_29_session_state_events
    recording_30_background_bash
    recording_30c_background_bash_then_eof
    recording_32_plan_mode_exitplanmode
    recording_35_hook_callbacks
    recording_36_long_running_bash_progress
    recording_39_end_session
    recording_40_no_partial_messages
    recording_40b_no_verbose
    recording_40c_without_p_flag
    recording_41_no_api_key
    recording_42_oauth_token_ratelimit
    recording_70_tool_process_tree
    recording_70b_sigterm_mid_tool
    recording_70c_stdin_eof_mid_tool
    recording_71_sdk_mcp_server
    recording_72_api_hang_timeout3s
    recording_72b_stream_stall_byte_watchdog3s
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
}
