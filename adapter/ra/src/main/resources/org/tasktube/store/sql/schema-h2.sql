-- TaskTube, schema version 1, for H2 2.2 and newer.
-- If the tables are missing, the adapter runs this file, unless its property createTables is false. The folder migration
-- has the steps from older tables.
-- H2 commits each of these statements. If one fails, or the server ends, run the file again: it creates the rest.

-- The running clock of the database. In H2, CURRENT_TIMESTAMP stands still inside a transaction. The alias is first
-- because only an administrator can create it: without that right nothing is created.
CREATE ALIAS IF NOT EXISTS tasktube_now FOR 'java.time.Instant.now';

-- While the table is empty, the others are incomplete: the version is written last.
CREATE TABLE IF NOT EXISTS tasktube_schema (
  version integer NOT NULL PRIMARY KEY
);

CREATE TABLE IF NOT EXISTS tasktube_tube (
  id       integer     GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name     varchar(32) NOT NULL UNIQUE,
  type     varchar(32) NOT NULL,
  pri      integer     NOT NULL CHECK (pri >= 0),
  ttl_ms   bigint      CHECK (ttl_ms > 0),
  ttr_ms   bigint      CHECK (ttr_ms > 0),
  delay_ms bigint      NOT NULL CHECK (delay_ms >= 0),
  capacity integer     CHECK (capacity > 0),
  temporary   boolean  NOT NULL,
  sub_queues  boolean  NOT NULL,
  mode        char(1)      NOT NULL DEFAULT 'o',
  mode_by     varchar(255) NOT NULL DEFAULT '',
  mode_at     timestamp(6) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  mode_reason varchar(255) NOT NULL DEFAULT '',
  history     char(1)  NOT NULL DEFAULT 'o',
  history_ms  bigint   NOT NULL DEFAULT 604800000,
  strict_order boolean NOT NULL DEFAULT false,
  max_taken   integer  CHECK (max_taken > 0),
  max_rate    integer  CHECK (max_rate > 0),
  rate_ms     bigint   CHECK (rate_ms > 0),
  changes     integer  NOT NULL DEFAULT 0,
  searchable  varchar(1000) NOT NULL DEFAULT '',
  index_id    bigint   NOT NULL DEFAULT 0,
  index_since timestamp(6) with time zone,
  index_upto  bigint   NOT NULL DEFAULT 0,
  index_place bigint   NOT NULL DEFAULT 0,
  CONSTRAINT tasktube_tube_history CHECK (history IN ('o', 'f', 'a') AND history_ms BETWEEN 60000 AND 315360000000),
  CONSTRAINT tasktube_tube_rate CHECK ((max_rate IS NULL) = (rate_ms IS NULL)),
  CONSTRAINT tasktube_tube_mode CHECK (mode IN ('o', 'p', 'd') AND (mode = 'o') = (mode_reason = '') AND (mode = 'o' OR mode_by <> ''))
);

-- One row per live server. If a row no longer changes, its server has died: another server marks it as dead, and releases
-- its tasks. A server that stops marks its own row. If a server finds its own row dead, it continues under a new number.
-- When nothing is left to release, the row has released_at and the number of released tasks, and stays for a day so that
-- operators see it.
CREATE TABLE IF NOT EXISTS tasktube_node (
  id      integer      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name    varchar(255) NOT NULL,
  seen_at timestamp(6) with time zone NOT NULL,
  dead    boolean      NOT NULL DEFAULT false,
  work    varchar      NOT NULL DEFAULT '',
  stopped boolean      NOT NULL DEFAULT false,
  released    bigint   NOT NULL DEFAULT 0,
  released_at timestamp(6) with time zone,
  dismissed   boolean  NOT NULL DEFAULT false
);

-- Registered sessions, which other servers may join: one row per session and server that has connections of it. A row
-- of node 0 means that no connection is left. Until expires_at, a server may join the session again. All rows of a
-- session have the same kept_ms, its own time without a connection, and the same owner.
CREATE TABLE IF NOT EXISTS tasktube_session (
  session    uuid    NOT NULL,
  node       integer NOT NULL,
  expires_at timestamp(6) with time zone,
  kept_ms    bigint,
  owner      varchar(255),
  PRIMARY KEY (session, node),
  CONSTRAINT tasktube_session_expiry CHECK ((node = 0) = (expires_at IS NOT NULL))
);

-- One row per free slot of a tube with a capacity. A put removes a row, and the removal of a task adds one.
CREATE TABLE IF NOT EXISTS tasktube_slot (
  id      bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tube_id integer NOT NULL
);
CREATE INDEX IF NOT EXISTS tasktube_slot_tube ON tasktube_slot (tube_id, id);

-- Seats: a tube with a limit of TAKEN tasks has a row of the kind t for each, and one with a limit of takes in a time a row
-- of the kind r for each. A take locks free seats, takes as many tasks, and writes them into the seats, in one
-- transaction. A seat of t is in use while its task is TAKEN by that token, one of r until its take is longer ago than
-- the period. Seats above a limit that was lowered stay.
CREATE TABLE IF NOT EXISTS tasktube_seat (
  tube_id integer NOT NULL,
  kind    char(1) NOT NULL,
  n       integer NOT NULL,
  task_id bigint,
  token   bigint  NOT NULL DEFAULT 0,
  used_at timestamp(6) with time zone,
  PRIMARY KEY (tube_id, kind, n)
);

-- Unique keys that stay taken for a time: a row per key, until until_at. task_id is the task that was put with it.
CREATE TABLE IF NOT EXISTS tasktube_key (
  tube_id    integer      NOT NULL,
  unique_key varchar(255) NOT NULL,
  task_id    bigint,
  until_at   timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (tube_id, unique_key)
);
CREATE INDEX IF NOT EXISTS tasktube_key_until ON tasktube_key (until_at);

-- Tasks that wait for others: a row per parent and child. tube_id is the child's. The parent has followed, by which its
-- ack ends the row in the same transaction. A parent that is gone while its row has not ended was not acked.
CREATE TABLE IF NOT EXISTS tasktube_after (
  parent_id bigint  NOT NULL,
  child_id  bigint  NOT NULL,
  tube_id   integer NOT NULL,
  any_end   boolean NOT NULL,
  ended     boolean NOT NULL DEFAULT false,
  PRIMARY KEY (parent_id, child_id)
);
CREATE INDEX IF NOT EXISTS tasktube_after_child ON tasktube_after (child_id, ended);

-- Calls to the holders of tasks to end them, and how far they are: a row per task for each of the two, until some time
-- after its taking. No columns of the task, which its holder's transaction may have locked. Not one row for both, which
-- the transaction of a call locks until its end.
CREATE TABLE IF NOT EXISTS tasktube_progress (
  task_id      bigint       NOT NULL,
  cancels      boolean      NOT NULL,
  done         bigint       NOT NULL DEFAULT 0,
  total        bigint       NOT NULL DEFAULT 0,
  note         varchar(255) NOT NULL DEFAULT '',
  at           timestamp(6) with time zone,
  cancelled_by varchar(255),
  reason       varchar(255),
  cancelled_at timestamp(6) with time zone,
  PRIMARY KEY (task_id, cancels)
);

-- Dirty marks: tasks of these sub-queues have changed, so that another task may be the head now. The transaction that
-- changes a task adds the mark. A take reads the marks first.
CREATE TABLE IF NOT EXISTS tasktube_dirty (
  id      bigint       GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tube_id integer      NOT NULL,
  utube   varchar(255) NOT NULL
);
CREATE INDEX IF NOT EXISTS tasktube_dirty_tube ON tasktube_dirty (tube_id, id);

-- Parked sub-queues: their heads cannot be promoted before the end of another transaction, which has locked a task.
-- There is at most one row per sub-queue. A promotion tries the sub-queue again when the task is no longer locked, or
-- no longer exists.
CREATE TABLE IF NOT EXISTS tasktube_parked (
  tube_id integer      NOT NULL,
  utube   varchar(255) NOT NULL,
  task_id bigint       NOT NULL,
  PRIMARY KEY (tube_id, utube)
);

-- The kinds of failures: one row per fingerprint. A failed delivery writes the row before the task, if its server does
-- not know that row. If a task has a kind without a row, the next check adds the row again. No foreign key, because it
-- would lock the kind's row with each failure. unused_since is the time when a check found no task of the kind.
CREATE TABLE IF NOT EXISTS tasktube_failure (
  fingerprint  bigint       NOT NULL PRIMARY KEY,
  type         varchar(250) NOT NULL,
  cause        varchar(250) NOT NULL,
  frame        varchar(250) NOT NULL,
  message      varchar(500) NOT NULL,
  first_at     timestamp(6) with time zone NOT NULL,
  unused_since timestamp(6) with time zone
);

-- Gives ids, and the order of put. It is the one object that all producers share, and it is never rolled back or
-- locked.
CREATE SEQUENCE IF NOT EXISTS tasktube_task_seq AS bigint;

-- No foreign key to tasktube_tube: it would lock the tube's row with each put.
CREATE TABLE IF NOT EXISTS tasktube_task (
  id            bigint       NOT NULL PRIMARY KEY,
  tube_id       integer      NOT NULL,
  state         char(1)      NOT NULL,
  pri           integer      NOT NULL,
  ord           bigint       NOT NULL,
  created_at    timestamp(6) with time zone NOT NULL,
  event_at      timestamp(6) with time zone,
  expires_at    timestamp(6) with time zone,
  ttr_ms        bigint,
  session       uuid,
  token         bigint,
  node          integer,
  taken_at      timestamp(6) with time zone,
  attempts      integer      NOT NULL DEFAULT 0,
  taken_count   integer      NOT NULL DEFAULT 0,
  buried_count  integer      NOT NULL DEFAULT 0,
  utube         varchar(255),
  blocked       boolean      NOT NULL DEFAULT false,
  holds         boolean      NOT NULL DEFAULT false,
  followed      boolean      NOT NULL DEFAULT false,
  live_key      varchar(255),
  content_type  varchar(100) NOT NULL,
  data          varbinary(1000000000) NOT NULL,
  headers       varchar,
  error_type    varchar(250),
  error_message varchar(1000),
  error_trace   varchar(4000),
  failure       bigint,
  failed_at     timestamp(6) with time zone,
  operation     bigint,
  put_event     varchar(20),
  put_at        timestamp(6) with time zone,
  put_until     timestamp(6) with time zone,
  put_by        varchar(255),
  put_server    varchar(255),
  put_key       varchar(255),
  outcome       char(1),
  result_ttl_ms bigint,
  result_type   varchar(100),
  result        varbinary(1000000000),
  CONSTRAINT tasktube_task_state CHECK (state IN ('r', '~', 't', '!', '-')),
  CONSTRAINT tasktube_task_taken CHECK ((state = 't') = (session IS NOT NULL AND token IS NOT NULL AND node IS NOT NULL AND taken_at IS NOT NULL)),
  CONSTRAINT tasktube_task_blocked CHECK (NOT blocked OR (utube IS NOT NULL AND state = 'r')),
  CONSTRAINT tasktube_task_holds CHECK (NOT holds OR (utube IS NOT NULL AND state IN ('~', '!'))),
  CONSTRAINT tasktube_task_done CHECK ((state = '-') = (outcome IS NOT NULL) AND (outcome IS NULL) = (result IS NULL) AND (outcome IS NULL OR live_key IS NULL)),
  CONSTRAINT tasktube_task_counts CHECK (attempts >= 0 AND taken_count >= attempts AND buried_count >= 0),
  CONSTRAINT tasktube_task_failed CHECK ((failure IS NULL) = (failed_at IS NULL))
);

-- H2 has no partial indexes, so one index has all states.
CREATE INDEX IF NOT EXISTS tasktube_task_state_order ON tasktube_task (tube_id, state, blocked, pri, ord, id);
-- The tasks of each sub-queue, in order.
CREATE INDEX IF NOT EXISTS tasktube_task_sub_queue ON tasktube_task (tube_id, utube, state, blocked, pri, ord, id);
CREATE UNIQUE INDEX IF NOT EXISTS tasktube_task_key ON tasktube_task (live_key, tube_id);
-- All deadlines of all tubes, for the one sweep.
CREATE INDEX IF NOT EXISTS tasktube_task_event ON tasktube_task (event_at, id);
-- The failed tasks of each kind. Without the state, a put and a removal change this index, and a take does not.
CREATE INDEX IF NOT EXISTS tasktube_task_failure ON tasktube_task (failure, id);

-- One row per 5 minutes, tube and server: tasks that were put, tasks that ended, and takes that failed. The bucket is the
-- number of 5 minutes since 1970 in UTC. A server adds its numbers at the end of each. Rows are kept for 25 hours.
CREATE TABLE IF NOT EXISTS tasktube_flow (
  bucket   bigint  NOT NULL,
  tube_id  integer NOT NULL,
  node     integer NOT NULL,
  puts     bigint  NOT NULL,
  ends     bigint  NOT NULL,
  failures bigint  NOT NULL,
  PRIMARY KEY (bucket, tube_id, node)
);

-- The search indexes: one row per task and searchable field, by a hash of the field and its value. Each declaration of
-- searchable fields begins an index of its own number, index_id of the tube. While index_since of the tube is not null,
-- the index lacks tasks: index_upto is the greatest id that has to be read, or not above 0 before the index begins, and
-- index_place the last one that was read. A row is written with its task, and removed some time after it. So a search
-- decides by the task itself.
CREATE TABLE IF NOT EXISTS tasktube_field (
  index_id bigint NOT NULL,
  hash     bigint NOT NULL,
  task_id  bigint NOT NULL
);
-- Searches read the newest tasks first, and H2 reads an index in one direction only.
CREATE UNIQUE INDEX IF NOT EXISTS tasktube_field_value ON tasktube_field (index_id, hash, task_id DESC);

-- The audit: one row per act of a user by the console, also a refused one. The pages of the audit read the newest rows
-- first, and H2 reads an index in one direction only.
CREATE TABLE IF NOT EXISTS tasktube_audit (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  done_at     timestamp(6) with time zone NOT NULL,
  who         varchar(255) NOT NULL,
  needs       varchar(16)  NOT NULL,
  act         varchar(100) NOT NULL,
  tube        varchar(100),
  task        varchar(100),
  filter_text varchar(2000),
  amount      bigint,
  reason      varchar(255),
  status      integer      NOT NULL,
  server      varchar(255) NOT NULL,
  address     varchar(100)
);
CREATE INDEX IF NOT EXISTS tasktube_audit_newest ON tasktube_audit (id DESC);
CREATE INDEX IF NOT EXISTS tasktube_audit_tube ON tasktube_audit (tube DESC, id DESC);
CREATE INDEX IF NOT EXISTS tasktube_audit_user ON tasktube_audit (who DESC, id DESC);
CREATE INDEX IF NOT EXISTS tasktube_audit_act ON tasktube_audit (act DESC, id DESC);

-- The logins of users at the console. The key is the SHA-256 of what the browser keeps. Rows that are over go with the
-- next login.
CREATE TABLE IF NOT EXISTS tasktube_login (
  login_key varchar(64)  NOT NULL PRIMARY KEY,
  who       varchar(255) NOT NULL,
  address   varchar(100) NOT NULL,
  server    varchar(255) NOT NULL,
  begun_at  timestamp(6) with time zone NOT NULL,
  seen_at   timestamp(6) with time zone NOT NULL
);

-- Acts on many tasks: one row per operation. Its id is of the sequence of tasks, and those of smaller ids are its tasks.
-- At most one operation is RUNNING: the column running is unique, and null in all other states. The server of the number
-- in node runs it, until node_until, and each batch sets that anew. The next batch begins at place. The ids in deferred
-- are of tasks that another transaction had locked, for a second try at the end.
CREATE TABLE IF NOT EXISTS tasktube_operation (
  id           bigint       NOT NULL PRIMARY KEY,
  act          varchar(10)  NOT NULL,
  filter       varchar(2000) NOT NULL,
  reason       varchar(255) NOT NULL,
  created_by   varchar(255) NOT NULL,
  state        char(1)      NOT NULL DEFAULT 'w',
  running      boolean      UNIQUE,
  created_at   timestamp(6) with time zone NOT NULL,
  started_at   timestamp(6) with time zone,
  ended_at     timestamp(6) with time zone,
  expected     bigint       NOT NULL,
  is_least     boolean      NOT NULL,
  up_to        bigint       NOT NULL,
  looked       bigint       NOT NULL DEFAULT 0,
  changed      bigint       NOT NULL DEFAULT 0,
  skipped      bigint       NOT NULL DEFAULT 0,
  place        varchar(2000) NOT NULL DEFAULT '',
  deferred     varchar NOT NULL DEFAULT '',
  node         integer,
  node_until   timestamp(6) with time zone,
  server       varchar(255),
  cancelled_by varchar(255),
  cancel_reason varchar(255),
  error        varchar(1000),
  CONSTRAINT tasktube_operation_state CHECK (state IN ('w', 'r', 'd', 'c', 'f', 's') AND (state = 'r') = (running IS NOT NULL)
    AND (state IN ('w', 'r')) = (ended_at IS NULL) AND (state = 'c') = (cancelled_by IS NOT NULL) AND (state = 'f') = (error IS NOT NULL)),
  CONSTRAINT tasktube_operation_counts CHECK (looked >= changed + skipped)
);
-- The operations that have not ended, for the order in which they run.
CREATE INDEX IF NOT EXISTS tasktube_operation_open ON tasktube_operation (ended_at, id);

-- What was logged during deliveries, if the adapter's property deliveryLogLines is above 0: a row per delivery that has
-- logged something. Rows stay for 7 days, and the last 20 of a task.
CREATE TABLE IF NOT EXISTS tasktube_log (
  task_id bigint       NOT NULL,
  id      bigint       GENERATED ALWAYS AS IDENTITY,
  tube_id integer      NOT NULL,
  attempt integer      NOT NULL,
  server  varchar(255) NOT NULL,
  at      timestamp(6) with time zone NOT NULL,
  lines   varchar         NOT NULL,
  PRIMARY KEY (task_id, id)
);
CREATE INDEX IF NOT EXISTS tasktube_log_at ON tasktube_log (at);

-- Schedules: one row each, which its fires lock, so that each fire is one task over all servers. The digest is that of all
-- columns up to late_ms: a deployment that makes an equal schedule changes nothing. next_at is the next fire.
CREATE TABLE IF NOT EXISTS tasktube_schedule (
  name         varchar(255) NOT NULL PRIMARY KEY,
  digest       varchar(64)  NOT NULL,
  cron         varchar(255),
  zone         varchar(64)  NOT NULL,
  period_ms    bigint,
  tube         varchar(32)  NOT NULL,
  pri          integer,
  ttl_ms       bigint,
  ttr_ms       bigint,
  delay_ms     bigint,
  utube        varchar(255),
  urgent       boolean      NOT NULL,
  headers      varchar,
  content_type varchar(100) NOT NULL,
  data         varbinary(1000000000) NOT NULL,
  overlap      boolean      NOT NULL,
  late_ms      bigint,
  next_at      timestamp(6) with time zone NOT NULL,
  last_at      timestamp(6) with time zone,
  last_task    bigint,
  fires        bigint       NOT NULL DEFAULT 0,
  skipped      bigint       NOT NULL DEFAULT 0,
  skip_reason  varchar(20),
  skip_at      timestamp(6) with time zone,
  paused_by    varchar(255),
  paused_at    timestamp(6) with time zone,
  paused_why   varchar(255)
);

CREATE INDEX IF NOT EXISTS tasktube_schedule_next ON tasktube_schedule (next_at);

-- The tasks that operations have changed, also those that are gone and have no history: a row per batch, tube and state,
-- with ids and ranges of ids.
CREATE TABLE IF NOT EXISTS tasktube_changed (
  operation_id bigint  NOT NULL,
  id           bigint  GENERATED ALWAYS AS IDENTITY,
  tube_id      integer NOT NULL,
  ids          varchar    NOT NULL,
  PRIMARY KEY (operation_id, id),
  CONSTRAINT tasktube_changed_operation FOREIGN KEY (operation_id) REFERENCES tasktube_operation (id) ON DELETE CASCADE
);

-- -------------------------------------------------------------------------------------------- The histories of tasks

-- One row per move of a task, in tubes with a history. The transaction of the move writes it. Rows are never changed. The
-- put of a task has no row, unless another task's delivery made it. Its values are in the task's row, and in the row of
-- the move that removed the task. Number 1 is for such puts, so ids begin with 2. Rows stay when the task is gone, and
-- the maintenance removes them when they are older than the retention of the tube. No foreign key: it would lock the
-- tube's row with each move. Tasks have ids that no other task has, so the index of a task's moves needs no tube.
CREATE TABLE IF NOT EXISTS tasktube_history (
  tube_id       integer      NOT NULL,
  id            bigint       GENERATED ALWAYS AS IDENTITY (START WITH 2),
  task_id       bigint       NOT NULL,
  at            timestamp(6) with time zone NOT NULL,
  event         varchar(20)  NOT NULL,
  from_state    char(1),
  attempt       integer      NOT NULL,
  until_at      timestamp(6) with time zone,
  session       uuid,
  server        varchar(255),
  bean          varchar(250),
  made_by       varchar(255),
  failure       bigint,
  error_type    varchar(250),
  error_message varchar(1000),
  error_trace   varchar(4000),
  parent_tube   integer,
  parent_task   bigint,
  put_event     varchar(20),
  put_at        timestamp(6) with time zone,
  put_until     timestamp(6) with time zone,
  put_by        varchar(255),
  put_server    varchar(255),
  put_key       varchar(255),
  PRIMARY KEY (tube_id, id)
);
CREATE INDEX IF NOT EXISTS tasktube_history_task ON tasktube_history (task_id, id);
-- The tasks that a delivery put.
CREATE INDEX IF NOT EXISTS tasktube_history_parent ON tasktube_history (parent_task, id);
-- The tasks of a unique key that are gone.
CREATE INDEX IF NOT EXISTS tasktube_history_key ON tasktube_history (put_key, id);

INSERT INTO tasktube_schema (version) VALUES (1);
