-- TaskTube, schema version 1, for PostgreSQL 13 and newer.
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
  delay_ms bigint      NOT NULL CHECK (delay_ms >= 0)
);

-- One row a server that is up. A row whose seen_at is old is a server that died: its tasks are released.
CREATE TABLE tasktube_node (
  id      integer      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name    varchar(255) NOT NULL,
  seen_at timestamp(6) with time zone NOT NULL
) WITH (fillfactor = 50);

-- Ids and places in the order of put; the one thing that all producers share, and it is never rolled back or locked.
CREATE SEQUENCE tasktube_task_seq AS bigint;

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
  content_type  varchar(100) NOT NULL,
  data          bytea        NOT NULL,
  error_type    varchar(250),
  error_message varchar(1000),
  error_trace   varchar(4000),
  CONSTRAINT tasktube_task_state CHECK (state IN ('r', '~', 't', '!', '-')),
  CONSTRAINT tasktube_task_taken CHECK ((state = 't') = (session IS NOT NULL AND token IS NOT NULL AND node IS NOT NULL AND taken_at IS NOT NULL)),
  CONSTRAINT tasktube_task_delayed CHECK (state <> '~' OR event_at IS NOT NULL),
  CONSTRAINT tasktube_task_counts CHECK (attempts >= 0 AND taken_count >= attempts AND buried_count >= 0)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.1,
  vacuum_truncate = false);

-- Room for some tasks from the start, which vacuum_truncate lets stand: PostgreSQL plans a statement by the pages that are
-- there at its first uses, and goes on by that plan while the table grows. With none it would read the whole table for
-- each ack, a million tasks or not.
INSERT INTO tasktube_task (id, tube_id, state, pri, ord, created_at, content_type, data)
  SELECT -n, 0, 'r', 0, 0, statement_timestamp(), 'none', decode(repeat('00', 1000), 'hex') FROM generate_series(1, 1000) n;
DELETE FROM tasktube_task;

-- What take looks at holds only what can be taken, so that its cost does not depend on the rest.
CREATE INDEX tasktube_task_ready ON tasktube_task (tube_id, pri, ord) WHERE state = 'r';
-- Every other state, for kick, peek, releaseAll and lists.
CREATE INDEX tasktube_task_other ON tasktube_task (tube_id, state, pri, ord) WHERE state <> 'r';
-- All deadlines of all tubes, for the one sweep.
CREATE INDEX tasktube_task_event ON tasktube_task (event_at) WHERE event_at IS NOT NULL;

INSERT INTO tasktube_schema (version) VALUES (1);
