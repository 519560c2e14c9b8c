-- Words of scripts without spaces are found by their pairs of letters, which `in_pairs` writes; vowel signs belong to their words.
DROP TRIGGER messages_fts_insert;
DROP TRIGGER messages_fts_update;
DROP TRIGGER messages_fts_delete;
DROP TRIGGER memories_fts_insert;
DROP TRIGGER memories_fts_update;
DROP TRIGGER memories_fts_delete;
DROP TRIGGER lessons_fts_insert;
DROP TRIGGER lessons_fts_update;
DROP TRIGGER lessons_fts_delete;
DROP TABLE messages_fts;
DROP TABLE memories_fts;
DROP TABLE lessons_fts;
DROP VIEW messages_indexed;
DROP VIEW memories_indexed;
DROP VIEW lessons_indexed;

CREATE VIEW messages_indexed AS
    SELECT key, in_pairs(text) AS text, in_pairs(context) AS context FROM messages
    WHERE active = 1 AND status IN ('complete', 'stopped', 'interrupted');
CREATE VIEW memories_indexed AS
    SELECT key, in_pairs(text) AS text, in_pairs(tags || steps || ' ' || instead_of) AS tags FROM memories WHERE state = 'live';
CREATE VIEW lessons_indexed AS SELECT key, in_pairs(rule_text) AS rule_text FROM lessons WHERE purge_at IS NULL;

CREATE VIRTUAL TABLE messages_fts USING fts5 (
    text, context, content='messages_indexed', content_rowid='key', tokenize="porter unicode61 categories 'L* M* N* Co'"
);
CREATE VIRTUAL TABLE memories_fts USING fts5 (
    text, tags, content='memories_indexed', content_rowid='key', tokenize="porter unicode61 categories 'L* M* N* Co'"
);
CREATE VIRTUAL TABLE lessons_fts USING fts5 (
    rule_text, content='lessons_indexed', content_rowid='key', tokenize="porter unicode61 categories 'L* M* N* Co'"
);

-- What is taken from an index is read from the view while the row is still there, and what is added when it is there.
CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts (rowid, text, context) SELECT key, text, context FROM messages_indexed WHERE key = new.key;
END;
CREATE TRIGGER messages_fts_before BEFORE UPDATE OF text, context, status, active ON messages BEGIN
    INSERT INTO messages_fts (messages_fts, rowid, text, context)
        SELECT 'delete', key, text, context FROM messages_indexed WHERE key = old.key;
END;
CREATE TRIGGER messages_fts_update AFTER UPDATE OF text, context, status, active ON messages BEGIN
    INSERT INTO messages_fts (rowid, text, context) SELECT key, text, context FROM messages_indexed WHERE key = new.key;
END;
CREATE TRIGGER messages_fts_delete BEFORE DELETE ON messages BEGIN
    INSERT INTO messages_fts (messages_fts, rowid, text, context)
        SELECT 'delete', key, text, context FROM messages_indexed WHERE key = old.key;
END;

CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories BEGIN
    INSERT INTO memories_fts (rowid, text, tags) SELECT key, text, tags FROM memories_indexed WHERE key = new.key;
END;
CREATE TRIGGER memories_fts_before BEFORE UPDATE OF text, tags, steps, instead_of, state ON memories
WHEN old.text <> new.text OR old.tags <> new.tags OR old.steps <> new.steps OR old.instead_of <> new.instead_of
    OR old.state <> new.state BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, text, tags)
        SELECT 'delete', key, text, tags FROM memories_indexed WHERE key = old.key;
END;
CREATE TRIGGER memories_fts_update AFTER UPDATE OF text, tags, steps, instead_of, state ON memories
WHEN old.text <> new.text OR old.tags <> new.tags OR old.steps <> new.steps OR old.instead_of <> new.instead_of
    OR old.state <> new.state BEGIN
    INSERT INTO memories_fts (rowid, text, tags) SELECT key, text, tags FROM memories_indexed WHERE key = new.key;
END;
CREATE TRIGGER memories_fts_delete BEFORE DELETE ON memories BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, text, tags)
        SELECT 'delete', key, text, tags FROM memories_indexed WHERE key = old.key;
END;

CREATE TRIGGER lessons_fts_insert AFTER INSERT ON lessons BEGIN
    INSERT INTO lessons_fts (rowid, rule_text) SELECT key, rule_text FROM lessons_indexed WHERE key = new.key;
END;
CREATE TRIGGER lessons_fts_before BEFORE UPDATE OF rule_text, purge_at ON lessons BEGIN
    INSERT INTO lessons_fts (lessons_fts, rowid, rule_text) SELECT 'delete', key, rule_text FROM lessons_indexed WHERE key = old.key;
END;
CREATE TRIGGER lessons_fts_update AFTER UPDATE OF rule_text, purge_at ON lessons BEGIN
    INSERT INTO lessons_fts (rowid, rule_text) SELECT key, rule_text FROM lessons_indexed WHERE key = new.key;
END;
CREATE TRIGGER lessons_fts_delete BEFORE DELETE ON lessons BEGIN
    INSERT INTO lessons_fts (lessons_fts, rowid, rule_text) SELECT 'delete', key, rule_text FROM lessons_indexed WHERE key = old.key;
END;

INSERT INTO messages_fts (messages_fts) VALUES ('rebuild');
INSERT INTO memories_fts (memories_fts) VALUES ('rebuild');
INSERT INTO lessons_fts (lessons_fts) VALUES ('rebuild');

-- The bundled embedding model may know nothing of what is written in other than Latin letters: such vectors are made anew, in
-- idle time.
DELETE FROM embeddings WHERE model_id GLOB 'all-MiniLM-L6-v2@*' AND (
    owner_kind = 'memory' AND owner_key IN (SELECT key FROM memories WHERE text GLOB '*[^' || char(1) || '-ɏ‐-⁯]*')
    OR owner_kind = 'message' AND owner_key IN (SELECT key FROM messages WHERE text GLOB '*[^' || char(1) || '-ɏ‐-⁯]*')
);
