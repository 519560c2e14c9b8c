-- How-tos: a kind of memory whose text is a title, with steps; and which of these were ticked off since it was begun.
INSERT INTO memory_kinds (name) VALUES ('procedural');
INSERT INTO profile_fields (name, sensitivity, many) VALUES ('howto', 'sensitive', 0);   -- not of the profile: one that is proposed
CREATE TRIGGER profile_has_no_howto BEFORE INSERT ON profile WHEN new.field = 'howto' BEGIN
    SELECT raise(ABORT, 'a how-to is not of the profile');
END;
ALTER TABLE memories ADD COLUMN steps TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(steps));
CREATE TABLE howto_ticks (
    memory_id TEXT NOT NULL REFERENCES memories (id),
    step INTEGER NOT NULL CHECK (step >= 1),
    user_id TEXT NOT NULL,
    done_at TEXT NOT NULL,
    PRIMARY KEY (memory_id, step)
) STRICT, WITHOUT ROWID;

-- The words of steps are found like tags.
DROP TRIGGER memories_fts_insert;
DROP TRIGGER memories_fts_update;
DROP TRIGGER memories_fts_delete;
DROP VIEW memories_indexed;
CREATE VIEW memories_indexed AS SELECT key, text, tags || steps AS tags FROM memories WHERE state = 'live';
CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories WHEN new.state = 'live' BEGIN
    INSERT INTO memories_fts (rowid, text, tags) VALUES (new.key, new.text, new.tags || new.steps);
END;
CREATE TRIGGER memories_fts_update AFTER UPDATE OF text, tags, steps, state ON memories
WHEN old.text <> new.text OR old.tags <> new.tags OR old.steps <> new.steps OR old.state <> new.state BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, text, tags)
        SELECT 'delete', old.key, old.text, old.tags || old.steps WHERE old.state = 'live';
    INSERT INTO memories_fts (rowid, text, tags) SELECT new.key, new.text, new.tags || new.steps WHERE new.state = 'live';
END;
CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories WHEN old.state = 'live' BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, text, tags) VALUES ('delete', old.key, old.text, old.tags || old.steps);
END;
