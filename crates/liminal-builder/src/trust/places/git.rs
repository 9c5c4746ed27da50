//! Git's own configuration. Every agent runs git in a project, and a repository can say which programs git is to run.

use super::{Form, Place, Reach, Reader, Table};

pub(super) const TABLE: Table = Table {
    readers: &Reader::ALL,
    places: &[
        Place::new(".git", Reach::Root, Form::Git),
        // A directory that is itself a repository without files.
        Place::new(".", Reach::Root, Form::Git),
    ],
};
