-- What memapp learns by itself in idle time: insights, which rest on memories and messages, and the episodes of chats.
INSERT INTO memory_kinds (name) VALUES ('insight');
INSERT INTO memory_origins (name) VALUES ('reflected');
INSERT INTO relation_types (name) VALUES ('evidence');   -- from an insight to a memory that it rests on

-- Up to which message of a chat an episode was looked for; what comes later is still to be told.
CREATE TABLE episode_ends (
    thread_id TEXT PRIMARY KEY REFERENCES threads (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
