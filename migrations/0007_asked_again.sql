-- memapp may ask once more about what still waits: a yes may come late.

DROP TRIGGER consent_requests_are_asked_once;
CREATE TRIGGER consent_requests_are_asked_by_memapp BEFORE UPDATE OF asked_in ON consent_requests WHEN NOT (
    old.state = 'pending' AND EXISTS (
        SELECT 1 FROM messages WHERE id = new.asked_in AND user_id = old.user_id AND role = 'assistant' AND unprompted = 1
                                     AND model = '/memapp')) BEGIN
    SELECT raise(ABORT, 'memapp itself asks');
END;
