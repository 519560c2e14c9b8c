-- One file holds everything. Tables of a person carry user_id; ids are ULIDs; times are UTC text, e.g. 2026-01-31T08:15:00.000Z.
-- `key` is an explicit rowid: VACUUM may renumber an implicit one, and the full-text tables point at it.
-- No index is DESC: ids and times only grow, and what grows at the end of an index fills its pages, at the beginning half of them.

CREATE TABLE threads (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    title TEXT NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
    titled_by TEXT NOT NULL DEFAULT 'app' CHECK (titled_by IN ('app', 'person')),
    persona TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    deleted_at TEXT
) STRICT;
CREATE INDEX threads_recent ON threads (user_id, updated_at) WHERE deleted_at IS NULL;

CREATE TABLE messages (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    text TEXT NOT NULL CHECK (length(text) <= 200000),
    context TEXT NOT NULL DEFAULT '',            -- the neighbouring messages, for the lighter column of messages_fts
    status TEXT NOT NULL CHECK (status IN ('complete', 'generating', 'stopped', 'interrupted', 'failed')),
    origin TEXT NOT NULL CHECK (origin IN ('typed', 'model', 'import')),
    pasted TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(pasted)),  -- [start, end] spans of `text` that were pasted, not typed
    unprompted INTEGER NOT NULL DEFAULT 0 CHECK (unprompted IN (0, 1)),
    reply_to TEXT REFERENCES messages (id) ON DELETE CASCADE,
    active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),    -- 0: an older variant, or edited away
    model TEXT NOT NULL DEFAULT '',
    usage TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(usage)),
    created_at TEXT NOT NULL,
    UNIQUE (thread_id, seq)
) STRICT;
CREATE INDEX messages_reply ON messages (reply_to) WHERE reply_to IS NOT NULL;
CREATE INDEX messages_unfinished ON messages (status) WHERE status = 'generating';

-- One update trigger does both halves: the order of two triggers on the same event is undefined.
CREATE VIEW messages_indexed AS
    SELECT key, text, context FROM messages WHERE active = 1 AND status IN ('complete', 'stopped', 'interrupted');
CREATE VIRTUAL TABLE messages_fts USING fts5 (
    text, context, content='messages_indexed', content_rowid='key', tokenize='porter unicode61'
);
CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages
WHEN new.active = 1 AND new.status IN ('complete', 'stopped', 'interrupted') BEGIN
    INSERT INTO messages_fts (rowid, text, context) VALUES (new.key, new.text, new.context);
END;
CREATE TRIGGER messages_fts_update AFTER UPDATE OF text, context, status, active ON messages BEGIN
    INSERT INTO messages_fts (messages_fts, rowid, text, context)
        SELECT 'delete', old.key, old.text, old.context WHERE old.active = 1 AND old.status IN ('complete', 'stopped', 'interrupted');
    INSERT INTO messages_fts (rowid, text, context)
        SELECT new.key, new.text, new.context WHERE new.active = 1 AND new.status IN ('complete', 'stopped', 'interrupted');
END;
CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages
WHEN old.active = 1 AND old.status IN ('complete', 'stopped', 'interrupted') BEGIN
    INSERT INTO messages_fts (messages_fts, rowid, text, context) VALUES ('delete', old.key, old.text, old.context);
END;

CREATE TABLE predictions (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,   -- the reply it came with
    source TEXT NOT NULL CHECK (source IN ('predictor', 'responder')),
    text TEXT NOT NULL CHECK (length(text) <= 2000),
    needed_info TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(needed_info)),
    created_at TEXT NOT NULL,
    checked_by TEXT REFERENCES messages (id) ON DELETE SET NULL,           -- the message it was compared with
    surprised INTEGER CHECK (surprised IN (0, 1)),
    why TEXT NOT NULL DEFAULT '',
    UNIQUE (message_id, source)
) STRICT;
CREATE INDEX predictions_thread ON predictions (thread_id, id);

CREATE TABLE surprises (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    message_id TEXT NOT NULL UNIQUE REFERENCES messages (id) ON DELETE CASCADE,
    prediction_id TEXT REFERENCES predictions (id) ON DELETE CASCADE,      -- NULL: nothing was expected
    state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'learned', 'nothing', 'failed')),
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX surprises_pending ON surprises (id) WHERE state = 'pending';

CREATE TABLE memories (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL DEFAULT 'semantic' CHECK (kind IN ('semantic', 'episodic')),
    category TEXT NOT NULL DEFAULT '',
    text TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 280),
    normal_text TEXT NOT NULL,                   -- what counts as "the same fact"
    tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
    importance INTEGER NOT NULL DEFAULT 2 CHECK (importance BETWEEN 1 AND 5),
    pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    state TEXT NOT NULL DEFAULT 'live' CHECK (state IN ('live', 'soft_deleted')),
    reason TEXT NOT NULL DEFAULT '',             -- why it was soft-deleted: person, overflow
    origin TEXT NOT NULL CHECK (origin IN ('distilled', 'person')),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX memories_once ON memories (user_id, normal_text) WHERE state = 'live';
CREATE INDEX memories_recent ON memories (user_id, state, id);

CREATE TABLE memory_sources (
    memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    PRIMARY KEY (memory_id, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_sources_message ON memory_sources (message_id);

CREATE VIEW memories_indexed AS SELECT key, text, tags FROM memories WHERE state = 'live';
CREATE VIRTUAL TABLE memories_fts USING fts5 (
    text, tags, content='memories_indexed', content_rowid='key', tokenize='porter unicode61'
);
CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories WHEN new.state = 'live' BEGIN
    INSERT INTO memories_fts (rowid, text, tags) VALUES (new.key, new.text, new.tags);
END;
CREATE TRIGGER memories_fts_update AFTER UPDATE OF text, tags, state ON memories BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, text, tags)
        SELECT 'delete', old.key, old.text, old.tags WHERE old.state = 'live';
    INSERT INTO memories_fts (rowid, text, tags) SELECT new.key, new.text, new.tags WHERE new.state = 'live';
END;
CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories WHEN old.state = 'live' BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, text, tags) VALUES ('delete', old.key, old.text, old.tags);
END;

CREATE TABLE embeddings (
    number INTEGER PRIMARY KEY AUTOINCREMENT,    -- never used twice: what is above the last one seen is new
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('memory', 'message')),
    owner_key INTEGER NOT NULL,
    model_id TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    vector BLOB NOT NULL CHECK (length(vector) = 4 * dimension),
    UNIQUE (owner_key, owner_kind, model_id)     -- in this order: what changes drops its vectors, whatever model they are of
) STRICT;
CREATE TRIGGER embeddings_memory_gone AFTER DELETE ON memories BEGIN
    DELETE FROM embeddings WHERE owner_kind = 'memory' AND owner_key = old.key;
END;
CREATE TRIGGER embeddings_message_gone AFTER DELETE ON messages BEGIN
    DELETE FROM embeddings WHERE owner_kind = 'message' AND owner_key = old.key;
END;
CREATE TRIGGER embeddings_memory_stale AFTER UPDATE OF text, state ON memories BEGIN
    DELETE FROM embeddings WHERE owner_kind = 'memory' AND owner_key = old.key;
END;
CREATE TRIGGER embeddings_message_stale AFTER UPDATE OF text, active ON messages BEGIN
    DELETE FROM embeddings WHERE owner_kind = 'message' AND owner_key = old.key;
END;

-- Which memories and earlier messages stood in the prompt of a reply.
CREATE TABLE recalls (
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    rank INTEGER NOT NULL,
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('memory', 'message')),
    owner_id TEXT NOT NULL,
    score REAL NOT NULL,
    why TEXT NOT NULL,
    PRIMARY KEY (message_id, rank)
) STRICT, WITHOUT ROWID;

CREATE TABLE evidence (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    text TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 2000),
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX evidence_thread ON evidence (thread_id, id);

CREATE TABLE events (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    thread_id TEXT,
    node TEXT NOT NULL CHECK (node IN ('hotpath', 'context', 'episodic', 'worker')),
    op TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('ok', 'error', 'skipped')),
    memory_id TEXT,
    category TEXT,
    sim REAL,
    meta TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(meta)),   -- numbers and reasons, never message text
    ts TEXT NOT NULL
) STRICT;
CREATE INDEX events_user ON events (user_id, ts);
CREATE INDEX events_node ON events (node, ts);

CREATE TABLE supervisor_checkpoints (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    checkpoint_data TEXT NOT NULL CHECK (json_valid(checkpoint_data)),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX supervisor_checkpoints_thread ON supervisor_checkpoints (user_id, thread_id);
CREATE INDEX supervisor_checkpoints_recent ON supervisor_checkpoints (updated_at);

CREATE TABLE drafts (
    user_id TEXT NOT NULL,
    thread_id TEXT NOT NULL,                     -- '' before a thread exists
    text TEXT NOT NULL CHECK (length(text) <= 200000),
    updated_at TEXT NOT NULL,
    PRIMARY KEY (user_id, thread_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE interface (
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL CHECK (json_valid(value)),
    PRIMARY KEY (user_id, name)
) STRICT, WITHOUT ROWID;
