//! What is recorded. `HOME` in a prompt is the home directory; the project lies in it.

#[derive(Debug)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) permission_mode: Option<&'static str>,
    /// Variables that the agent reads.
    pub(crate) environment: &'static [(&'static str, &'static str)],
    /// What was done before in a process that is not recorded; the session is resumed.
    pub(crate) before: &'static [Step],
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
    /// Waits until this many calls run in the background.
    Background(usize),
    StopBackground,
    /// Kills the agent's process.
    Kill,
    /// Waits for a word of the agent.
    Said,
    /// Waits until so many turns have ended since the last time.
    Ends(usize),
}

use Step::{Answer, AnswerLast, AnswerWith, Asked, Background, Cancel, Ends, Kill, Say, StopBackground};

const fn scenario(name: &'static str, steps: &'static [Step]) -> Scenario {
    Scenario { name, permission_mode: None, environment: &[], before: &[], steps }
}

const fn planning(name: &'static str, steps: &'static [Step]) -> Scenario {
    Scenario { name, permission_mode: Some("plan"), environment: &[], before: &[], steps }
}

/// With the older tool for task lists.
const fn listing(name: &'static str, steps: &'static [Step]) -> Scenario {
    Scenario {
        name,
        permission_mode: None,
        environment: &[("CLAUDE_CODE_ENABLE_TASKS", "0")],
        before: &[],
        steps,
    }
}

/// With a session whose agent was killed.
const fn resuming(name: &'static str, before: &'static [Step], steps: &'static [Step]) -> Scenario {
    Scenario { name, permission_mode: None, environment: &[], before, steps }
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

const AGENT: &str = r#"tool:Agent {"description":"look","prompt":"think:where is it\nsay:I look.\ntool:Bash {\"command\":\"sleep 1; echo here\"}\nthen:It is here.","subagent_type":"general-purpose","run_in_background":true}
then:it looks"#;
const AGENTS: &str = r#"tool:Agent {"description":"one","prompt":"say:first\ntool:Bash {\"command\":\"sleep 1; echo one\"}\nthen:one is done","subagent_type":"general-purpose","run_in_background":true}
tool:Agent {"description":"two","prompt":"say:second\ntool:Bash {\"command\":\"sleep 2; echo two\"}\nthen:two is done","subagent_type":"general-purpose","run_in_background":true}
then:both look"#;
const FOREGROUND: &str = r#"tool:Agent {"description":"look","prompt":"say:I look.\ntool:Bash {\"command\":\"sleep 1; echo here\"}\nthen:It is here.","subagent_type":"general-purpose","run_in_background":false}
then:it has looked"#;
const NESTED: &str = r#"tool:Agent {"description":"outer","prompt":"tool:Agent {\"description\":\"inner\",\"prompt\":\"say:deep\\ntool:Bash {\\\"command\\\":\\\"sleep 1; echo deep\\\"}\\nthen:deep is done\",\"subagent_type\":\"general-purpose\"}\nthen:outer is done","subagent_type":"general-purpose","run_in_background":true}
then:it looks"#;
const AGENT_ASKS: &str = r#"tool:Agent {"description":"write","prompt":"tool:Bash {\"command\":\"sleep 1\"}\nthen:now\ntool:Write {\"file_path\":\"HOME/project/sub.txt\",\"content\":\"sub\\n\"}\nthen:written","subagent_type":"general-purpose","run_in_background":true}
then:it writes"#;
const COMMAND: &str = r#"tool:Bash {"command":"echo one; sleep 1; echo two; sleep 1; echo three","description":"count","run_in_background":true}
then:it counts"#;
const COMMAND_FAILS: &str = r#"tool:Bash {"command":"sleep 1; echo no; false","description":"fail","run_in_background":true}
then:it tries"#;
const COMMAND_OF_AGENT: &str = r#"tool:Agent {"description":"start","prompt":"tool:Bash {\"command\":\"echo a; sleep 2; echo b\",\"run_in_background\":true,\"description\":\"letters\"}\nthen:started","subagent_type":"general-purpose","run_in_background":true}
then:it starts one"#;
const ENDS_INSIDE: &str = r#"tool:Bash {"command":"sleep 1; echo soon","description":"soon","run_in_background":true}
then:now wait
tool:Bash {"command":"sleep 3; echo late","description":"late"}
then:over"#;
const BOTH: &str = r#"tool:Agent {"description":"look","prompt":"say:I look.\ntool:Bash {\"command\":\"sleep 9; echo here\"}\nthen:It is here.","subagent_type":"general-purpose","run_in_background":true}
tool:Bash {"command":"echo one; sleep 9; echo two","description":"count","run_in_background":true}
then:both run"#;
const BOTH_THEN_STALL: &str = r#"tool:Agent {"description":"look","prompt":"say:I look.\ntool:Bash {\"command\":\"sleep 9; echo here\"}\nthen:It is here.","subagent_type":"general-purpose","run_in_background":true}
tool:Bash {"command":"echo one; sleep 3; echo two","description":"count","run_in_background":true}
then:both run
stall"#;

pub(crate) const SCENARIOS: [Scenario; 43] = [
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
    scenario("97_sub_agent_in_background", &[Say(AGENT), Ends(2)]),
    scenario("97b_two_sub_agents_in_background", &[Say(AGENTS), Ends(3)]),
    scenario("97c_sub_agent_in_foreground", &[Say(FOREGROUND), Ends(1)]),
    scenario("97d_nested_sub_agent", &[Say(NESTED), Ends(2)]),
    scenario("97e_sub_agent_asks_after_the_turn", &[Say(AGENT_ASKS), Ends(1), Answer("allow_once"), Ends(1)]),
    scenario("97f_message_while_a_sub_agent_works", &[Say(AGENT), Ends(1), Say("say:meanwhile"), Ends(2)]),
    scenario("98_background_command_writes", &[Say(COMMAND), Ends(2)]),
    scenario("98b_background_command_fails", &[Say(COMMAND_FAILS), Ends(2)]),
    scenario("98c_background_command_ends_inside_a_turn", &[Say(ENDS_INSIDE), Ends(1)]),
    scenario("98d_sub_agent_starts_a_command", &[Say(COMMAND_OF_AGENT), Ends(4)]),
    scenario(
        "99_cancelled_with_background_work",
        &[Say(BOTH_THEN_STALL), Background(2), Cancel, Ends(2), Say("say:next"), Ends(1)],
    ),
    scenario("99b_background_work_stopped", &[Say(BOTH), Ends(1), StopBackground, Background(0), Ends(1)]),
    scenario("99c_ended_with_background_work", &[Say(BOTH), Ends(1), Background(2)]),
    scenario("99d_killed_with_background_work", &[Say(BOTH), Ends(1), Background(2), Kill, Background(0)]),
    resuming(
        "99e_resumed_after_a_kill",
        &[Say(BOTH), Ends(1), Background(2), Kill, Background(0)],
        &[Say("say:next"), Ends(1)],
    ),
    scenario("99f_two_turns_after_background_work", &[Say(COMMAND), Ends(2), Say("say:next"), Ends(1)]),
];
