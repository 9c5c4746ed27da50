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
    row_after_the_turn_ended
    row_announce_arguments
    row_announce_arguments_known_at_create
    row_clock_never_goes_back
    row_delta_for_unknown_item
    row_duplicate_item_done
    row_empty_gradient_means_defaults
    row_end_of_input_at_the_turns_own_time
    row_end_of_input_nothing_open
    row_end_of_input_open_items
    row_error_via_finish_reason
    row_error_via_response_done_error
    row_error_via_response_error
    row_error_without_any_details
    row_final_content_wins
    row_final_content_without_deltas
    row_first_emission_deadline
    row_first_emission_deadline_is_void_after_create
    row_first_emission_deadline_per_item
    row_idle_shows_half_word_and_newline
    row_idle_shows_white_space_only
    row_initial_content_counts
    row_initial_content_never_emits_by_itself
    row_initial_content_starts_the_timer
    row_item_cancelled_late_events
    row_item_done_never_started
    row_item_error_of_an_unknown_item
    row_item_error_on_a_message
    row_item_error_on_a_tool_call
    row_items_have_their_own_timers
    row_live_output_under_the_gradient
    row_no_response_start
    row_output_for_unknown_call
    row_permission_of_a_cancelled_turn
    row_permission_waits_is_answered_or_lapses
    row_plan_is_replaced_as_a_whole
    row_response_done_cancelled_open_items
    row_response_done_completed_open_items
    row_second_output_is_dropped
    row_second_start_is_dropped
    row_second_start_of_a_call_tells_more
    row_stream_b_aborted_turn
    row_stream_b_aborted_turn_stream_a
    row_stream_b_completed_turn_with_open_text
    row_stream_b_destroy_flushes_as_updated
    row_stream_b_item_cancelled
    row_stream_b_item_error_flush
    row_stream_b_never_started_item
    row_stream_b_response_done_error_flush
    row_stream_b_response_error_flush
    row_stream_b_thresholds_are_cumulative
    row_stream_b_timeout_does_not_move_thresholds
    row_stream_b_tokens_are_utf16_quarters
    row_stream_b_tool_call_and_output_are_two_items
    row_stream_b_tool_output_as_text
    row_stream_b_user_message_held_by_id
    row_stream_b_user_message_held_by_origin
    row_timeout_with_nothing_unemitted
    row_timestamp_text_is_kept
    row_token_each_white_space_parts
    row_token_spans_deltas
    row_token_white_space_is_javascripts
    row_tool_call_initial_arguments
    row_tool_call_never_started
    row_tool_details_and_sub_agents
    row_two_sessions_interleaved
    row_unknown_types_are_skipped
    row_usage_update_shows_no_item
    sb_01_simple_agent_message
    sb_02_batching_detailed
    sb_02_batching_functional
    sb_03_user_message_is_held
    sb_04_reasoning_block
    sb_05_tool_call_and_output
    sb_06_two_tool_calls
    sb_07_item_error
    sb_08_response_error
    sb_09_batch_timeout
    sb_09_batch_timeout_done_at_once
    sb_10_gradient_detailed
    sb_10_gradient_functional
    sb_11_empty_content
    sb_12_destroy_flushes_as_created
    sb_12_destroy_with_nothing_unemitted
    tc_5_1a_create_by_threshold
    tc_5_1a_short_message
    tc_5_1b_full_content_custom_gradient
    tc_5_1b_full_content_default_gradient
    tc_5_1c_arguments_are_not_batched
    tc_5_1c_tool_call_two_emissions
    tc_5_1d_reasoning_is_thinking
    tc_5_1d_thinking_provider
    tc_5_2a_early_emissions_are_frequent
    tc_5_2b_later_emissions_are_rarer
    tc_5_2c_equal_is_not_exceeded
    tc_5_2c_threshold_must_be_exceeded
    tc_5_2d_later_delta_crosses_two
    tc_5_2d_one_delta_crosses_all
    tc_5_2d_one_delta_crosses_three
    tc_5_2d_sum_must_be_exceeded
    tc_5_2e_default_list_is_used_up
    tc_5_2e_last_value_repeats
    tc_5_2f_default_gradient
    tc_5_3a_result_by_call_id
    tc_5_3b_interleaved_tool_calls
    tc_5_4a_end_of_input_flushes
    tc_5_4a_turn_error_flushes
    tc_5_4b_configured_timeout
    tc_5_4b_deadline_is_inclusive
    tc_5_4b_default_timeout
    tc_5_4b_timeout_keeps_the_threshold
    tc_5_4c_empty_message
    tc_5_4c_empty_reasoning
    tc_5_4d_buffered_item_is_discarded
    tc_5_4d_shown_item_is_forgotten
    tc_5_4e_turn_cancelled
    tc_5_4f_response_done_error
    tc_5_4f_response_error
    tc_5_4f_response_error_wins
}
