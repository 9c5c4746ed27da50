use super::*;

fn prompt(text: &str) -> Entry {
    Entry::Prompt(text.into())
}

fn call(id: &str, tool: &str) -> Entry {
    Entry::Call { id: id.into(), tool: tool.into() }
}

fn result(call: &str, text: &str) -> Entry {
    Entry::Result { call: call.into(), tool: None, text: text.into() }
}

fn history(entries: Vec<Entry>) -> History {
    entries.into_iter().collect()
}

#[test]
fn a_turn_is_what_the_model_says_in_a_row_until_something_follows() {
    let cases = [
        (vec![], 0),
        (vec![prompt("a")], 0),
        (vec![prompt("a"), Entry::Note], 0),
        (vec![prompt("a"), Entry::Speech], 0),
        (vec![prompt("a"), Entry::Speech, call("1", "x"), result("1", "")], 1),
        (vec![prompt("a"), call("1", "x"), call("2", "x"), result("2", ""), result("1", "")], 1),
        (vec![prompt("a"), call("1", "x"), result("1", ""), Entry::Speech, Entry::Note], 2),
        (vec![prompt("a"), call("1", "x"), result("1", ""), prompt("b")], 0),
    ];
    for (entries, turn) in cases {
        let about = format!("{entries:?}");
        assert_eq!(history(entries).turn(), turn, "{about}");
    }
}

#[test]
fn the_newest_prompt_counts() {
    let history = history(vec![prompt("a"), Entry::Speech, prompt("b"), Entry::Note]);
    assert_eq!(history.prompt(), "b");
}

#[test]
fn results_come_in_the_order_of_their_calls_with_the_names_of_their_tools() {
    let named = Entry::Result { call: String::new(), tool: Some("z".into()), text: "three".into() };
    let history = history(vec![
        prompt("a"),
        call("0", "x"),
        result("0", "old"),
        call("1", "x"),
        call("2", "y"),
        result("2", "two"),
        named,
        result("1", "one"),
    ]);
    let found: Vec<_> = history.results().into_iter().map(|result| (result.tool, result.text)).collect();
    let expected = [("z", "three"), ("x", "one"), ("y", "two")];
    assert_eq!(found, expected.map(|(tool, text)| (tool.to_owned(), text.to_owned())));
}

#[test]
fn what_a_broken_stream_left_does_not_count_for_the_length() {
    assert_eq!(history(vec![prompt("a")]).length(), 1);
    assert_eq!(history(vec![prompt("a"), Entry::Speech, call("1", "x")]).length(), 1);
    assert_eq!(history(vec![prompt("a"), call("1", "x"), result("1", ""), Entry::Speech]).length(), 3);
}
