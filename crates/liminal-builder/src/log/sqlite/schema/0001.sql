-- One row per fact that outlives a start of the server: whether it was stopped well, and in which life of the machine.
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    epoch TEXT NOT NULL,
    head INTEGER NOT NULL,
    floor INTEGER NOT NULL,
    -- Canonical events: the number of the next one, and how much the kept ones take.
    next_event INTEGER NOT NULL DEFAULT 1,
    event_bytes INTEGER NOT NULL DEFAULT 0,
    checksum INTEGER NOT NULL
) STRICT;

-- The latest state per key. `place` is session * 2^40 + first_seq, so that a session lies together, in the order in
-- which people see it.
CREATE TABLE entry (
    place INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    key TEXT NOT NULL,
    seq INTEGER NOT NULL,
    is_open INTEGER NOT NULL,
    -- Where the growing text begins in the payload; NULL where there is none.
    text_start INTEGER,
    -- Whether the text is in `growth`; then the payload ends where the text begins.
    is_grown INTEGER NOT NULL,
    payload BLOB NOT NULL,
    checksum INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX entry_key ON entry (session, key);
CREATE UNIQUE INDEX entry_seq ON entry (session, seq);

-- The parts of a large text, by their position in bytes. A growing text is written once this way, not once per state.
CREATE TABLE growth (
    place INTEGER NOT NULL,
    position INTEGER NOT NULL,
    text BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (place, position)
) STRICT, WITHOUT ROWID;

-- Turns that have outputs and no end.
CREATE TABLE open_turn (
    session INTEGER NOT NULL,
    turn TEXT NOT NULL,
    PRIMARY KEY (session, turn)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
    session INTEGER NOT NULL,
    number INTEGER NOT NULL,
    body BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;

-- Finished items that the index does not know yet.
CREATE TABLE unindexed (place INTEGER PRIMARY KEY) STRICT;

-- What the index knows: one row per part of an item's text, with the rowid of the index.
CREATE TABLE passage (
    id INTEGER PRIMARY KEY,
    place INTEGER NOT NULL,
    number INTEGER NOT NULL
) STRICT;
CREATE INDEX passage_place ON passage (place);

-- Holds no text of its own; that is in `entry`.
CREATE VIRTUAL TABLE words USING fts5 (text, content = '', contentless_delete = 1);
