//! Events of every kind over a small set of ids, so that they meet.

use std::sync::Arc;

use liminal_core::envelope::StreamEventEnvelope;
use liminal_core::error::ErrorInfo;
use liminal_core::event::{
    CancelReason, FinalItem, FunctionCallItem, FunctionCallOutputItem, FunctionCallOutputStart,
    FunctionCallStart, ItemCancelled, ItemDelta, ItemDone, ItemError, ItemKind, ItemStart, MessageItem,
    Origin, PermissionItem, PermissionOption, PermissionOptionKind, PermissionOutcome, PermissionRequest,
    Plan, PlanEntry, PlanStatus, ReasoningItem, ResponseDone, ResponseError, ResponseStart, ResponseStatus,
    SettledBy, StreamEvent, ToolDetails, ToolKind, Usage, UsageUpdate,
};
use liminal_core::time::{Now, Timestamp};
use proptest::prelude::*;

pub(crate) const SESSION: &str = "claude-code:s";
pub(crate) const TURN: &str = "t";

pub(crate) fn now(milliseconds: i64) -> Now {
    Now::at(jiff::Timestamp::from_millisecond(milliseconds).unwrap())
}

pub(crate) fn at(milliseconds: i64, payload: StreamEvent) -> StreamEventEnvelope {
    StreamEventEnvelope {
        event_id: format!("{TURN}#{milliseconds}").into(),
        timestamp: Timestamp::from(now(milliseconds).wall),
        turn_id: TURN.into(),
        session_id: SESSION.into(),
        trace_context: None,
        payload,
    }
}

pub(crate) fn message_start(id: &str) -> StreamEvent {
    StreamEvent::ItemStart(ItemStart {
        item_id: id.into(),
        kind: ItemKind::Message,
        initial_content: None,
        parent_call_id: None,
    })
}

pub(crate) fn delta(id: &str, content: &str) -> StreamEvent {
    StreamEvent::ItemDelta(ItemDelta { item_id: id.into(), delta_content: content.to_owned() })
}

/// A text with all that makes tokens hard to count, in pieces.
pub(crate) fn split_text() -> impl Strategy<Value = Vec<String>> {
    let piece = prop_oneof![
        "[a-z]{0,3}",
        "[ \\t\\n]{0,2}",
        "[\u{a0}\u{feff}\u{85}\u{200b}\u{2028}😀é\"\\\\]{0,2}",
        any::<String>(),
    ];
    prop::collection::vec(piece, 1..40)
}

pub(crate) fn any_events() -> impl Strategy<Value = Vec<StreamEventEnvelope>> {
    events_of(any_payload(Just(false)))
}

/// The same with calls that may run in the background.
pub(crate) fn any_background_events() -> impl Strategy<Value = Vec<StreamEventEnvelope>> {
    events_of(any_payload(any::<bool>()))
}

fn events_of(payload: impl Strategy<Value = StreamEvent>) -> impl Strategy<Value = Vec<StreamEventEnvelope>> {
    let timed = (0..1_500_i64, payload);
    prop::collection::vec(timed, 1..60).prop_map(|payloads| {
        let mut clock = 0;
        payloads
            .into_iter()
            .map(|(step, payload)| {
                clock += step;
                at(clock, payload)
            })
            .collect()
    })
}

fn item() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["i1", "i2", "i3", "i4-user-prompt", "i5"])
}

fn call() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["c1", "c2", "c3"])
}

fn content() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z ]{0,12}", "[a-z]( [a-z]){0,30}", "[\"\\\\\\n\u{1}é😀 ]{0,4}"]
}

fn any_payload(detached: impl Strategy<Value = bool> + 'static) -> impl Strategy<Value = StreamEvent> {
    prop_oneof![
        1 => Just(StreamEvent::ResponseStart(ResponseStart { model_id: "m".into(), provider_id: "p".into() })),
        6 => (item(), any_kind(detached), prop::option::of(content()), prop::option::of(call())).prop_map(
            |(item, kind, initial_content, parent)| StreamEvent::ItemStart(ItemStart {
                item_id: item.into(), kind, initial_content, parent_call_id: parent.map(Into::into),
            })
        ),
        12 => (item(), content()).prop_map(|(item, content)| delta(item, &content)),
        5 => (item(), any_final()).prop_map(
            |(item, final_item)| StreamEvent::ItemDone(ItemDone { item_id: item.into(), final_item })
        ),
        1 => item().prop_map(|item| StreamEvent::ItemError(ItemError { item_id: item.into(), error: error() })),
        1 => item().prop_map(|item| StreamEvent::ItemCancelled(
            ItemCancelled { item_id: item.into(), reason: Some(CancelReason::UserCancel) }
        )),
        1 => Just(StreamEvent::UsageUpdate(UsageUpdate { usage: usage() })),
        1 => any_end(),
    ]
}

fn any_kind(detached: impl Strategy<Value = bool> + 'static) -> impl Strategy<Value = ItemKind> {
    prop_oneof![
        Just(ItemKind::Message),
        Just(ItemKind::Reasoning),
        (call(), detached).prop_map(|(call, detached)| ItemKind::FunctionCall(FunctionCallStart {
            name: "Bash".into(),
            call_id: call.into(),
            details: details(),
            detached,
        })),
        prop::option::of(call()).prop_map(|call| {
            ItemKind::FunctionCallOutput(FunctionCallOutputStart { call_id: call.map(Into::into) })
        }),
        Just(ItemKind::Plan(plan())),
        call().prop_map(|call| ItemKind::Permission(request(call))),
    ]
}

/// A request of a call that a person allowed.
pub(crate) fn answered_permission(call: &str) -> PermissionItem {
    PermissionItem {
        request: request(call),
        outcome: PermissionOutcome::answered("once", Default::default(), None),
    }
}

fn any_final() -> impl Strategy<Value = FinalItem> {
    prop_oneof![
        (content(), any::<bool>()).prop_map(|(content, user)| FinalItem::Message(MessageItem::new(
            content,
            if user { Origin::User } else { Origin::Agent },
        ))),
        content()
            .prop_map(|content| FinalItem::Reasoning(ReasoningItem { content, provider_id: "p".into() })),
        call().prop_map(|call| FinalItem::FunctionCall(FunctionCallItem {
            name: "Bash".into(),
            call_id: call.into(),
            arguments: Arc::new(serde_json::from_str(r#"{"command":"ls"}"#).unwrap()),
            raw_arguments: None,
            details: ToolDetails::default(),
        })),
        (call(), content(), any::<bool>()).prop_map(|(call, output, is_error)| {
            FinalItem::FunctionCallOutput(FunctionCallOutputItem {
                call_id: call.into(),
                output,
                is_error,
                details: details(),
            })
        }),
        Just(FinalItem::Plan(plan())),
        (call(), outcome()).prop_map(|(call, outcome)| FinalItem::Permission(PermissionItem {
            request: request(call),
            outcome,
        })),
    ]
}

fn any_end() -> impl Strategy<Value = StreamEvent> {
    let done = |status, error| {
        StreamEvent::ResponseDone(ResponseDone { status, finish_reason: None, error, usage: Some(usage()) })
    };
    prop_oneof![
        Just(done(ResponseStatus::Completed, None)),
        Just(done(ResponseStatus::Cancelled, None)),
        Just(done(ResponseStatus::Error, Some(error()))),
        Just(StreamEvent::ResponseError(ResponseError { error: error() })),
    ]
}

fn error() -> ErrorInfo {
    ErrorInfo { code: "E".into(), message: "it broke".into() }
}

fn usage() -> Usage {
    Usage {
        input_tokens: 1,
        output_tokens: 2,
        cache_read_input_tokens: None,
        cache_creation_input_tokens: Some(3),
        cost_usd: Some(0.25),
    }
}

fn details() -> ToolDetails {
    ToolDetails { kind: Some(ToolKind::Execute), title: Some("ls".into()), ..ToolDetails::default() }
}

fn plan() -> Plan {
    Plan { entries: vec![PlanEntry { content: "x".into(), status: PlanStatus::Pending, priority: None }] }
}

fn request(call: &str) -> PermissionRequest {
    let option = PermissionOption {
        option_id: "once".into(),
        name: "Yes".into(),
        kind: PermissionOptionKind::AllowOnce,
    };
    let mut input = serde_json::Map::new();
    input.insert("command".into(), "ls".into());
    PermissionRequest {
        call_id: call.into(),
        tool_name: "Bash".into(),
        server: None,
        kind: Some(ToolKind::Execute),
        input: Arc::new(input),
        input_truncated: false,
        announced_input: None,
        announced_tool_name: None,
        title: "Run ls".into(),
        diffs: Vec::new(),
        options: vec![option],
        questions: Vec::new(),
        accepts_reason: true,
        deadline: None,
    }
}

fn outcome() -> impl Strategy<Value = PermissionOutcome> {
    prop_oneof![
        Just(PermissionOutcome::answered("once", Default::default(), None)),
        Just(PermissionOutcome::answered("no", Default::default(), Some("not now".into()))),
        Just(PermissionOutcome::unanswered(SettledBy::Timeout, "No answer in 1 min")),
        Just(PermissionOutcome::unanswered(SettledBy::Agent, "withdrawn")),
    ]
}
