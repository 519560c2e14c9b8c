-- A memory in the person's own words, as they typed them.
INSERT INTO memory_origins (name) VALUES ('said');

-- A memory may say what it says in place of: both sentences are the person's own, and are found by the words of either.
ALTER TABLE memories ADD COLUMN instead_of TEXT NOT NULL DEFAULT '';

DROP TRIGGER memories_fts_insert;
DROP TRIGGER memories_fts_update;
DROP TRIGGER memories_fts_delete;
DROP VIEW memories_indexed;
CREATE VIEW memories_indexed AS
    SELECT key, text, tags || steps || ' ' || instead_of AS tags FROM memories WHERE state = 'live';
CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories WHEN new.state = 'live' BEGIN
    INSERT INTO memories_fts (rowid, text, tags) VALUES (new.key, new.text, new.tags || new.steps || ' ' || new.instead_of);
END;
CREATE TRIGGER memories_fts_update AFTER UPDATE OF text, tags, steps, instead_of, state ON memories
WHEN old.text <> new.text OR old.tags <> new.tags OR old.steps <> new.steps OR old.instead_of <> new.instead_of
    OR old.state <> new.state BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, text, tags)
        SELECT 'delete', old.key, old.text, old.tags || old.steps || ' ' || old.instead_of WHERE old.state = 'live';
    INSERT INTO memories_fts (rowid, text, tags)
        SELECT new.key, new.text, new.tags || new.steps || ' ' || new.instead_of WHERE new.state = 'live';
END;
CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories WHEN old.state = 'live' BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, text, tags)
        VALUES ('delete', old.key, old.text, old.tags || old.steps || ' ' || old.instead_of);
END;
