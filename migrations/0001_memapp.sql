-- One file holds everything. Tables of a person carry user_id; ids are ULIDs; times are UTC text, e.g. 2026-01-31T08:15:00.000Z.
-- `key` is an explicit rowid: VACUUM may renumber an implicit one, and the full-text tables point at it.
-- No index is DESC: ids and times only grow, and what grows at the end of an index fills its pages, at the beginning half of them.
-- In a table without rowid the primary key comes first: else SQLite 3.40 takes the column in front of it for damaged.
-- Nothing hangs on a cascade from `memories`: a later migration may rebuild that table, and what a purge erases it names itself.

-- The words that a column may hold: a new one is an INSERT in the next migration, never a table made anew.
CREATE TABLE message_roles (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO message_roles (name) VALUES ('user'), ('assistant');
CREATE TABLE message_statuses (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO message_statuses (name) VALUES ('complete'), ('generating'), ('stopped'), ('interrupted'), ('failed');
CREATE TABLE message_origins (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO message_origins (name) VALUES ('typed'), ('model'), ('import');
CREATE TABLE prediction_sources (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO prediction_sources (name) VALUES ('predictor'), ('responder');
CREATE TABLE surprise_states (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO surprise_states (name) VALUES ('pending'), ('learned'), ('nothing'), ('failed');
CREATE TABLE memory_kinds (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO memory_kinds (name) VALUES ('semantic'), ('episodic');
CREATE TABLE memory_states (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO memory_states (name) VALUES ('live'), ('soft_deleted'), ('merged');
CREATE TABLE memory_origins (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO memory_origins (name) VALUES ('distilled'), ('person'), ('import');
CREATE TABLE trash_reasons (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO trash_reasons (name) VALUES (''), ('person'), ('overflow'), ('unused'), ('superseded'), ('merged'), ('undone');
CREATE TABLE relation_types (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO relation_types (name) VALUES ('related_to');
CREATE TABLE owner_kinds (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;  -- of a vector, and of what stood in a prompt
INSERT INTO owner_kinds (name) VALUES ('memory'), ('message');
CREATE TABLE event_nodes (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO event_nodes (name) VALUES ('hotpath'), ('context'), ('episodic'), ('worker');
CREATE TABLE event_statuses (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO event_statuses (name) VALUES ('ok'), ('error'), ('skipped');
CREATE TABLE history_events (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO history_events (name) VALUES ('ADD'), ('UPDATE'), ('PIN'), ('DELETE'), ('TTL'), ('RESTORE'), ('MERGE'), ('LINK'), ('PURGE'), ('PROFILE'), ('UNSAY'), ('UNDO');
CREATE TABLE change_events (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO change_events (name) VALUES ('created'), ('updated'), ('merged'), ('deleted'), ('soft_deleted'), ('restored'), ('pinned'), ('linked'), ('profile');
CREATE TABLE actors (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;  -- one of a kind is named behind a colon: model:NAME
INSERT INTO actors (name) VALUES
    ('person'), ('import'), ('rules'), ('model'), ('profile'), ('merge'), ('lifecycle'), ('undo'), ('persona'), ('client');
CREATE TABLE request_states (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO request_states (name) VALUES ('pending'), ('approved'), ('applied'), ('denied'), ('expired'), ('withdrawn');
CREATE TABLE deciders (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO deciders (name) VALUES ('person'), ('chat'), ('signals'), ('clock');
CREATE TABLE purge_kinds (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO purge_kinds (name) VALUES ('memory'), ('message'), ('thread'), ('words'), ('settle');
CREATE TABLE threads (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    title TEXT NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
    titled_by TEXT NOT NULL DEFAULT 'app' CHECK (titled_by IN ('app', 'person')),
    persona TEXT NOT NULL,
    trust_level REAL CHECK (trust_level BETWEEN 0 AND 1),        -- of an old save; else the persona's
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
    role TEXT NOT NULL REFERENCES message_roles (name),
    text TEXT NOT NULL CHECK (length(text) <= 200000),
    context TEXT NOT NULL DEFAULT '',            -- the neighbouring messages, for the lighter column of messages_fts
    status TEXT NOT NULL REFERENCES message_statuses (name),
    origin TEXT NOT NULL REFERENCES message_origins (name),
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
    source TEXT NOT NULL REFERENCES prediction_sources (name),
    text TEXT NOT NULL CHECK (length(text) <= 2000),
    needed_info TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(needed_info)),
    created_at TEXT NOT NULL,
    checked_by TEXT REFERENCES messages (id) ON DELETE SET NULL,           -- the message it was compared with
    surprised INTEGER CHECK (surprised IN (0, 1)),
    similarity REAL,                                                       -- of that message, in meaning; without an embedder null
    why TEXT NOT NULL DEFAULT '',
    UNIQUE (message_id, source)
) STRICT;
CREATE INDEX predictions_thread ON predictions (thread_id, id);
-- Chats that are deleted are erased in the end, row by row: what refers to a row is found without reading all.
CREATE INDEX predictions_checked ON predictions (checked_by) WHERE checked_by IS NOT NULL;

CREATE TABLE surprises (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    message_id TEXT NOT NULL UNIQUE REFERENCES messages (id) ON DELETE CASCADE,
    prediction_id TEXT REFERENCES predictions (id) ON DELETE CASCADE,      -- NULL: nothing was expected
    state TEXT NOT NULL DEFAULT 'pending' REFERENCES surprise_states (name),
    created_at TEXT NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0 CHECK (tries >= 0),       -- on as many different days learning from it failed
    tried_at TEXT NOT NULL DEFAULT ''                          -- when last: what fails goes behind the rest
) STRICT;
CREATE INDEX surprises_pending ON surprises (id) WHERE state = 'pending';
CREATE INDEX surprises_prediction ON surprises (prediction_id) WHERE prediction_id IS NOT NULL;

CREATE TABLE memories (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL DEFAULT 'semantic' REFERENCES memory_kinds (name),
    category TEXT NOT NULL DEFAULT '',
    text TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 280),
    normal_text TEXT NOT NULL,                   -- what counts as "the same fact"
    tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
    importance INTEGER NOT NULL DEFAULT 2 CHECK (importance BETWEEN 1 AND 5),
    pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    state TEXT NOT NULL DEFAULT 'live' REFERENCES memory_states (name),
    reason TEXT NOT NULL DEFAULT '' REFERENCES trash_reasons (name),   -- why it is not live
    merged_into TEXT NOT NULL DEFAULT '',        -- id of the memory that took it in
    purge_at TEXT,                               -- when it leaves the trash for good
    origin TEXT NOT NULL REFERENCES memory_origins (name),
    agent_id TEXT NOT NULL DEFAULT '',           -- the persona that was talked to
    run_id TEXT NOT NULL DEFAULT '',             -- the thread it was learned in
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CHECK ((state = 'live') = (purge_at IS NULL)),
    CHECK ((state = 'merged') = (merged_into <> ''))
) STRICT;
CREATE UNIQUE INDEX memories_once ON memories (user_id, normal_text) WHERE state = 'live';
CREATE INDEX memories_recent ON memories (user_id, state, id);
CREATE INDEX memories_due ON memories (purge_at) WHERE purge_at IS NOT NULL;
CREATE INDEX memories_merged ON memories (merged_into) WHERE merged_into <> '';

CREATE VIEW memories_indexed AS SELECT key, text, tags FROM memories WHERE state = 'live';
CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories WHEN new.state = 'live' BEGIN
    INSERT INTO memories_fts (rowid, text, tags) VALUES (new.key, new.text, new.tags);
END;
CREATE TRIGGER memories_fts_update AFTER UPDATE OF text, tags, state ON memories
WHEN old.text <> new.text OR old.tags <> new.tags OR old.state <> new.state BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, text, tags)
        SELECT 'delete', old.key, old.text, old.tags WHERE old.state = 'live';
    INSERT INTO memories_fts (rowid, text, tags) SELECT new.key, new.text, new.tags WHERE new.state = 'live';
END;
CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories WHEN old.state = 'live' BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, text, tags) VALUES ('delete', old.key, old.text, old.tags);
END;
CREATE TRIGGER embeddings_memory_gone AFTER DELETE ON memories BEGIN
    DELETE FROM embeddings WHERE owner_kind = 'memory' AND owner_key = old.key;
END;
CREATE TRIGGER embeddings_memory_stale AFTER UPDATE OF text, state ON memories
WHEN old.text <> new.text OR old.state <> new.state BEGIN
    DELETE FROM embeddings WHERE owner_kind = 'memory' AND owner_key = old.key;
END;

CREATE TABLE memory_sources (
    memory_id TEXT NOT NULL REFERENCES memories (id),
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    PRIMARY KEY (memory_id, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_sources_message ON memory_sources (message_id);

CREATE VIRTUAL TABLE memories_fts USING fts5 (
    text, tags, content='memories_indexed', content_rowid='key', tokenize='porter unicode61'
);

CREATE TABLE embeddings (
    number INTEGER PRIMARY KEY AUTOINCREMENT,    -- never used twice: what is above the last one seen is new
    user_id TEXT NOT NULL,
    owner_kind TEXT NOT NULL REFERENCES owner_kinds (name),
    owner_key INTEGER NOT NULL,
    model_id TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    vector BLOB NOT NULL CHECK (length(vector) = 4 * dimension),
    UNIQUE (owner_key, owner_kind, model_id, user_id)   -- what changes drops its vectors, whatever model they are of
) STRICT;
CREATE TRIGGER embeddings_message_gone AFTER DELETE ON messages BEGIN
    DELETE FROM embeddings WHERE owner_kind = 'message' AND owner_key = old.key;
END;
CREATE TRIGGER embeddings_message_stale AFTER UPDATE OF text, active ON messages BEGIN
    DELETE FROM embeddings WHERE owner_kind = 'message' AND owner_key = old.key;
END;

-- Which memories and earlier messages stood in the prompt of a reply.
CREATE TABLE recalls (
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    rank INTEGER NOT NULL,
    owner_kind TEXT NOT NULL REFERENCES owner_kinds (name),
    owner_id TEXT NOT NULL,
    score REAL NOT NULL,
    why TEXT NOT NULL,
    user_id TEXT NOT NULL,
    PRIMARY KEY (message_id, rank)
) STRICT, WITHOUT ROWID;
CREATE INDEX recalls_owner ON recalls (owner_id);

CREATE TABLE context_cards (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    thread_id TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    text TEXT NOT NULL CHECK (length(text) BETWEEN 1 AND 2000),
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX context_cards_thread ON context_cards (thread_id, id);

CREATE TABLE events (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    thread_id TEXT,
    node TEXT NOT NULL REFERENCES event_nodes (name),
    op TEXT NOT NULL,
    status TEXT NOT NULL REFERENCES event_statuses (name),
    memory_id TEXT,
    category TEXT,
    sim REAL,
    meta TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(meta)),   -- numbers and reasons, never message text
    ts TEXT NOT NULL
) STRICT;
CREATE INDEX events_user ON events (user_id, ts);
CREATE INDEX events_node ON events (node, ts);
-- Everything that Activity counts, so that it reads no event itself.
CREATE INDEX events_counted ON events (user_id, op, node, status, ts);

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

-- Counted apart from the row: counting must not touch the full-text index.
CREATE TABLE access_counts (
    memory_id TEXT PRIMARY KEY REFERENCES memories (id),
    last_accessed TEXT NOT NULL,
    uses INTEGER NOT NULL DEFAULT 1 CHECK (uses >= 0),
    days INTEGER NOT NULL DEFAULT 1 CHECK (days >= 0),          -- on how many different days
    user_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What a memory was at one time, by name: its fields, sources and relations. The only copies of its text outside the row.
CREATE TABLE versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id TEXT NOT NULL,
    memory_id TEXT NOT NULL REFERENCES memories (id),
    snapshot TEXT NOT NULL CHECK (json_valid(snapshot))
) STRICT;
CREATE INDEX versions_memory ON versions (memory_id);
CREATE TRIGGER versions_are_new BEFORE INSERT ON versions WHEN EXISTS (SELECT 1 FROM versions WHERE id = new.id) BEGIN
    SELECT raise(ABORT, 'a version is not replaced');
END;

-- Every write operation. `number` orders them, whatever the clock does; rows of one `step` are taken back together.
CREATE TABLE history (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    step TEXT NOT NULL,
    undoes TEXT,                                 -- the step that this one took back
    memory_id TEXT NOT NULL,                     -- 'profile:city' for a field of the profile
    event TEXT NOT NULL REFERENCES history_events (name),
    old_ref INTEGER REFERENCES versions (id) ON DELETE SET NULL,
    new_ref INTEGER REFERENCES versions (id) ON DELETE SET NULL,
    actor TEXT NOT NULL CHECK (length(actor) <= 200),            -- person, rules, model:NAME
    thread_id TEXT NOT NULL DEFAULT '',
    meta TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(meta)),   -- reasons, ids, numbers; never what a person wrote
    ts TEXT NOT NULL
) STRICT;
CREATE INDEX history_memory ON history (memory_id, ts);
CREATE INDEX history_user ON history (user_id, number);
CREATE INDEX history_step ON history (step);
CREATE INDEX history_purges ON history (step) WHERE event = 'PURGE';
CREATE INDEX history_undoes ON history (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX history_old ON history (old_ref) WHERE old_ref IS NOT NULL;
CREATE INDEX history_new ON history (new_ref) WHERE new_ref IS NOT NULL;

-- The delta header. The row with thread_id '' counts the person's changes; a thread's row says up to which one it was told.
CREATE TABLE thread_revision (
    user_id TEXT NOT NULL,
    thread_id TEXT NOT NULL,
    rev INTEGER NOT NULL CHECK (rev >= 0),
    PRIMARY KEY (user_id, thread_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE change_log (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    thread_id TEXT NOT NULL DEFAULT '',          -- where the change was made; '' outside of any chat
    rev INTEGER NOT NULL,
    memory_id TEXT NOT NULL,
    event TEXT NOT NULL REFERENCES change_events (name),
    meta TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(meta)),
    ts TEXT NOT NULL
) STRICT;
CREATE INDEX change_log_rev ON change_log (user_id, rev);
CREATE INDEX change_log_thread ON change_log (thread_id, rev);
CREATE TABLE change_told (
    thread_id TEXT NOT NULL,                     -- a chat, or the agent of a `memory.query`
    change_id TEXT NOT NULL REFERENCES change_log (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    PRIMARY KEY (thread_id, change_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX change_told_change ON change_told (change_id);

CREATE TABLE relations (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    from_id TEXT NOT NULL REFERENCES memories (id),
    to_id TEXT NOT NULL REFERENCES memories (id),
    relation_type TEXT NOT NULL DEFAULT 'related_to' REFERENCES relation_types (name),
    strength REAL NOT NULL CHECK (strength BETWEEN 0 AND 1),
    created_at TEXT NOT NULL,
    CHECK (from_id <> to_id)
) STRICT;
CREATE INDEX relations_from ON relations (from_id);
CREATE INDEX relations_to ON relations (to_id);
CREATE UNIQUE INDEX relations_once ON relations (min(from_id, to_id), max(from_id, to_id), relation_type);

-- A keyed hash of what was purged, so that it is not learned again unasked. Without the key it says nothing.
CREATE TABLE forgotten (
    user_id TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    ts TEXT NOT NULL,
    PRIMARY KEY (user_id, fingerprint)
) STRICT, WITHOUT ROWID;

-- Its key: random, one for a file, made when the first memory is purged.
CREATE TABLE forgotten_key (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    secret BLOB NOT NULL CHECK (length(secret) = 32)
) STRICT;

-- Messages of which a fact was purged that the person had taken back or said otherwise since: they are no evidence any more.
CREATE TABLE taken_back (
    message_id TEXT PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What is still to be purged, when memapp was killed in the middle: first what to erase, then that the file is to be settled.
CREATE TABLE purge_jobs (
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL REFERENCES purge_kinds (name),
    value TEXT NOT NULL,                         -- an id; or the words, which stand here no longer than erasing them takes
    PRIMARY KEY (user_id, kind, value)
) STRICT, WITHOUT ROWID;

-- The profile. A name that is not listed cannot exist; a new one is sensitive until somebody says otherwise.
CREATE TABLE profile_fields (
    name TEXT PRIMARY KEY CHECK (name = lower(trim(name)) AND name NOT GLOB '*[^a-z_]*' AND length(name) BETWEEN 1 AND 40),
    sensitivity TEXT NOT NULL DEFAULT 'sensitive' CHECK (sensitivity IN ('sensitive', 'benign')),
    many INTEGER NOT NULL DEFAULT 0 CHECK (many IN (0, 1))      -- 1: it may have several values
) STRICT, WITHOUT ROWID;
INSERT INTO profile_fields (name, sensitivity, many) VALUES
    ('preferred_name', 'sensitive', 0), ('pronouns', 'sensitive', 0), ('city', 'sensitive', 0), ('language', 'sensitive', 0),
    ('health', 'sensitive', 1), ('contact', 'sensitive', 1), ('address', 'sensitive', 0), ('birth_date', 'sensitive', 0),
    ('relationship', 'sensitive', 1), ('religion', 'sensitive', 0), ('politics', 'sensitive', 1), ('money', 'sensitive', 1),
    ('law', 'sensitive', 1), ('close_people', 'sensitive', 1), ('ethnicity', 'sensitive', 1),
    ('forgotten', 'sensitive', 0),               -- not of the profile: a fact that was purged and is stated again
    ('fact', 'sensitive', 0), ('chat', 'sensitive', 0),        -- nor these: a fact of an imported file, and the use of a chat of it
    ('tone', 'benign', 1), ('goals_add', 'benign', 1);

-- A file that was imported: what it says of the person is asked about as one.
CREATE TABLE imported_files (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A consent request is of one value: it adds it, or puts it in the place of another, or takes it away.
CREATE TABLE consent_requests (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    field TEXT NOT NULL REFERENCES profile_fields (name),
    old_value TEXT NOT NULL CHECK (length(old_value) <= 280),  -- '': in a field with one value, whatever stands there then
    new_value TEXT NOT NULL CHECK (length(new_value) <= 280),  -- '' takes the old value away
    memory TEXT NOT NULL DEFAULT '' CHECK (memory = '' OR json_valid(memory) AND coalesce(    -- the memory that waits with it
        length(memory ->> 'text') BETWEEN 1 AND 280
        AND json_type(memory, '$.tags') = 'array' AND json_type(memory, '$.sources') = 'array'
        AND (memory ->> 'id') || (memory ->> 'reason') || (memory ->> 'origin') || (memory ->> 'agent_id') || (memory ->> 'run_id')
            || (memory ->> 'category') || (memory ->> 'importance') || (memory ->> 'pinned') || julianday(memory ->> 'created_at') <> '', 0)),
    proposer TEXT NOT NULL CHECK (length(proposer) <= 200),      -- an actor, as in the history
    file_id TEXT REFERENCES imported_files (id), -- that it came with
    state TEXT NOT NULL DEFAULT 'pending' REFERENCES request_states (name),
    asked_in TEXT,                               -- the message in which memapp itself asked about it
    snoozed_until TEXT,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    decided_at TEXT,
    decided_by TEXT REFERENCES deciders (name),
    CHECK ((state = 'pending') = (decided_at IS NULL)),
    CHECK ((state = 'pending') = (decided_by IS NULL)),
    CHECK (coalesce(julianday(expires_at) - julianday(created_at), -1) BETWEEN 0 AND 7.001)
) STRICT, WITHOUT ROWID;                         -- no hidden key by which a row could be replaced
CREATE INDEX consent_requests_pending ON consent_requests (user_id, state, id);
CREATE INDEX consent_requests_value ON consent_requests (user_id, field, new_value);
CREATE INDEX consent_requests_file ON consent_requests (file_id, state) WHERE file_id IS NOT NULL;
CREATE INDEX consent_requests_asked ON consent_requests (asked_in) WHERE asked_in IS NOT NULL;
CREATE TABLE request_evidence (
    request_id TEXT NOT NULL REFERENCES consent_requests (id) ON DELETE CASCADE,
    message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    typed INTEGER NOT NULL CHECK (typed IN (0, 1)),            -- 0: pasted, imported: counts for nothing
    user_id TEXT NOT NULL,
    PRIMARY KEY (request_id, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX request_evidence_message ON request_evidence (message_id);

CREATE TABLE profile (
    user_id TEXT NOT NULL,
    field TEXT NOT NULL REFERENCES profile_fields (name) CHECK (field NOT IN ('forgotten', 'fact', 'chat')),
    value TEXT NOT NULL CHECK (length(value) BETWEEN 1 AND 280),
    request_id TEXT NOT NULL REFERENCES consent_requests (id),
    updated_at TEXT NOT NULL,
    PRIMARY KEY (user_id, field, value)
) STRICT, WITHOUT ROWID;
CREATE INDEX profile_request ON profile (request_id);

-- The guards of consent. They hold whatever the code above them does.
CREATE TRIGGER consent_requests_begin_pending BEFORE INSERT ON consent_requests
WHEN new.state <> 'pending' OR new.asked_in IS NOT NULL OR new.snoozed_until IS NOT NULL BEGIN
    SELECT raise(ABORT, 'a consent request begins as pending');
END;
CREATE TRIGGER consent_requests_hold_a_memory BEFORE INSERT ON consent_requests
WHEN new.memory <> '' AND NOT EXISTS (SELECT 1 FROM memory_kinds WHERE name = new.memory ->> 'kind') BEGIN
    SELECT raise(ABORT, 'what waits with a consent request is a memory');
END;
CREATE TRIGGER consent_requests_name_an_actor BEFORE INSERT ON consent_requests
WHEN NOT EXISTS (SELECT 1 FROM actors WHERE name = substr(new.proposer, 1, instr(new.proposer || ':', ':') - 1)) BEGIN
    SELECT raise(ABORT, 'nobody of that name proposes');
END;
CREATE TRIGGER consent_requests_are_new BEFORE INSERT ON consent_requests WHEN EXISTS (SELECT 1 FROM consent_requests WHERE id = new.id) BEGIN
    SELECT raise(ABORT, 'a consent request is not replaced');
END;
CREATE TRIGGER consent_requests_are_fixed BEFORE UPDATE OF id, user_id, field, old_value, new_value, proposer, file_id, created_at,
expires_at ON consent_requests BEGIN
    SELECT raise(ABORT, 'what a consent request proposes cannot be changed');
END;
CREATE TRIGGER consent_requests_keep_their_memory BEFORE UPDATE OF memory ON consent_requests
WHEN new.memory <> '' OR old.state IN ('pending', 'approved') BEGIN     -- what was decided may forget the memory that it brought
    SELECT raise(ABORT, 'what a consent request proposes cannot be changed');
END;
CREATE TRIGGER consent_requests_are_asked_once BEFORE UPDATE OF asked_in ON consent_requests WHEN NOT (
    old.state = 'pending' AND old.asked_in IS NULL AND EXISTS (
        SELECT 1 FROM messages WHERE id = new.asked_in AND user_id = old.user_id AND role = 'assistant' AND unprompted = 1
                                     AND model = '/memapp')) BEGIN
    SELECT raise(ABORT, 'memapp itself asks, and once');
END;
CREATE TRIGGER consent_requests_move_on BEFORE UPDATE OF state ON consent_requests
WHEN NOT (old.state = 'pending' AND new.state IN ('approved', 'denied', 'expired', 'withdrawn')
          OR old.state = 'approved' AND new.state = 'applied') BEGIN
    SELECT raise(ABORT, 'a consent request cannot go this way');
END;
CREATE TRIGGER consent_requests_are_decided_once BEFORE UPDATE OF decided_at, decided_by ON consent_requests WHEN old.decided_at IS NOT NULL BEGIN
    SELECT raise(ABORT, 'a consent request is decided once');
END;
CREATE TRIGGER consent_requests_need_a_yes BEFORE UPDATE OF state ON consent_requests WHEN new.state = 'approved' AND NOT (
    new.decided_at <= old.expires_at AND (
        new.decided_by = 'person'
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
CREATE TRIGGER consent_requests_stay BEFORE DELETE ON consent_requests WHEN old.state IN ('pending', 'approved') BEGIN
    SELECT raise(ABORT, 'a consent request is decided, not deleted');
END;
CREATE TRIGGER request_evidence_is_true BEFORE INSERT ON request_evidence WHEN NOT EXISTS (
    SELECT 1 FROM consent_requests p JOIN messages m ON m.user_id = p.user_id
    WHERE p.id = new.request_id AND m.id = new.message_id
          AND (p.state = 'pending' AND (new.typed = 0 OR m.role = 'user' AND m.origin = 'typed')
               OR p.state = 'denied' AND new.typed = 0))           -- it says again what is not to be told, and counts for nothing
OR EXISTS (SELECT 1 FROM request_evidence WHERE request_id = new.request_id AND message_id = new.message_id) BEGIN
    SELECT raise(ABORT, 'that is no evidence for this consent request');
END;
CREATE TRIGGER request_evidence_is_fixed BEFORE UPDATE ON request_evidence BEGIN
    SELECT raise(ABORT, 'evidence cannot be changed');
END;
CREATE TRIGGER profile_insert_needs_request BEFORE INSERT ON profile WHEN NOT EXISTS (
    SELECT 1 FROM consent_requests WHERE id = new.request_id AND user_id = new.user_id AND field = new.field AND old_value = ''
                            AND new_value = new.value AND state = 'approved') BEGIN
    SELECT raise(ABORT, 'the profile changes by an approved consent request only');
END;
CREATE TRIGGER profile_has_one_value BEFORE INSERT ON profile
WHEN (SELECT many FROM profile_fields WHERE name = new.field) = 0
     AND EXISTS (SELECT 1 FROM profile WHERE user_id = new.user_id AND field = new.field) BEGIN
    SELECT raise(ABORT, 'this field has one value');
END;
CREATE TRIGGER profile_update_needs_request BEFORE UPDATE ON profile WHEN old.user_id <> new.user_id OR old.field <> new.field
OR NOT EXISTS (
    SELECT 1 FROM consent_requests p JOIN profile_fields f ON f.name = p.field
    WHERE p.id = new.request_id AND p.user_id = new.user_id AND p.field = new.field AND p.new_value = new.value
          AND p.state = 'approved' AND (old.value IN (p.old_value, p.new_value) OR p.old_value = '' AND f.many = 0)) BEGIN
    SELECT raise(ABORT, 'the profile changes by an approved consent request only');
END;
CREATE TRIGGER profile_delete_needs_request BEFORE DELETE ON profile WHEN NOT EXISTS (
    SELECT 1 FROM consent_requests WHERE user_id = old.user_id AND field = old.field AND old_value = old.value AND new_value = ''
                            AND state = 'approved') BEGIN
    SELECT raise(ABORT, 'the profile changes by an approved consent request only');
END;
CREATE TRIGGER profile_insert_uses_request AFTER INSERT ON profile BEGIN
    UPDATE consent_requests SET state = 'applied' WHERE id = new.request_id;
END;
CREATE TRIGGER profile_update_uses_request AFTER UPDATE ON profile BEGIN
    UPDATE consent_requests SET state = 'applied' WHERE id = new.request_id;
END;
CREATE TRIGGER profile_delete_uses_request AFTER DELETE ON profile BEGIN
    UPDATE consent_requests SET state = 'applied'
    WHERE user_id = old.user_id AND field = old.field AND old_value = old.value AND new_value = '' AND state = 'approved';
END;
CREATE TRIGGER profile_fields_begin_sensitive BEFORE INSERT ON profile_fields WHEN new.sensitivity <> 'sensitive' BEGIN
    SELECT raise(ABORT, 'a new field is sensitive');
END;
CREATE TRIGGER profile_fields_are_fixed BEFORE UPDATE ON profile_fields BEGIN
    SELECT raise(ABORT, 'a sensitive field stays sensitive');
END;
CREATE TRIGGER profile_fields_stay BEFORE DELETE ON profile_fields BEGIN
    SELECT raise(ABORT, 'a sensitive field stays sensitive');
END;

-- The audit is written once. References to versions may be emptied by a purge; nothing else changes.
CREATE TRIGGER history_names_an_actor BEFORE INSERT ON history
WHEN NOT EXISTS (SELECT 1 FROM actors WHERE name = substr(new.actor, 1, instr(new.actor || ':', ':') - 1)) BEGIN
    SELECT raise(ABORT, 'nobody of that name acts');
END;
CREATE TRIGGER history_is_fixed BEFORE UPDATE OF number, id, user_id, step, undoes, memory_id, event, actor, thread_id, meta, ts
ON history BEGIN
    SELECT raise(ABORT, 'the history is not rewritten');
END;
CREATE TRIGGER history_refs_are_emptied_by_a_purge BEFORE UPDATE OF old_ref, new_ref ON history
WHEN new.old_ref IS NOT old.old_ref AND (new.old_ref IS NOT NULL OR EXISTS (SELECT 1 FROM versions WHERE id = old.old_ref))
OR new.new_ref IS NOT old.new_ref AND (new.new_ref IS NOT NULL OR EXISTS (SELECT 1 FROM versions WHERE id = old.new_ref)) BEGIN
    SELECT raise(ABORT, 'the history is not rewritten');
END;
CREATE TRIGGER history_stays BEFORE DELETE ON history BEGIN
    SELECT raise(ABORT, 'the history is not rewritten');
END;
-- What it says of the profile was decided, each change stands there once and names what it replaced: undo puts that back.
CREATE TRIGGER history_tells_what_was_decided BEFORE INSERT ON history WHEN new.event = 'PROFILE' AND NOT (
    instr(new.meta, '\') = 0 AND (SELECT count(*) = count(DISTINCT key) FROM json_each(new.meta)) AND EXISTS (
        SELECT 1 FROM consent_requests p WHERE p.id = new.meta ->> 'request_id' AND p.user_id = new.user_id
        AND 'profile:' || p.field = new.memory_id
        AND p.state = CASE coalesce(new.meta ->> 'decision', 'changed') WHEN 'changed' THEN 'applied' WHEN 'approved' THEN 'applied'
                      WHEN 'snoozed' THEN 'pending' WHEN 'reopened' THEN p.state ELSE new.meta ->> 'decision' END
        AND (coalesce(new.meta ->> 'before', '') = '' OR EXISTS (
             SELECT 1 FROM consent_requests WHERE id = new.meta ->> 'before' AND user_id = p.user_id AND field = p.field AND state = 'applied'))
        AND (coalesce(new.meta ->> 'decision', 'changed') <> 'changed' OR NOT EXISTS (
             SELECT 1 FROM history h WHERE h.memory_id = new.memory_id AND h.meta ->> 'request_id' = p.id
                                           AND coalesce(h.meta ->> 'decision', 'changed') = 'changed')))) BEGIN
    SELECT raise(ABORT, 'the history says what was decided');
END;
CREATE TRIGGER history_takes_back_what_was_done BEFORE INSERT ON history WHEN new.undoes IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM history WHERE +user_id = new.user_id AND +step = new.undoes      -- a step may have many rows, a memory has few
                                AND memory_id IN (new.memory_id, 'import:' || new.undoes)) BEGIN
    SELECT raise(ABORT, 'nothing of this was done in that step');
END;

-- The file itself: every copy of it has the same id, and so belongs to it; a number that differs tells every process that
-- something was erased for good since.
CREATE TABLE memory_file (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    id TEXT NOT NULL CHECK (length(id) = 32),
    erasures INTEGER NOT NULL CHECK (erasures >= 0)
) STRICT;
INSERT INTO memory_file (only, id, erasures) VALUES (1, lower(hex(randomblob(16))), 0);

-- When each job of idle time ran last, and when it is due again.
CREATE TABLE jobs (
    user_id TEXT NOT NULL,
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 40),
    ran_at TEXT NOT NULL,
    due_at TEXT NOT NULL,
    PRIMARY KEY (user_id, name)
) STRICT, WITHOUT ROWID;

-- What one process at a time does, such as answering in a chat. It renews its lease while it works; that of a dead one ends.
CREATE TABLE leases (
    name TEXT PRIMARY KEY CHECK (length(name) <= 100),
    owner TEXT NOT NULL CHECK (length(owner) <= 64),
    until REAL NOT NULL                          -- seconds since 1970
) STRICT, WITHOUT ROWID;
