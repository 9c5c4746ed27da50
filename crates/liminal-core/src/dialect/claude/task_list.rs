//! The agent's task list, as its tools tell it. Owns what these tools mean and which tasks they leave, for live lines
//! and for stored ones; where a list is shown is the business of those who ask.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::dialect::fields::{flag, object, objects, text};
use crate::event::{Plan, PlanEntry, PlanStatus};
use crate::ids::CallId;

/// The tool that tells the whole list each time. Its calls show as the list and as nothing else.
pub(super) const WHOLE: &str = "TodoWrite";
/// More tasks, or calls that nobody answers, are not remembered.
const LIMIT: usize = 1024;

/// The tasks that single calls make and change. Only a result tells that one did.
#[derive(Debug, Default)]
pub(super) struct TaskList {
    tasks: Vec<Task>,
    asked: BTreeMap<CallId, Change>,
    /// How often single calls have changed it.
    changes: u64,
}

#[derive(Debug, Clone, PartialEq)]
struct Task {
    id: String,
    subject: String,
    status: PlanStatus,
}

/// What a call asks for.
#[derive(Debug)]
enum Change {
    Create,
    Update(Map<String, Value>),
    /// The list is told as it was when so many changes had been heard of.
    Look(u64),
}

/// The list that a call of the older tool tells; `None` if it is not one.
pub(super) fn whole(name: &str, input: &Map<String, Value>) -> Option<Plan> {
    let tasks = input.get("todos").filter(|_| name == WHOLE)?.as_array()?;
    let entries = tasks.iter().map(|task| {
        let status = task.get("status")?.as_str().and_then(PlanStatus::from_word)?;
        Some(PlanEntry { content: task.get("content")?.as_str()?.to_owned(), status, priority: None })
    });
    Some(Plan { entries: entries.collect::<Option<_>>()? })
}

impl TaskList {
    /// A tool is called, perhaps one of those for tasks.
    pub(super) fn call(&mut self, id: &CallId, name: &str, input: &Map<String, Value>) {
        let change = match name {
            "TaskCreate" => Change::Create,
            "TaskUpdate" => Change::Update(input.clone()),
            "TaskList" => Change::Look(self.changes),
            _ => return,
        };
        if self.asked.len() < LIMIT {
            self.asked.insert(id.clone(), change);
        }
    }

    /// A tool has answered. Gives the list if that changed it.
    pub(super) fn result(&mut self, id: &CallId, is_error: bool, told: Option<&Value>) -> Option<Plan> {
        let change = self.asked.remove(id)?;
        let told = told.and_then(Value::as_object).filter(|_| !is_error)?;
        let before = self.tasks.clone();
        match change {
            Change::Create => self.tasks.extend(object(told, "task").and_then(Task::read)),
            Change::Update(_) if !flag(told, "success") => {}
            Change::Update(asked) => self.update(&asked)?,
            Change::Look(changes) => self.look(objects(told, "tasks").filter_map(Task::read), changes),
        }
        self.tasks.truncate(LIMIT);
        self.changes += 1;
        (self.tasks != before).then(|| self.plan())
    }

    /// Calls run side by side: what was changed meanwhile is newer than what is told.
    fn look(&mut self, told: impl Iterator<Item = Task>, changes: u64) {
        if self.changes == changes {
            self.tasks.clear();
        }
        for task in told {
            if self.tasks.iter().all(|known| known.id != task.id) {
                self.tasks.push(task);
            }
        }
    }

    fn update(&mut self, asked: &Map<String, Value>) -> Option<()> {
        let id = text(asked, "taskId")?;
        if text(asked, "status") == Some("deleted") {
            self.tasks.retain(|task| task.id != id);
            return Some(());
        }
        let task = self.tasks.iter_mut().find(|task| task.id == id)?;
        if let Some(subject) = text(asked, "subject") {
            subject.clone_into(&mut task.subject);
        }
        task.status = text(asked, "status").and_then(PlanStatus::from_word).unwrap_or(task.status);
        Some(())
    }

    fn plan(&self) -> Plan {
        let entries = self.tasks.iter().map(|task| PlanEntry {
            content: task.subject.clone(),
            status: task.status,
            priority: None,
        });
        Plan { entries: entries.collect() }
    }
}

impl Task {
    /// Reads a task as a result tells it; one that was just made has no status yet.
    fn read(fields: &Map<String, Value>) -> Option<Self> {
        let status = text(fields, "status").and_then(PlanStatus::from_word).unwrap_or(PlanStatus::Pending);
        Some(Self {
            id: text(fields, "id")?.to_owned(),
            subject: text(fields, "subject")?.to_owned(),
            status,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// One call with its result; gives the list as text if it changed, and else nothing.
    fn told(list: &mut TaskList, name: &str, input: &Value, result: &Value) -> String {
        let id = CallId::from("c");
        list.call(&id, name, input.as_object().unwrap());
        let plan = list.result(&id, false, Some(result));
        let entries = plan.into_iter().flat_map(|plan| plan.entries);
        let entries = entries.map(|entry| format!("{} {}", entry.content, entry.status.as_str()));
        entries.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn tasks_are_made_changed_and_deleted() {
        let mut list = TaskList::default();
        for (name, input, result, expected) in [
            (
                "TaskCreate",
                json!({"subject": "a"}),
                json!({"task": {"id": "1", "subject": "a"}}),
                "a pending",
            ),
            (
                "TaskCreate",
                json!({"subject": "b"}),
                json!({"task": {"id": "2", "subject": "b"}}),
                "a pending, b pending",
            ),
            (
                "TaskUpdate",
                json!({"taskId": "1", "status": "in_progress", "subject": "c"}),
                json!({"success": true}),
                "c in_progress, b pending",
            ),
            ("TaskUpdate", json!({"taskId": "2", "status": "completed"}), json!({"success": false}), ""),
            ("TaskUpdate", json!({"taskId": "9", "status": "completed"}), json!({"success": true}), ""),
            (
                "TaskUpdate",
                json!({"taskId": "2", "status": "deleted"}),
                json!({"success": true}),
                "c in_progress",
            ),
            (
                "TaskList",
                json!({}),
                json!({"tasks": [{"id": "1", "subject": "c", "status": "completed"}]}),
                "c completed",
            ),
            (
                "TaskList",
                json!({}),
                json!({"tasks": [{"id": "1", "subject": "c", "status": "completed"}]}),
                "",
            ),
            ("Read", json!({}), json!({"tasks": []}), ""),
        ] {
            assert_eq!(told(&mut list, name, &input, &result), expected, "{name} {input}");
        }
    }

    #[test]
    fn an_older_list_takes_nothing_back() {
        let mut list = TaskList::default();
        let task = |status: &str| json!({"tasks": [{"id": "1", "subject": "a", "status": status}]});
        assert_eq!(told(&mut list, "TaskList", &json!({}), &task("pending")), "a pending");
        list.call(&CallId::from("look"), "TaskList", &Map::new());
        let update = json!({"taskId": "1", "status": "completed"});
        told(&mut list, "TaskUpdate", &update, &json!({"success": true}));
        assert_eq!(list.result(&CallId::from("look"), false, Some(&task("pending"))), None);
    }

    #[test]
    fn a_call_that_failed_changes_nothing() {
        let mut list = TaskList::default();
        let id = CallId::from("c");
        list.call(&id, "TaskCreate", &Map::new());
        assert_eq!(list.result(&id, true, Some(&json!({"task": {"id": "1", "subject": "a"}}))), None);
        assert!(list.tasks.is_empty() && list.asked.is_empty());
    }

    #[test]
    fn only_a_list_is_a_list() {
        let input = |todos: Value| json!({ "todos": todos }).as_object().unwrap().clone();
        let good = input(json!([{"content": "a", "status": "completed", "activeForm": "doing a"}]));
        assert_eq!(whole(WHOLE, &good).unwrap().entries[0].content, "a");
        assert_eq!(whole("Write", &good), None);
        assert_eq!(whole(WHOLE, &input(json!([{"content": "a"}]))), None);
        assert_eq!(whole(WHOLE, &Map::new()), None);
    }
}
