-- Other programs: an agent that reads the memory may propose something for it, and what it proposes waits for the person.
INSERT INTO memory_origins (name) VALUES ('agent');
INSERT INTO deciders (name) VALUES ('agent');    -- who takes back what it proposed itself

-- What an agent gives as the person's words; nobody checked that they are.
ALTER TABLE consent_requests ADD COLUMN quote TEXT NOT NULL DEFAULT '' CHECK (length(quote) <= 280);
CREATE TRIGGER consent_requests_keep_their_quote BEFORE UPDATE OF quote ON consent_requests BEGIN
    SELECT raise(ABORT, 'what a consent request proposes cannot be changed');
END;

-- Whatever the code above does, another program changes nothing, and what it brought is known by the person's own yes only.
CREATE TRIGGER consent_requests_of_agents_need_the_person BEFORE UPDATE OF state ON consent_requests
WHEN new.state = 'approved' AND coalesce(new.decided_by, '') <> 'person'
     AND (old.proposer = 'client' OR old.proposer GLOB 'client:*' OR old.memory <> '' AND old.memory ->> 'origin' = 'agent') BEGIN
    SELECT raise(ABORT, 'nobody but the person says yes to what an agent proposes');
END;
CREATE TRIGGER memories_of_agents_need_a_yes BEFORE INSERT ON memories WHEN new.origin = 'agent' AND NOT EXISTS (
    SELECT 1 FROM consent_requests WHERE user_id = new.user_id AND field IN ('fact', 'forgotten')
    AND state IN ('approved', 'applied') AND decided_by = 'person' AND new_value = new.text) BEGIN
    SELECT raise(ABORT, 'nobody said yes to what an agent brought');
END;
CREATE TRIGGER memories_become_no_agents BEFORE UPDATE OF origin ON memories
WHEN new.origin = 'agent' AND old.origin <> 'agent' BEGIN
    SELECT raise(ABORT, 'nobody said yes to what an agent brought');
END;
CREATE TRIGGER history_has_no_change_by_an_agent BEFORE INSERT ON history
WHEN (new.actor = 'client' OR new.actor GLOB 'client:*') AND new.event <> 'PROFILE' BEGIN
    SELECT raise(ABORT, 'another program changes nothing itself');
END;
