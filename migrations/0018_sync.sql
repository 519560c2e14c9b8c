-- Sync: this machine among the person's others, what was changed since they were told, and what came from them. Nothing is
-- written here while no database stands between machines.
INSERT INTO history_events (name) VALUES ('SYNC');
INSERT INTO actors (name) VALUES ('sync');

-- This machine; no row where nothing is shared.
CREATE TABLE sync_machine (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    device TEXT NOT NULL CHECK (length(device) = 16),
    memory TEXT NOT NULL CHECK (length(memory) = 32),    -- whose entries they are
    number INTEGER NOT NULL DEFAULT 0,                   -- the last entry that was carried out
    hash BLOB NOT NULL,                                  -- of that entry
    latest INTEGER NOT NULL DEFAULT 0,                   -- the latest clock that was seen: ours never stands behind it
    state TEXT NOT NULL DEFAULT '' CHECK (state IN ('', 'applying', 'erasing')),   -- inside of one transaction
    tidying INTEGER NOT NULL DEFAULT 0,                  -- until when this machine may merge and tidy, in milliseconds
    told TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(told))     -- of each machine, what the database said last: names and numbers
) STRICT;
-- Every thing that travels: when it was changed last, and whether the others know.
CREATE TABLE sync_things (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    clock INTEGER NOT NULL,
    device TEXT NOT NULL,
    changes INTEGER NOT NULL,                            -- since it was sent; 0: all is known to the others
    erased INTEGER NOT NULL DEFAULT 0 CHECK (erased IN (0, 1)),  -- by an erasure: what was sent of it before goes too
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sync_things_waiting ON sync_things (kind, id) WHERE changes > 0;
-- Which entry was about what: it is emptied when that is erased, and sent again when the database lost it.
CREATE TABLE sync_entries (
    number INTEGER PRIMARY KEY,
    device TEXT NOT NULL,
    kind TEXT NOT NULL,                                  -- '' of what is no change of a thing
    id TEXT NOT NULL,
    hash BLOB NOT NULL
) STRICT;
CREATE INDEX sync_entries_thing ON sync_entries (kind, id);
-- Erasures that the others do not know of yet, encrypted: what is erased stands nowhere.
CREATE TABLE sync_erasures (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    box BLOB NOT NULL
) STRICT;

-- A yes that was given on another machine, in a chat or by what was said, for as long as it takes to write it down here: there
-- the guard below found it to be true.
CREATE TABLE sync_decisions (
    request_id TEXT PRIMARY KEY,
    decided_by TEXT NOT NULL,
    decided_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
DROP TRIGGER consent_requests_need_a_yes;
CREATE TRIGGER consent_requests_need_a_yes BEFORE UPDATE OF state ON consent_requests WHEN new.state = 'approved' AND NOT (
    new.decided_at <= old.expires_at AND (
        new.decided_by = 'person'
        OR EXISTS (SELECT 1 FROM sync_decisions
                   WHERE request_id = old.id AND decided_by = new.decided_by AND decided_at = new.decided_at
                   AND (new.decided_by = 'chat' OR new.decided_by = 'signals'
                        AND (SELECT sensitivity FROM profile_fields WHERE name = old.field) = 'benign'))
        OR new.decided_by = 'chat' AND EXISTS (         -- a typed message came right after the question, and no other since
            SELECT 1 FROM messages q JOIN messages a ON a.thread_id = q.thread_id AND a.seq > q.seq
            WHERE q.id = old.asked_in AND a.role = 'user' AND a.active = 1
            GROUP BY q.id HAVING count(*) = 1 AND max(a.origin) = 'typed')
        OR new.decided_by = 'signals'
           AND (SELECT sensitivity FROM profile_fields WHERE name = old.field) = 'benign'
           AND (SELECT count(*) FROM request_evidence e JOIN messages m ON m.id = e.message_id
                WHERE e.request_id = old.id AND e.typed = 1 AND m.active = 1) >= 2)) BEGIN
    SELECT raise(ABORT, 'nobody said yes to this consent request');
END;
-- The last one made is asked first: that of agents says more.
DROP TRIGGER consent_requests_of_agents_need_the_person;
CREATE TRIGGER consent_requests_of_agents_need_the_person BEFORE UPDATE OF state ON consent_requests
WHEN new.state = 'approved' AND coalesce(new.decided_by, '') <> 'person'
     AND (old.proposer = 'client' OR old.proposer GLOB 'client:*' OR old.memory <> '' AND old.memory ->> 'origin' = 'agent') BEGIN
    SELECT raise(ABORT, 'nobody but the person says yes to what an agent proposes');
END;

-- What is changed here is marked; what is carried out from elsewhere is not.
CREATE VIEW sync_changed AS SELECT kind, id FROM sync_things;
CREATE TRIGGER sync_changed_marks INSTEAD OF INSERT ON sync_changed BEGIN
    INSERT INTO sync_things (kind, id, clock, device, changes, erased)
        SELECT new.kind, new.id, max(CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), latest + 1), device, 1,
               state = 'erasing'
        FROM sync_machine WHERE true
        ON CONFLICT DO UPDATE SET clock = excluded.clock, device = excluded.device, changes = changes + 1,
                                  erased = max(erased, excluded.erased);
END;

CREATE TRIGGER sync_imported_files_new AFTER INSERT ON imported_files WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('imported_files', new.id);
END;
CREATE TRIGGER sync_imported_files_set AFTER UPDATE ON imported_files WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('imported_files', new.id);
END;
CREATE TRIGGER sync_imported_files_gone AFTER DELETE ON imported_files WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('imported_files', old.id);
END;
CREATE TRIGGER sync_threads_new AFTER INSERT ON threads WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('threads', new.id);
END;
CREATE TRIGGER sync_threads_set AFTER UPDATE ON threads WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('threads', new.id);
END;
CREATE TRIGGER sync_threads_gone AFTER DELETE ON threads WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('threads', old.id);
END;
CREATE TRIGGER sync_messages_new AFTER INSERT ON messages WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('messages', new.id);
END;
CREATE TRIGGER sync_messages_set AFTER UPDATE OF thread_id, seq, role, text, status, origin, pasted, unprompted, reply_to, active, model, usage ON messages WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('messages', new.id);
END;
CREATE TRIGGER sync_messages_gone AFTER DELETE ON messages WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('messages', old.id);
END;
CREATE TRIGGER sync_context_cards_new AFTER INSERT ON context_cards WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('context_cards', new.id);
END;
CREATE TRIGGER sync_context_cards_set AFTER UPDATE ON context_cards WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('context_cards', new.id);
END;
CREATE TRIGGER sync_context_cards_gone AFTER DELETE ON context_cards WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('context_cards', old.id);
END;
CREATE TRIGGER sync_predictions_new AFTER INSERT ON predictions WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('predictions', new.id);
END;
CREATE TRIGGER sync_predictions_set AFTER UPDATE ON predictions WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('predictions', new.id);
END;
CREATE TRIGGER sync_predictions_gone AFTER DELETE ON predictions WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('predictions', old.id);
END;
CREATE TRIGGER sync_surprises_new AFTER INSERT ON surprises WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('surprises', new.id);
END;
CREATE TRIGGER sync_surprises_set AFTER UPDATE ON surprises WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('surprises', new.id);
END;
CREATE TRIGGER sync_surprises_gone AFTER DELETE ON surprises WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('surprises', old.id);
END;
CREATE TRIGGER sync_recalls_new AFTER INSERT ON recalls WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('recalls', new.message_id || ':' || new.rank);
END;
CREATE TRIGGER sync_recalls_set AFTER UPDATE ON recalls WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('recalls', new.message_id || ':' || new.rank);
END;
CREATE TRIGGER sync_recalls_gone AFTER DELETE ON recalls WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('recalls', old.message_id || ':' || old.rank);
END;
CREATE TRIGGER sync_episode_ends_new AFTER INSERT ON episode_ends WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('episode_ends', new.thread_id);
END;
CREATE TRIGGER sync_episode_ends_set AFTER UPDATE ON episode_ends WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('episode_ends', new.thread_id);
END;
CREATE TRIGGER sync_episode_ends_gone AFTER DELETE ON episode_ends WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('episode_ends', old.thread_id);
END;
CREATE TRIGGER sync_taken_back_new AFTER INSERT ON taken_back WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('taken_back', new.message_id);
END;
CREATE TRIGGER sync_taken_back_set AFTER UPDATE ON taken_back WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('taken_back', new.message_id);
END;
CREATE TRIGGER sync_taken_back_gone AFTER DELETE ON taken_back WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('taken_back', old.message_id);
END;
CREATE TRIGGER sync_consent_requests_new AFTER INSERT ON consent_requests WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('consent_requests', new.id);
END;
CREATE TRIGGER sync_consent_requests_set AFTER UPDATE ON consent_requests WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('consent_requests', new.id);
END;
CREATE TRIGGER sync_consent_requests_gone AFTER DELETE ON consent_requests WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('consent_requests', old.id);
END;
CREATE TRIGGER sync_memories_new AFTER INSERT ON memories WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('memories', new.id);
END;
CREATE TRIGGER sync_memories_set AFTER UPDATE ON memories WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('memories', new.id);
END;
CREATE TRIGGER sync_memories_gone AFTER DELETE ON memories WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('memories', old.id);
END;
CREATE TRIGGER sync_profile_new AFTER INSERT ON profile WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('profile', new.request_id);
END;
CREATE TRIGGER sync_profile_set AFTER UPDATE ON profile WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('profile', old.request_id);
    INSERT INTO sync_changed VALUES ('profile', new.request_id);
END;
CREATE TRIGGER sync_profile_gone AFTER DELETE ON profile WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('profile', old.request_id);
END;
CREATE TRIGGER sync_access_counts_new AFTER INSERT ON access_counts WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('access_counts', new.memory_id);
END;
CREATE TRIGGER sync_access_counts_set AFTER UPDATE ON access_counts WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('access_counts', new.memory_id);
END;
CREATE TRIGGER sync_access_counts_gone AFTER DELETE ON access_counts WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('access_counts', old.memory_id);
END;
CREATE TRIGGER sync_howto_ticks_new AFTER INSERT ON howto_ticks WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('howto_ticks', new.memory_id || ':' || new.step);
END;
CREATE TRIGGER sync_howto_ticks_set AFTER UPDATE ON howto_ticks WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('howto_ticks', new.memory_id || ':' || new.step);
END;
CREATE TRIGGER sync_howto_ticks_gone AFTER DELETE ON howto_ticks WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('howto_ticks', old.memory_id || ':' || old.step);
END;
CREATE TRIGGER sync_relations_new AFTER INSERT ON relations WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('relations', new.id);
END;
CREATE TRIGGER sync_relations_set AFTER UPDATE ON relations WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('relations', new.id);
END;
CREATE TRIGGER sync_relations_gone AFTER DELETE ON relations WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('relations', old.id);
END;
CREATE TRIGGER sync_lessons_new AFTER INSERT ON lessons WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('lessons', new.id);
END;
CREATE TRIGGER sync_lessons_set AFTER UPDATE ON lessons WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('lessons', new.id);
END;
CREATE TRIGGER sync_lessons_gone AFTER DELETE ON lessons WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('lessons', old.id);
END;
CREATE TRIGGER sync_agents_new AFTER INSERT ON agents WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('agents', new.name);
END;
CREATE TRIGGER sync_agents_set AFTER UPDATE OF model, primary_role, rounds, probation_until, blocked, imported, program ON agents WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('agents', new.name);
END;
CREATE TRIGGER sync_agents_gone AFTER DELETE ON agents WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('agents', old.name);
END;
CREATE TRIGGER sync_rubric_new AFTER INSERT ON rubric WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('rubric', new.criterion);
END;
CREATE TRIGGER sync_rubric_set AFTER UPDATE ON rubric WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('rubric', new.criterion);
END;
CREATE TRIGGER sync_rubric_gone AFTER DELETE ON rubric WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('rubric', old.criterion);
END;
CREATE TRIGGER sync_rounds_new AFTER INSERT ON rounds WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('rounds', new.id);
END;
CREATE TRIGGER sync_rounds_set AFTER UPDATE ON rounds WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('rounds', new.id);
END;
CREATE TRIGGER sync_rounds_gone AFTER DELETE ON rounds WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('rounds', old.id);
END;
CREATE TRIGGER sync_history_new AFTER INSERT ON history WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('history', new.id);
END;
CREATE TRIGGER sync_history_set AFTER UPDATE OF old_ref, new_ref ON history WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('history', new.id);
END;
CREATE TRIGGER sync_request_evidence_new AFTER INSERT ON request_evidence WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('consent_requests', new.request_id);
END;
CREATE TRIGGER sync_request_evidence_gone AFTER DELETE ON request_evidence WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('consent_requests', old.request_id);
END;
CREATE TRIGGER sync_memory_sources_new AFTER INSERT ON memory_sources WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('memories', new.memory_id);
END;
CREATE TRIGGER sync_memory_sources_gone AFTER DELETE ON memory_sources WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('memories', old.memory_id);
END;
CREATE TRIGGER sync_lesson_triggers_new AFTER INSERT ON lesson_triggers WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('lessons', new.lesson_id);
END;
CREATE TRIGGER sync_lesson_triggers_gone AFTER DELETE ON lesson_triggers WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('lessons', old.lesson_id);
END;
CREATE TRIGGER sync_lesson_tags_new AFTER INSERT ON lesson_tags WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('lessons', new.lesson_id);
END;
CREATE TRIGGER sync_lesson_tags_gone AFTER DELETE ON lesson_tags WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('lessons', old.lesson_id);
END;
CREATE TRIGGER sync_dissents_new AFTER INSERT ON dissents WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('rounds', new.round_id);
END;
CREATE TRIGGER sync_dissents_gone AFTER DELETE ON dissents WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('rounds', old.round_id);
END;
CREATE TRIGGER sync_dissents_set AFTER UPDATE ON dissents WHEN (SELECT state FROM sync_machine) <> 'applying' BEGIN
    INSERT INTO sync_changed VALUES ('rounds', new.round_id);
END;
-- What an erasure takes from the versions of a thing goes from what was sent of it before, too.
CREATE TRIGGER sync_versions_gone AFTER DELETE ON versions WHEN (SELECT state FROM sync_machine) = 'erasing' BEGIN
    INSERT INTO sync_changed VALUES ('memories', old.memory_id);
END;
CREATE TRIGGER sync_lesson_versions_gone AFTER DELETE ON lesson_versions WHEN (SELECT state FROM sync_machine) = 'erasing' BEGIN
    INSERT INTO sync_changed VALUES ('lessons', old.lesson_id);
END;
