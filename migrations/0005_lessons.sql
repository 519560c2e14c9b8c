-- Lessons: what failed once, how it was solved, and whether saying so helped.
CREATE TABLE run_clients (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO run_clients (name) VALUES ('person'), ('chat'), ('hook'), ('mcp'), ('import'), ('benchmark');
CREATE TABLE referees (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO referees (name) VALUES ('deterministic'), ('model'), ('none');
CREATE TABLE error_channels (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO error_channels (name) VALUES ('hard_failure'), ('constraint_failure'), ('no_progress');
CREATE TABLE lesson_statuses (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO lesson_statuses (name) VALUES ('candidate'), ('promoted'), ('suppressed'), ('archived');
CREATE TABLE lesson_origins (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO lesson_origins (name) VALUES ('executed'), ('model'), ('person'), ('import');
CREATE TABLE lesson_levels (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO lesson_levels (name) VALUES ('task'), ('domain'), ('global');
CREATE TABLE activation_points (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO activation_points (name) VALUES ('pre_run'), ('on_error');
INSERT INTO actors (name) VALUES ('lessons');

-- One attempt at a task, or what was done with one program in one place without a long pause.
CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    client TEXT NOT NULL REFERENCES run_clients (name),
    agent TEXT NOT NULL DEFAULT '' CHECK (length(agent) <= 200),   -- of another program, by its own name
    tool TEXT NOT NULL CHECK (length(tool) <= 200),                -- '' for a task that needs several
    scope TEXT NOT NULL CHECK (length(scope) <= 64),               -- a hash of where
    task TEXT NOT NULL DEFAULT '' CHECK (length(task) <= 400),
    started_at TEXT NOT NULL,
    last_at TEXT NOT NULL,
    passed INTEGER CHECK (passed IN (0, 1)),
    score REAL CHECK (score BETWEEN 0 AND 1),
    referee TEXT NOT NULL DEFAULT 'none' REFERENCES referees (name)
) STRICT;
CREATE INDEX runs_place ON runs (user_id, scope, last_at);
CREATE TABLE run_steps (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    action TEXT NOT NULL CHECK (length(action) <= 4000),           -- without secrets
    hard_failure INTEGER CHECK (hard_failure IN (0, 1)),           -- NULL where nothing tells
    constraint_failure INTEGER NOT NULL CHECK (constraint_failure IN (0, 1)),
    progress REAL,
    seconds REAL NOT NULL CHECK (seconds >= 0),
    tokens INTEGER,
    cost REAL,
    exit_code INTEGER,
    created_at TEXT NOT NULL,
    UNIQUE (run_id, seq)
) STRICT;

-- What models said of steps, blindly: it is compared with what is known, and counts only where nothing is.
CREATE TABLE judged_steps (
    step_id TEXT NOT NULL REFERENCES run_steps (id) ON DELETE CASCADE,
    model TEXT NOT NULL,                                           -- the key of a model
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,                                            -- of that model
    worked INTEGER NOT NULL CHECK (worked IN (0, 1)),
    created_at TEXT NOT NULL,
    PRIMARY KEY (step_id, model)
) STRICT, WITHOUT ROWID;

-- By what a failure is recognised. A later version of how they are made regroups none of these.
CREATE TABLE fingerprints (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    tool TEXT NOT NULL CHECK (length(tool) <= 200),
    scope TEXT NOT NULL CHECK (length(scope) <= 64),
    shape TEXT NOT NULL CHECK (length(shape) <= 600),
    subject TEXT NOT NULL CHECK (length(subject) <= 300),
    tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
    merged_into TEXT REFERENCES fingerprints (id) ON DELETE SET NULL,   -- the person said that both are the same
    created_at TEXT NOT NULL,
    UNIQUE (user_id, tool, shape, scope, subject, version)
) STRICT;
CREATE INDEX fingerprints_merged ON fingerprints (merged_into) WHERE merged_into IS NOT NULL;
CREATE TABLE error_events (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    step_id TEXT NOT NULL UNIQUE REFERENCES run_steps (id) ON DELETE CASCADE,
    fingerprint_id TEXT NOT NULL REFERENCES fingerprints (id) ON DELETE CASCADE,
    channel TEXT NOT NULL REFERENCES error_channels (name),
    excerpt TEXT NOT NULL CHECK (length(excerpt) <= 600),          -- of the error text, without secrets
    progress_delta REAL,
    solved_by TEXT REFERENCES run_steps (id) ON DELETE SET NULL,   -- the step that worked then
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX error_events_fingerprint ON error_events (fingerprint_id);
CREATE INDEX error_events_open ON error_events (user_id, created_at) WHERE solved_by IS NULL;
CREATE INDEX error_events_solved ON error_events (solved_by) WHERE solved_by IS NOT NULL;

CREATE TABLE lessons (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'candidate' REFERENCES lesson_statuses (name),
    reason TEXT NOT NULL DEFAULT '' CHECK (length(reason) <= 40),  -- why it has that status: a word of memapp's own
    rule_text TEXT NOT NULL CHECK (length(rule_text) BETWEEN 1 AND 420),
    normal_rule TEXT NOT NULL,                                     -- what counts as "the same rule"
    wrong TEXT NOT NULL CHECK (length(wrong) <= 420),
    correct TEXT NOT NULL CHECK (length(correct) <= 420),
    level TEXT NOT NULL REFERENCES lesson_levels (name),
    tool TEXT NOT NULL CHECK (length(tool) <= 200),
    scope TEXT NOT NULL CHECK (length(scope) <= 64),
    task TEXT NOT NULL DEFAULT '' CHECK (length(task) <= 400),
    origin TEXT NOT NULL REFERENCES lesson_origins (name),
    -- counted apart from its changes
    worked INTEGER NOT NULL DEFAULT 1 CHECK (worked >= 0),         -- how often its correct part followed on its wrong one
    helped INTEGER NOT NULL DEFAULT 0 CHECK (helped >= 0),
    hurt INTEGER NOT NULL DEFAULT 0 CHECK (hurt >= 0),
    withheld INTEGER NOT NULL DEFAULT 0 CHECK (withheld >= 0),
    retrieved INTEGER NOT NULL DEFAULT 0 CHECK (retrieved >= 0),
    utility REAL,
    p REAL CHECK (p BETWEEN 0 AND 1),
    evidence_runs INTEGER NOT NULL DEFAULT 0 CHECK (evidence_runs >= 0),
    evidence_at TEXT NOT NULL,                                     -- when last something spoke for it or against it
    asked_at TEXT,                                                 -- when a model was asked to word it more generally
    purge_at TEXT,                                                 -- in the trash: when it leaves it for good
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX lessons_once ON lessons (user_id, normal_rule, tool, scope) WHERE status <> 'archived' AND purge_at IS NULL;
CREATE INDEX lessons_due ON lessons (purge_at) WHERE purge_at IS NOT NULL;
CREATE INDEX lessons_recent ON lessons (user_id, status, id);
CREATE INDEX lessons_tool ON lessons (tool, id) WHERE purge_at IS NULL;
CREATE VIEW lessons_indexed AS SELECT key, rule_text FROM lessons WHERE purge_at IS NULL;
CREATE VIRTUAL TABLE lessons_fts USING fts5 (
    rule_text, content='lessons_indexed', content_rowid='key', tokenize='porter unicode61'
);
CREATE TRIGGER lessons_fts_insert AFTER INSERT ON lessons WHEN new.purge_at IS NULL BEGIN
    INSERT INTO lessons_fts (rowid, rule_text) VALUES (new.key, new.rule_text);
END;
CREATE TRIGGER lessons_fts_update AFTER UPDATE OF rule_text, purge_at ON lessons BEGIN
    INSERT INTO lessons_fts (lessons_fts, rowid, rule_text) SELECT 'delete', old.key, old.rule_text WHERE old.purge_at IS NULL;
    INSERT INTO lessons_fts (rowid, rule_text) SELECT new.key, new.rule_text WHERE new.purge_at IS NULL;
END;
CREATE TRIGGER lessons_fts_delete AFTER DELETE ON lessons WHEN old.purge_at IS NULL BEGIN
    INSERT INTO lessons_fts (lessons_fts, rowid, rule_text) VALUES ('delete', old.key, old.rule_text);
END;
CREATE TABLE lesson_triggers (
    lesson_id TEXT NOT NULL REFERENCES lessons (id) ON DELETE CASCADE,
    fingerprint_id TEXT NOT NULL REFERENCES fingerprints (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    PRIMARY KEY (lesson_id, fingerprint_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX lesson_triggers_fingerprint ON lesson_triggers (fingerprint_id);
CREATE TABLE lesson_tags (
    lesson_id TEXT NOT NULL REFERENCES lessons (id) ON DELETE CASCADE,
    tag TEXT NOT NULL CHECK (length(tag) BETWEEN 1 AND 40),        -- of memapp's own list
    user_id TEXT NOT NULL,
    PRIMARY KEY (lesson_id, tag)
) STRICT, WITHOUT ROWID;
-- Two lessons for the same failure with different ways out of it.
CREATE TABLE lesson_conflicts (
    one TEXT NOT NULL REFERENCES lessons (id) ON DELETE CASCADE,
    other TEXT NOT NULL REFERENCES lessons (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    one_wins INTEGER NOT NULL DEFAULT 0 CHECK (one_wins >= 0),
    other_wins INTEGER NOT NULL DEFAULT 0 CHECK (other_wins >= 0),
    PRIMARY KEY (one, other),
    CHECK (one < other)
) STRICT, WITHOUT ROWID;
CREATE INDEX lesson_conflicts_other ON lesson_conflicts (other);
-- What a lesson was at one time, by name; the history names these in `old` and `new` of its meta.
CREATE TABLE lesson_versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id TEXT NOT NULL,
    lesson_id TEXT NOT NULL REFERENCES lessons (id) ON DELETE CASCADE,
    snapshot TEXT NOT NULL CHECK (json_valid(snapshot))
) STRICT;
CREATE INDEX lesson_versions_lesson ON lesson_versions (lesson_id);

-- A lesson brought back, or withheld by lot, and what came of it.
CREATE TABLE activations (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    lesson_id TEXT NOT NULL REFERENCES lessons (id) ON DELETE CASCADE,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    step_id TEXT REFERENCES run_steps (id) ON DELETE CASCADE,      -- the step that failed; NULL before a run
    point TEXT NOT NULL REFERENCES activation_points (name),
    rank INTEGER NOT NULL CHECK (rank >= 1),
    score REAL NOT NULL,
    parts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(parts)),    -- what the score is made of, by name
    shown INTEGER NOT NULL CHECK (shown IN (0, 1)),
    recurred INTEGER CHECK (recurred IN (0, 1)),
    fixed INTEGER CHECK (fixed IN (0, 1)),
    extra_failures INTEGER CHECK (extra_failures >= 0),
    progress_delta REAL,
    steps_to_fix INTEGER CHECK (steps_to_fix >= 1),
    helped INTEGER CHECK (helped IN (0, 1)),
    settled_at TEXT,
    created_at TEXT NOT NULL,
    CHECK ((settled_at IS NULL) = (recurred IS NULL))
) STRICT;
CREATE INDEX activations_lesson ON activations (lesson_id);
CREATE INDEX activations_run ON activations (run_id);
CREATE INDEX activations_step ON activations (step_id) WHERE step_id IS NOT NULL;
CREATE INDEX activations_open ON activations (user_id, id) WHERE settled_at IS NULL;
-- By itself a lesson is promoted on evidence only; the person may overrule that.
CREATE TRIGGER lessons_need_evidence BEFORE UPDATE OF status ON lessons
WHEN new.status = 'promoted' AND old.status <> 'promoted' AND new.reason NOT IN ('person', 'undone') AND new.evidence_runs < 3 BEGIN
    SELECT raise(ABORT, 'a lesson is promoted on the evidence of three runs');
END;
-- The rows of files that lessons and failures came from, so that they can be written out again.
CREATE TABLE lesson_rows (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id TEXT NOT NULL,
    lesson_id TEXT NOT NULL REFERENCES lessons (id) ON DELETE CASCADE,
    said TEXT NOT NULL CHECK (json_valid(said)),
    UNIQUE (lesson_id, said)
) STRICT;
CREATE TABLE error_rows (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id TEXT NOT NULL,
    step_id TEXT NOT NULL UNIQUE REFERENCES run_steps (id) ON DELETE CASCADE,
    said TEXT NOT NULL CHECK (json_valid(said))
) STRICT;
