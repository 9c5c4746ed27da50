-- Records: what this program keeps beside the streams. The columns before `body` are there to be looked for; the sum is
-- over all of them and the body, which is JSON.

-- Directories the user works in, in the order in which they were added.
CREATE TABLE project (
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    path TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL
) STRICT;

-- What is known of a session beside its outputs. Times are in microseconds.
CREATE TABLE session_info (
    session TEXT PRIMARY KEY,
    project TEXT,
    updated_at INTEGER NOT NULL,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX session_info_project ON session_info (project, updated_at);

-- Messages that wait for their turn, by position.
CREATE TABLE queued (
    session TEXT NOT NULL,
    id TEXT NOT NULL,
    position INTEGER NOT NULL,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (session, id)
) STRICT;

-- Messages on their way to an agent. One that is here at a start may or may not have arrived.
CREATE TABLE delivery (
    turn TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL
) STRICT;

-- Requests that must not be done twice, with the answer to repeat once they are done.
CREATE TABLE receipt (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    begun_at INTEGER NOT NULL,
    is_done INTEGER NOT NULL,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (scope, key)
) STRICT;
CREATE INDEX receipt_begun_at ON receipt (begun_at);

-- Browsers that were let in; digests only.
CREATE TABLE browser (
    cookie TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL
) STRICT;

-- What the page keeps for itself, by name.
CREATE TABLE page_state (
    name TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL
) STRICT;
