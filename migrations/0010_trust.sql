-- Trust: whoever acts or proposes for memapp is an agent, and has a record made of the person's corrections. What the person
-- corrected is a view of the history and the requests; nothing is written for it.

CREATE TABLE agent_roles (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO agent_roles (name) VALUES ('creator'), ('reviewer'), ('curator');
CREATE TABLE agents (
    user_id TEXT NOT NULL,
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),       -- an actor, as in the history
    model TEXT NOT NULL DEFAULT '' CHECK (length(model) <= 200),
    primary_role TEXT NOT NULL DEFAULT 'creator' REFERENCES agent_roles (name),
    rounds INTEGER NOT NULL DEFAULT 0 CHECK (rounds >= 0),           -- of a council, that it took part in
    probation_until TEXT,
    blocked INTEGER NOT NULL DEFAULT 0 CHECK (blocked IN (0, 1)),
    summed_to INTEGER NOT NULL DEFAULT 0,        -- the entry of the history up to which its events are in agent_months
    imported TEXT NOT NULL DEFAULT '' CHECK (imported = '' OR json_valid(imported)),   -- memory/<agent>.json, as it came
    PRIMARY KEY (user_id, name)
) STRICT, WITHOUT ROWID;

-- A round of a council: a draft, a revision, and what the person took of the two.
CREATE TABLE round_choices (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO round_choices (name) VALUES ('draft'), ('revision'), ('edit'), ('none');
CREATE TABLE rounds (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    seq INTEGER NOT NULL CHECK (seq >= 1),
    thread_id TEXT REFERENCES threads (id) ON DELETE CASCADE,
    task TEXT NOT NULL CHECK (length(task) <= 2000),
    artifact_type TEXT NOT NULL DEFAULT '' CHECK (length(artifact_type) <= 40),
    author TEXT NOT NULL CHECK (length(author) <= 200),              -- the agent whose revision is put before the person
    draft TEXT NOT NULL DEFAULT '',
    revision TEXT NOT NULL DEFAULT '',
    final TEXT NOT NULL DEFAULT '',
    choice TEXT REFERENCES round_choices (name),                     -- NULL: open
    decided_at TEXT,
    reverted_at TEXT,                            -- when the person took the choice back
    created_at TEXT NOT NULL,
    UNIQUE (run_id, seq),
    CHECK ((choice IS NULL) = (decided_at IS NULL))
) STRICT;
CREATE INDEX rounds_thread ON rounds (thread_id) WHERE thread_id IS NOT NULL;
CREATE TABLE dissents (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id TEXT NOT NULL,
    round_id TEXT NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
    agent TEXT NOT NULL CHECK (length(agent) <= 200),
    text TEXT NOT NULL CHECK (length(text) <= 2000),
    citations TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(citations)),   -- criteria of the rubric
    depth REAL NOT NULL CHECK (depth BETWEEN 0 AND 2),
    impact INTEGER CHECK (impact IN (0, 1)),     -- whether the decision took it over; NULL: not decided yet
    incorporated INTEGER NOT NULL DEFAULT 0 CHECK (incorporated IN (0, 1)),   -- whether the revision did
    model_id TEXT NOT NULL DEFAULT '',           -- of the vector
    vector BLOB,
    created_at TEXT NOT NULL
) STRICT;
CREATE INDEX dissents_agent ON dissents (user_id, agent, number);
CREATE INDEX dissents_round ON dissents (round_id);

CREATE TABLE trust_history (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    score REAL NOT NULL CHECK (score BETWEEN 0 AND 1),               -- as it is shown
    formula REAL NOT NULL CHECK (formula BETWEEN 0 AND 1),
    reason TEXT NOT NULL CHECK (length(reason) <= 40),
    ts TEXT NOT NULL
) STRICT;
CREATE INDEX trust_history_agent ON trust_history (user_id, agent, number);
-- The events of an agent before its last hundred.
CREATE TABLE agent_months (
    user_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    month TEXT NOT NULL CHECK (month GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]'),
    events INTEGER NOT NULL,
    judged INTEGER NOT NULL,
    impactful INTEGER NOT NULL,
    dissents INTEGER NOT NULL,
    depth REAL NOT NULL,
    favours INTEGER NOT NULL,
    reversed INTEGER NOT NULL,
    overrides INTEGER NOT NULL,
    regretted INTEGER NOT NULL,
    PRIMARY KEY (user_id, agent, month)
) STRICT, WITHOUT ROWID;

-- The person's copy of assets/rubric.toml: the weights that differ from it, and the criteria that it lacks.
CREATE TABLE rubric (
    user_id TEXT NOT NULL,
    criterion TEXT NOT NULL CHECK (length(criterion) BETWEEN 1 AND 40),
    weight REAL NOT NULL CHECK (weight BETWEEN 0 AND 1),
    PRIMARY KEY (user_id, criterion)
) STRICT, WITHOUT ROWID;
INSERT INTO profile_fields (name, sensitivity, many) VALUES ('rubric', 'sensitive', 0);  -- not of the profile: another weight
CREATE TRIGGER profile_has_no_rubric BEFORE INSERT ON profile WHEN new.field = 'rubric' BEGIN
    SELECT raise(ABORT, 'the rubric is not of the profile');
END;

-- What each actor did is found without reading what others did.
CREATE INDEX history_actor ON history (user_id, actor, number);

-- What a version says; nothing where the memory, or the lesson, lay in the trash.
CREATE VIEW version_texts AS
    SELECT id, iif(coalesce(snapshot ->> 'state', 'live') = 'live', snapshot ->> 'text', '') AS text FROM versions;
CREATE VIEW lesson_texts AS
    SELECT id, iif(snapshot ->> 'purge_at' IS NULL, snapshot ->> 'rule_text', '') AS text FROM lesson_versions;

-- An edit, deletion, restore, undo or denial by the person over what an agent did last, or proposed; and the person's choice of
-- something else than a council's revision. `last` is what was made of it since, by others than that agent.
CREATE VIEW overrides AS
WITH corrections AS (
    SELECT p.user_id, p.number, p.step, p.memory_id, p.event, p.old_ref, p.new_ref, p.meta, p.thread_id, p.ts,
           CASE WHEN p.undoes IS NOT NULL
             THEN (SELECT max(t.number) FROM history t WHERE t.step = p.undoes AND t.memory_id = p.memory_id)
             ELSE (SELECT max(t.number) FROM history t WHERE t.memory_id = p.memory_id AND t.number < p.number AND t.step <> p.step
                   AND t.event NOT IN ('LINK', 'PIN', 'UNDO')
                   AND NOT EXISTS (SELECT 1 FROM history u WHERE u.undoes = t.step AND u.memory_id = t.memory_id
                                                                 AND u.number < p.number)) END AS act
    FROM history p
    WHERE p.actor = 'person' AND p.event IN ('UPDATE', 'DELETE', 'RESTORE', 'UNDO', 'PURGE')
      AND (instr(p.memory_id, ':') = 0 OR p.memory_id GLOB 'lesson:*')
      -- else it follows from something else: the person made it their own, or wrote a message anew
      AND (p.event <> 'DELETE' OR coalesce(p.meta ->> 'reason', 'person') = 'person'
           AND NOT EXISTS (SELECT 1 FROM history n WHERE n.step = p.step AND n.event = 'ADD')
           AND (p.thread_id = '' OR NOT EXISTS (SELECT 1 FROM memory_sources s JOIN messages m ON m.id = s.message_id
                                                WHERE s.memory_id = p.memory_id AND m.active = 0)))),
over_acts AS (
    SELECT c.user_id, c.number, a.number AS act, a.actor AS agent, a.ts AS act_at, c.ts AS at, c.step, c.memory_id, c.thread_id,
           CASE c.event WHEN 'UPDATE' THEN 'edit' WHEN 'PURGE' THEN 'delete' ELSE lower(c.event) END AS kind,
           coalesce((SELECT text FROM version_texts WHERE id = c.old_ref),
                    (SELECT text FROM lesson_texts WHERE id = c.meta ->> 'old'), '') AS output,
           coalesce((SELECT text FROM version_texts WHERE id = c.new_ref),
                    (SELECT text FROM lesson_texts WHERE id = c.meta ->> 'new'), '') AS decision,
           (SELECT max(l.number) FROM history l WHERE l.memory_id = c.memory_id AND l.number > c.number AND l.actor <> a.actor
                                                  AND l.event NOT IN ('LINK', 'PIN', 'PURGE')) AS later,
           EXISTS (SELECT 1 FROM history u WHERE u.undoes = c.step AND u.memory_id = c.memory_id) AS undone
    FROM corrections c JOIN history a ON a.number = c.act
    WHERE a.actor NOT IN ('person', 'undo') AND a.meta ->> 'took_in' IS NULL)
SELECT o.user_id, o.number, o.act, o.agent, o.act_at, o.at, o.step, o.memory_id, o.thread_id, o.kind, o.output, o.decision, o.undone,
       coalesce((SELECT text FROM version_texts WHERE id = l.new_ref),
                (SELECT text FROM lesson_texts WHERE id = l.meta ->> 'new'), iif(l.number IS NULL, NULL, '')) AS last,
       coalesce(l.actor, '') AS last_by, l.ts AS last_at, '[]' AS criteria
FROM over_acts o LEFT JOIN history l ON l.number = o.later
WHERE o.kind <> 'edit' OR o.output <> o.decision OR o.output = ''            -- other tags of the same words correct nothing
UNION ALL
-- A no that was taken back and said again later stands.
SELECT p.user_id, p.number, p.number, r.proposer, r.created_at, p.ts, p.step, p.memory_id, p.thread_id,
       iif(p.meta ->> 'decision' = 'denied', 'deny', 'edit'), r.new_value, coalesce(w.new_value, ''),
       EXISTS (SELECT 1 FROM history u WHERE u.undoes = p.step AND u.memory_id = p.memory_id)
         AND NOT EXISTS (SELECT 1 FROM consent_requests c WHERE c.user_id = r.user_id AND c.field = r.field
                         AND c.new_value = r.new_value AND c.id > r.id AND c.state = 'denied'),
       NULL, (SELECT u.actor FROM history u WHERE u.undoes = p.step LIMIT 1),
       (SELECT u.ts FROM history u WHERE u.undoes = p.step LIMIT 1), json_array(p.meta ->> 'reason')
FROM history p JOIN consent_requests r ON r.id = p.meta ->> 'request_id'
     -- in its place the person wrote something else in the same step
     LEFT JOIN consent_requests w ON p.meta ->> 'decision' = 'withdrawn' AND w.field = r.field AND w.proposer = 'person'
       AND w.new_value <> r.new_value AND w.id IN (SELECT e.meta ->> 'request_id' FROM history e WHERE e.step = p.step)
WHERE p.event = 'PROFILE' AND p.actor = 'person' AND p.undoes IS NULL AND r.proposer NOT IN ('person', 'undo') AND r.field <> 'rubric'
      AND (p.meta ->> 'decision' = 'denied' OR w.id IS NOT NULL)
UNION ALL
SELECT r.user_id, 0, 0, r.author, r.created_at, r.decided_at, r.id, 'round:' || r.id, coalesce(r.thread_id, ''), 'choose', r.revision,
       r.final, r.reverted_at IS NOT NULL, NULL, 'person', r.reverted_at,
       (SELECT json_group_array(DISTINCT c.value) FROM dissents d, json_each(d.citations) c WHERE d.round_id = r.id AND d.impact = 1)
FROM rounds r WHERE r.choice <> 'revision';
