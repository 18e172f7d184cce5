-- The tables of version 10, as they were at 164c4ac.
CREATE ALIAS IF NOT EXISTS tasktube_now FOR 'java.time.Instant.now';
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
  changes     integer  NOT NULL DEFAULT 0,
  CONSTRAINT tasktube_tube_history CHECK (history IN ('o', 'f', 'a') AND history_ms BETWEEN 60000 AND 315360000000),
  CONSTRAINT tasktube_tube_mode CHECK (mode IN ('o', 'p', 'd') AND (mode = 'o') = (mode_reason = '') AND (mode = 'o' OR mode_by <> ''))
);
CREATE TABLE IF NOT EXISTS tasktube_node (
  id      integer      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name    varchar(255) NOT NULL,
  seen_at timestamp(6) with time zone NOT NULL,
  dead    boolean      NOT NULL DEFAULT false
);
CREATE TABLE IF NOT EXISTS tasktube_session (
  session    uuid    NOT NULL,
  node       integer NOT NULL,
  expires_at timestamp(6) with time zone,
  kept_ms    bigint,
  owner      varchar(255),
  PRIMARY KEY (session, node),
  CONSTRAINT tasktube_session_expiry CHECK ((node = 0) = (expires_at IS NOT NULL))
);
CREATE TABLE IF NOT EXISTS tasktube_slot (
  id      bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tube_id integer NOT NULL
);
CREATE INDEX IF NOT EXISTS tasktube_slot_tube ON tasktube_slot (tube_id, id);
CREATE TABLE IF NOT EXISTS tasktube_dirty (
  id      bigint       GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tube_id integer      NOT NULL,
  utube   varchar(255) NOT NULL
);
CREATE INDEX IF NOT EXISTS tasktube_dirty_tube ON tasktube_dirty (tube_id, id);
CREATE TABLE IF NOT EXISTS tasktube_parked (
  tube_id integer      NOT NULL,
  utube   varchar(255) NOT NULL,
  task_id bigint       NOT NULL,
  PRIMARY KEY (tube_id, utube)
);
CREATE TABLE IF NOT EXISTS tasktube_failure (
  fingerprint  bigint       NOT NULL PRIMARY KEY,
  type         varchar(250) NOT NULL,
  frame        varchar(250) NOT NULL,
  message      varchar(500) NOT NULL,
  first_at     timestamp(6) with time zone NOT NULL,
  unused_since timestamp(6) with time zone
);
CREATE SEQUENCE IF NOT EXISTS tasktube_task_seq AS bigint;
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
  outcome       char(1),
  result_ttl_ms bigint,
  result_type   varchar(100),
  result        varbinary(1000000000),
  CONSTRAINT tasktube_task_state CHECK (state IN ('r', '~', 't', '!', '-')),
  CONSTRAINT tasktube_task_taken CHECK ((state = 't') = (session IS NOT NULL AND token IS NOT NULL AND node IS NOT NULL AND taken_at IS NOT NULL)),
  CONSTRAINT tasktube_task_delayed CHECK (state <> '~' OR event_at IS NOT NULL),
  CONSTRAINT tasktube_task_blocked CHECK (NOT blocked OR (utube IS NOT NULL AND state = 'r')),
  CONSTRAINT tasktube_task_done CHECK ((state = '-') = (outcome IS NOT NULL) AND (outcome IS NULL) = (result IS NULL) AND (outcome IS NULL OR live_key IS NULL)),
  CONSTRAINT tasktube_task_counts CHECK (attempts >= 0 AND taken_count >= attempts AND buried_count >= 0),
  CONSTRAINT tasktube_task_failed CHECK ((failure IS NULL) = (failed_at IS NULL))
);
CREATE INDEX IF NOT EXISTS tasktube_task_state_order ON tasktube_task (tube_id, state, blocked, pri, ord);
CREATE INDEX IF NOT EXISTS tasktube_task_sub_queue ON tasktube_task (tube_id, utube, state, blocked, pri, ord);
CREATE UNIQUE INDEX IF NOT EXISTS tasktube_task_key ON tasktube_task (live_key, tube_id);
CREATE INDEX IF NOT EXISTS tasktube_task_event ON tasktube_task (event_at, id);
CREATE INDEX IF NOT EXISTS tasktube_task_failure ON tasktube_task (failure, id);
CREATE TABLE IF NOT EXISTS tasktube_flow (
  bucket   bigint  NOT NULL,
  tube_id  integer NOT NULL,
  node     integer NOT NULL,
  puts     bigint  NOT NULL,
  ends     bigint  NOT NULL,
  failures bigint  NOT NULL,
  PRIMARY KEY (bucket, tube_id, node)
);
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
  server      varchar(255) NOT NULL
);
CREATE INDEX IF NOT EXISTS tasktube_audit_newest ON tasktube_audit (id DESC);
CREATE INDEX IF NOT EXISTS tasktube_audit_tube ON tasktube_audit (tube DESC, id DESC);
CREATE INDEX IF NOT EXISTS tasktube_audit_user ON tasktube_audit (who DESC, id DESC);
CREATE INDEX IF NOT EXISTS tasktube_audit_act ON tasktube_audit (act DESC, id DESC);
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
  looked       bigint       NOT NULL DEFAULT 0,
  changed      bigint       NOT NULL DEFAULT 0,
  skipped      bigint       NOT NULL DEFAULT 0,
  place        varchar(2000) NOT NULL DEFAULT '',
  deferred     varchar NOT NULL DEFAULT '',
  server       varchar(255),
  cancelled_by varchar(255),
  error        varchar(1000),
  CONSTRAINT tasktube_operation_state CHECK (state IN ('w', 'r', 'd', 'c', 'f') AND (state = 'r') = (running IS NOT NULL)
    AND (state IN ('w', 'r')) = (ended_at IS NULL) AND (state = 'c') = (cancelled_by IS NOT NULL) AND (state = 'f') = (error IS NOT NULL)),
  CONSTRAINT tasktube_operation_counts CHECK (looked >= changed + skipped)
);
CREATE INDEX IF NOT EXISTS tasktube_operation_open ON tasktube_operation (ended_at, id);
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
  PRIMARY KEY (tube_id, id)
);
CREATE INDEX IF NOT EXISTS tasktube_history_task ON tasktube_history (task_id, id);
CREATE INDEX IF NOT EXISTS tasktube_history_parent ON tasktube_history (parent_task, id);
INSERT INTO tasktube_schema (version) VALUES (10);
