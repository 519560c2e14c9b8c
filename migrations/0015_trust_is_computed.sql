-- The trust in an agent after each of its events is computed from these; nothing is written down of it.
DROP TABLE trust_history;
