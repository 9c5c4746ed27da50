-- Less room for the same. What was stored before is read as it is.

-- The length of a packed part; NULL where the text lies as it is. Texts are packed once they are finished.
ALTER TABLE growth ADD COLUMN unpacked INTEGER;

-- A row of several events is packed: `count` of them from `number` on, which had so many bytes. NULL where the body is
-- one event as it is.
ALTER TABLE event ADD COLUMN count INTEGER NOT NULL DEFAULT 1;
ALTER TABLE event ADD COLUMN unpacked INTEGER;

-- Knows which words are in which part, and not where in it: that is looked up when a hit is shown. Filled again from the
-- entries while nothing else is to do.
DROP TABLE words;
CREATE VIRTUAL TABLE words USING fts5 (text, content = '', contentless_delete = 1, detail = none);
DELETE FROM passage;
INSERT OR IGNORE INTO unindexed (place) SELECT place FROM entry WHERE is_open = 0 AND key LIKE 'item:%';
