-- TaskTube, schema version 3, for H2 2.2 and newer.
-- The adapter runs this by itself unless its property createTables is false.

CREATE TABLE tasktube_schema (
  version integer NOT NULL PRIMARY KEY
);

CREATE TABLE tasktube_tube (
  id       integer     GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name     varchar(32) NOT NULL UNIQUE,
  type     varchar(32) NOT NULL,
  pri      integer     NOT NULL CHECK (pri >= 0),
  ttl_ms   bigint      CHECK (ttl_ms > 0),
  ttr_ms   bigint      CHECK (ttr_ms > 0),
  delay_ms bigint      NOT NULL CHECK (delay_ms >= 0),
  capacity integer     CHECK (capacity > 0),
  temporary   boolean  NOT NULL,
  sub_queues  boolean  NOT NULL
);

-- One row per server that is up. A server whose row no longer changes has died: another one marks it dead, releases what
-- it held, and removes the row. A server that finds its row dead or gone goes on under a new number.
CREATE TABLE tasktube_node (
  id      integer      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name    varchar(255) NOT NULL,
  seen_at timestamp(6) with time zone NOT NULL,
  dead    boolean      NOT NULL DEFAULT false
);

-- Sessions that others may identify as: a row per server that has connections of it. The row of node 0 says that there is
-- no connection any more, and until when the session may be taken up again.
CREATE TABLE tasktube_session (
  session    uuid    NOT NULL,
  node       integer NOT NULL,
  expires_at timestamp(6) with time zone,
  PRIMARY KEY (session, node),
  CONSTRAINT tasktube_session_expiry CHECK ((node = 0) = (expires_at IS NOT NULL))
);

-- A row per free slot of a tube with a capacity: a put takes one away, and the removal of a task gives one back.
CREATE TABLE tasktube_slot (
  id      bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tube_id integer NOT NULL
);
CREATE INDEX tasktube_slot_tube ON tasktube_slot (tube_id, id);

-- Marks of dirty sub-queues: something changed in them, so that another task may be their head now. The transaction that
-- changes a task leaves the mark; a take looks at the marks first.
CREATE TABLE tasktube_dirty (
  id      bigint       GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tube_id integer      NOT NULL,
  utube   varchar(255) NOT NULL
);
CREATE INDEX tasktube_dirty_tube ON tasktube_dirty (tube_id, id);

-- Sub-queues whose head cannot be promoted before another transaction has ended, which has locked a task: at most one row
-- per sub-queue. A promotion looks at it again when the task is not locked any more, or is gone.
CREATE TABLE tasktube_parked (
  tube_id integer      NOT NULL,
  utube   varchar(255) NOT NULL,
  task_id bigint       NOT NULL,
  PRIMARY KEY (tube_id, utube)
);

-- Ids, and the order of put; the one thing that all producers share, and it is never rolled back or locked.
CREATE SEQUENCE tasktube_task_seq AS bigint;

-- The database's clock as it runs: CURRENT_TIMESTAMP stands still inside a transaction in H2.
CREATE ALIAS tasktube_now FOR 'java.time.Instant.now';

-- No foreign key to tasktube_tube: it would lock the tube's row with each put.
CREATE TABLE tasktube_task (
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
  error_type    varchar(250),
  error_message varchar(1000),
  error_trace   varchar(4000),
  outcome       char(1),
  result_ttl_ms bigint,
  result_type   varchar(100),
  result        varbinary(1000000000),
  CONSTRAINT tasktube_task_state CHECK (state IN ('r', '~', 't', '!', '-')),
  CONSTRAINT tasktube_task_taken CHECK ((state = 't') = (session IS NOT NULL AND token IS NOT NULL AND node IS NOT NULL AND taken_at IS NOT NULL)),
  CONSTRAINT tasktube_task_delayed CHECK (state <> '~' OR event_at IS NOT NULL),
  CONSTRAINT tasktube_task_blocked CHECK (NOT blocked OR (utube IS NOT NULL AND state = 'r')),
  CONSTRAINT tasktube_task_done CHECK ((state = '-') = (outcome IS NOT NULL) AND (outcome IS NULL) = (result IS NULL) AND (outcome IS NULL OR live_key IS NULL)),
  CONSTRAINT tasktube_task_counts CHECK (attempts >= 0 AND taken_count >= attempts AND buried_count >= 0)
);

-- H2 has no partial indexes: one holds all states.
CREATE INDEX tasktube_task_state_order ON tasktube_task (tube_id, state, blocked, pri, ord);
-- What is in sub-queues, each in its order.
CREATE INDEX tasktube_task_sub_queue ON tasktube_task (tube_id, utube, state, blocked, pri, ord);
CREATE UNIQUE INDEX tasktube_task_key ON tasktube_task (live_key, tube_id);
-- All deadlines of all tubes, for the one sweep.
CREATE INDEX tasktube_task_event ON tasktube_task (event_at, id);

INSERT INTO tasktube_schema (version) VALUES (3);
