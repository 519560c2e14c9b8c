-- What an agent brought and the person agreed to on another machine comes here as it is by now: it may have been edited since.
DROP TRIGGER memories_of_agents_need_a_yes;
CREATE TRIGGER memories_of_agents_need_a_yes BEFORE INSERT ON memories WHEN new.origin = 'agent' AND NOT EXISTS (
    SELECT 1 FROM consent_requests WHERE user_id = new.user_id AND field IN ('fact', 'forgotten')
    AND state IN ('approved', 'applied') AND decided_by = 'person' AND new_value = new.text)
AND NOT EXISTS (SELECT 1 FROM sync_decisions WHERE request_id = new.id) BEGIN
    SELECT raise(ABORT, 'nobody said yes to what an agent brought');
END;
