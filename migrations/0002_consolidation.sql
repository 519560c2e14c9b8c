-- The tidying of memories that are alike. Pairs of them that were looked at, so that they are not again for some time: under
-- their likeness then, since other words make it another pair. One that was put before the person stays.
CREATE TABLE compared_pairs (
    user_id TEXT NOT NULL,
    id_a TEXT NOT NULL,
    id_b TEXT NOT NULL,
    score REAL NOT NULL,                         -- the cosine, rounded to two places
    asked INTEGER NOT NULL DEFAULT 0 CHECK (asked IN (0, 1)),
    ts TEXT NOT NULL,
    PRIMARY KEY (user_id, id_a, id_b, score),
    CHECK (id_a < id_b)
) STRICT, WITHOUT ROWID;
CREATE INDEX compared_pairs_other ON compared_pairs (id_b);
CREATE INDEX compared_pairs_recent ON compared_pairs (user_id, ts);

-- The memories whose pairs were all looked at, and when: one that never was is taken up, however old it is.
CREATE TABLE consolidated (
    memory_id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    ts TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Two memories that cannot both hold, put before the person: the old value gives way to the new one. It is not of the profile.
INSERT INTO profile_fields (name, sensitivity, many) VALUES ('conflict', 'sensitive', 0);
CREATE TRIGGER profile_has_no_conflict BEFORE INSERT ON profile WHEN new.field = 'conflict' BEGIN
    SELECT raise(ABORT, 'a conflict is not of the profile');
END;
CREATE TRIGGER profile_gets_no_conflict BEFORE UPDATE OF field ON profile WHEN new.field = 'conflict' BEGIN
    SELECT raise(ABORT, 'a conflict is not of the profile');
END;
