//! What is recorded. `HOME` in a prompt is the home directory; the project lies in it.

#[derive(Debug)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) permission_mode: Option<&'static str>,
    /// Variables that the agent reads.
    pub(crate) environment: &'static [(&'static str, &'static str)],
    pub(crate) steps: &'static [Step],
}

#[derive(Debug)]
pub(crate) enum Step {
    /// Says this, and waits until it is taken.
    Say(&'static str),
    /// Waits until so many questions are open.
    Asked(usize),
    /// Answers the oldest question, once there is one.
    Answer(&'static str),
    /// The same with words: the question and its answer.
    AnswerWith(&'static str, &'static [(&'static str, &'static str)]),
    /// Answers the newest question.
    AnswerLast(&'static str),
    Cancel,
    /// Waits for a word of the agent.
    Said,
    /// Waits until so many turns have ended since the last time.
    Ends(usize),
}

use Step::{Answer, AnswerLast, AnswerWith, Asked, Cancel, Ends, Say};

const fn scenario(name: &'static str, steps: &'static [Step]) -> Scenario {
    Scenario { name, permission_mode: None, environment: &[], steps }
}

const fn planning(name: &'static str, steps: &'static [Step]) -> Scenario {
    Scenario { name, permission_mode: Some("plan"), environment: &[], steps }
}

/// With the older tool for task lists.
const fn listing(name: &'static str, steps: &'static [Step]) -> Scenario {
    Scenario { name, permission_mode: None, environment: &[("CLAUDE_CODE_ENABLE_TASKS", "0")], steps }
}

const QUESTION: &str = r#"tool:AskUserQuestion {"questions":[{"question":"Which colour?","header":"Colour","multiSelect":false,"options":[{"label":"Red","description":"like fire"},{"label":"Blue","description":"like water"}]}]}"#;
const READ_TWO: &str =
    "tool:Read {\"file_path\":\"HOME/one.txt\"}\ntool:Read {\"file_path\":\"HOME/two.txt\"}\nthen:read both";
const WRITE: &str = "tool:Write {\"file_path\":\"HOME/project/a.txt\",\"content\":\"a\\n\"}\nthen:went on";
const WRITE_OTHER: &str =
    "tool:Write {\"file_path\":\"HOME/project/b.txt\",\"content\":\"b\\n\"}\nthen:wrote again";
const SUB_AGENT: &str = r#"tool:Agent {"description":"write it","prompt":"tool:Write {\"file_path\":\"HOME/project/sub.txt\",\"content\":\"sub\\n\"}","subagent_type":"general-purpose"}"#;
const PLAN: &str = r#"tool:ExitPlanMode {"plan":"1. Look.\n2. Leap."}"#;
const BACKGROUND: &str =
    r#"tool:Bash {"command":"sleep 1; echo over","description":"wait","run_in_background":true}"#;

const LONG_THOUGHT: &str = "think:one two three four five six seven eight nine ten eleven twelve thirteen fourteen drop:12\nsay:the answer";

const SUB_AGENT_SPEAKS: &str = r#"tool:Agent {"description":"look","prompt":"think:where is it\nsay:I will look.\ntool:Bash {\"command\":\"echo here\"}\nthen:I have looked.","subagent_type":"general-purpose"}
then:it has looked"#;
const TASKS: &str = r#"tool:TaskCreate {"subject":"Look around","description":"look everywhere","activeForm":"Looking around"}
tool:TaskCreate {"subject":"Leap","description":"once","activeForm":"Leaping"}
then:two tasks"#;
const TASKS_GO_ON: &str = r#"tool:TaskUpdate {"taskId":"1","status":"completed"}
tool:TaskUpdate {"taskId":"2","status":"in_progress","subject":"Leap far"}
tool:TaskUpdate {"taskId":"7","status":"completed"}
tool:TaskList {}
then:one is done"#;
const LIST: &str = r#"say:First a list.
tool:TodoWrite {"todos":[{"content":"Look around","status":"in_progress","activeForm":"Looking around"},{"content":"Leap","status":"pending","activeForm":"Leaping"}]}
then:listed"#;
const LIST_DONE: &str = r#"tool:TodoWrite {"todos":[{"content":"Look around","status":"completed","activeForm":"Looking around"},{"content":"Leap","status":"completed","activeForm":"Leaping"}]}
tool:TodoWrite {"todos":"all of them"}
then:all done"#;

pub(crate) const SCENARIOS: [Scenario; 27] = [
    scenario(
        "80_question_answered",
        &[Say(QUESTION), AnswerWith("allow_once", &[("Which colour?", "Blue")]), Ends(1)],
    ),
    scenario("80b_question_refused", &[Say(QUESTION), Answer("deny"), Ends(1)]),
    scenario("80c_question_cancelled", &[Say(QUESTION), Asked(1), Cancel, Ends(1), Say("say:next"), Ends(1)]),
    scenario(
        "81_two_pending_permissions",
        &[Say(READ_TWO), Asked(2), AnswerLast("allow_once"), Answer("deny"), Ends(1)],
    ),
    scenario(
        "81b_two_pending_permissions_cancelled",
        &[Say(READ_TWO), Asked(2), Cancel, Ends(1), Say("say:next"), Ends(1)],
    ),
    scenario("82_deny_and_stop", &[Say(WRITE), Answer("deny_and_stop"), Ends(1), Say("say:next"), Ends(1)]),
    scenario(
        "83_allow_for_session_then_again",
        &[Say(WRITE), Answer("allow_session_0"), Ends(1), Say(WRITE_OTHER), Ends(1)],
    ),
    scenario("84_sub_agent_asks", &[Say(SUB_AGENT), Answer("allow_once"), Ends(1)]),
    scenario("84b_sub_agent_asks_cancelled", &[Say(SUB_AGENT), Asked(1), Cancel, Ends(1)]),
    scenario(
        "85_compact",
        &[
            Say("say:one"),
            Ends(1),
            Say("say:one more"),
            Ends(1),
            Say("/compact"),
            Ends(1),
            Say("say:two"),
            Ends(1),
        ],
    ),
    scenario("85b_compact_too_early", &[Say("say:one"), Ends(1), Say("/compact"), Ends(1)]),
    scenario("86_clear", &[Say("say:one"), Ends(1), Say("/clear"), Ends(1), Say("say:two"), Ends(1)]),
    scenario("87_unknown_command", &[Say("/nonsense now"), Ends(1), Say("say:next"), Ends(1)]),
    scenario("88_long_answer", &[Say("words:600"), Ends(1)]),
    scenario(
        "89_stream_breaks_after_a_block",
        &[Say("think:let me see\nsay:the answer drop:block"), Ends(1), Say("say:next"), Ends(1)],
    ),
    scenario(
        "89b_stream_breaks_after_a_text",
        &[
            Say("say:the first text\ntool:Bash {\"command\":\"ls\"} drop:block"),
            Ends(1),
            Say("say:next"),
            Ends(1),
        ],
    ),
    scenario("90_retry_after", &[Say("status:429x1 retry-after:1 say:fine"), Ends(1)]),
    scenario(
        "91_max_tokens_then_enough",
        &[Say("say:cut off stop:max_tokens"), Ends(1), Say("say:next"), Ends(1)],
    ),
    scenario("92_background_command_ends", &[Say(BACKGROUND), Ends(2)]),
    planning(
        "93_plan_refused_then_approved",
        &[
            Say(PLAN),
            AnswerWith("deny", &[("What should change in the plan?", "look twice")]),
            Ends(1),
            Say(PLAN),
            Answer("allow_once"),
            Ends(1),
        ],
    ),
    scenario("94_shown_text_breaks", &[Say("words:60 drop:40"), Ends(1), Say("say:next"), Ends(1)]),
    scenario("94b_shown_thought_breaks", &[Say(LONG_THOUGHT), Ends(1), Say("say:next"), Ends(1)]),
    scenario(
        "94c_text_after_a_thought_breaks",
        &[Say("think:let me see\nwords:60 drop:40"), Ends(1), Say("say:next"), Ends(1)],
    ),
    scenario(
        "94d_call_breaks",
        &[Say("tool:Bash {\"command\":\"ls\"} drop:2\nthen:listed"), Ends(1), Say("say:next"), Ends(1)],
    ),
    scenario("95_sub_agent_speaks", &[Say(SUB_AGENT_SPEAKS), Ends(1)]),
    scenario("96_tasks", &[Say(TASKS), Ends(1), Say(TASKS_GO_ON), Ends(1)]),
    listing("96b_task_list", &[Say(LIST), Ends(1), Say(LIST_DONE), Ends(1)]),
];
