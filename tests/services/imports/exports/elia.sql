CREATE TABLE chat (id INTEGER PRIMARY KEY, model VARCHAR, title VARCHAR, started_at DATETIME, archived BOOLEAN);
CREATE TABLE message (
       id INTEGER PRIMARY KEY, chat_id INTEGER, role VARCHAR, content VARCHAR, timestamp DATETIME,
       meta JSON, parent_id INTEGER, model VARCHAR);
INSERT INTO chat VALUES (1, 'm', 'Bees', '2026-01-31 08:15:00.5', 0);
INSERT INTO message (chat_id, role, content, timestamp) VALUES
       (1, 'system', 'Be nice.', '2026-01-31 08:15:00'),
       (1, 'user', 'Hi', '2026-01-31 08:15:01'), (1, 'assistant', 'Yes.', NULL);
