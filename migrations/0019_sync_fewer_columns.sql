-- Only what is read is kept; what the database says of the machines is heard again with the next exchange.
ALTER TABLE sync_machine DROP COLUMN memory;
ALTER TABLE sync_machine DROP COLUMN tidying;
ALTER TABLE sync_entries DROP COLUMN device;
UPDATE sync_machine SET told = '{"tidying": 0}';

-- The profile takes a value by a request that is approved here, or that was applied on another machine; a value goes likewise.
DROP TRIGGER profile_insert_needs_request;
CREATE TRIGGER profile_insert_needs_request BEFORE INSERT ON profile WHEN NOT EXISTS (
    SELECT 1 FROM consent_requests p WHERE id = new.request_id AND user_id = new.user_id AND field = new.field AND new_value = new.value
    AND (old_value = '' AND state = 'approved' OR state = 'applied' AND EXISTS (
        SELECT 1 FROM sync_decisions WHERE request_id = p.id AND decided_at = p.decided_at))) BEGIN
    SELECT raise(ABORT, 'the profile changes by an approved consent request only');
END;
DROP TRIGGER profile_insert_uses_request;
CREATE TRIGGER profile_insert_uses_request AFTER INSERT ON profile BEGIN
    UPDATE consent_requests SET state = 'applied' WHERE id = new.request_id AND state = 'approved';
END;
DROP TRIGGER profile_delete_needs_request;
CREATE TRIGGER profile_delete_needs_request BEFORE DELETE ON profile WHEN NOT EXISTS (
    SELECT 1 FROM consent_requests WHERE user_id = old.user_id AND field = old.field AND old_value = old.value AND new_value = ''
                            AND state = 'approved')
AND NOT EXISTS (SELECT 1 FROM sync_decisions WHERE request_id = old.request_id) BEGIN
    SELECT raise(ABORT, 'the profile changes by an approved consent request only');
END;

-- What was erased on another machine is not learned again here: its fingerprint comes with the key that it was made with.
ALTER TABLE forgotten ADD COLUMN made_with TEXT NOT NULL DEFAULT '';    -- '': the key of this file
CREATE TRIGGER sync_forgotten_new AFTER INSERT ON forgotten BEGIN INSERT INTO sync_changed VALUES ('forgotten', new.fingerprint); END;
CREATE TRIGGER sync_forgotten_gone AFTER DELETE ON forgotten BEGIN INSERT INTO sync_changed VALUES ('forgotten', old.fingerprint); END;
CREATE TRIGGER sync_fingerprints_merged AFTER UPDATE OF merged_into ON fingerprints BEGIN
    INSERT INTO sync_changed SELECT 'lessons', lesson_id FROM lesson_triggers WHERE fingerprint_id = new.id;
END;
-- What is carried out from elsewhere is not marked as changed here.
DROP TRIGGER sync_changed_marks;
CREATE TRIGGER sync_changed_marks INSTEAD OF INSERT ON sync_changed BEGIN
    INSERT INTO sync_things (kind, id, clock, device, changes, erased)
        SELECT new.kind, new.id, max(CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), latest + 1), device, 1,
               state = 'erasing'
        FROM sync_machine WHERE state <> 'applying'
        ON CONFLICT DO UPDATE SET clock = excluded.clock, device = excluded.device, changes = changes + 1,
                                  erased = max(erased, excluded.erased);
END;
