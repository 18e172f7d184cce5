-- The tables of version 2, as they were at 0d97ae2.
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
CREATE TABLE tasktube_node (
  id      integer      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name    varchar(255) NOT NULL,
  seen_at timestamp(6) with time zone NOT NULL
);
CREATE TABLE tasktube_session (
  session    uuid    NOT NULL,
  node       integer NOT NULL,
  expires_at timestamp(6) with time zone,
  PRIMARY KEY (session, node),
  CONSTRAINT tasktube_session_expiry CHECK ((node = 0) = (expires_at IS NOT NULL))
);
CREATE TABLE tasktube_place (
  id      bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tube_id integer NOT NULL
);
CREATE INDEX tasktube_place_tube ON tasktube_place (tube_id, id);
CREATE TABLE tasktube_note (
  id      bigint       GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tube_id integer      NOT NULL,
  utube   varchar(255) NOT NULL
);
CREATE INDEX tasktube_note_tube ON tasktube_note (tube_id, id);
CREATE SEQUENCE tasktube_task_seq AS bigint;
CREATE ALIAS tasktube_now FOR 'java.time.Instant.now';
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
  behind        boolean      NOT NULL DEFAULT false,
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
  CONSTRAINT tasktube_task_behind CHECK (NOT behind OR (utube IS NOT NULL AND state = 'r')),
  CONSTRAINT tasktube_task_done CHECK ((state = '-') = (outcome IS NOT NULL) AND (outcome IS NULL) = (result IS NULL) AND (outcome IS NULL OR live_key IS NULL)),
  CONSTRAINT tasktube_task_counts CHECK (attempts >= 0 AND taken_count >= attempts AND buried_count >= 0)
);
CREATE INDEX tasktube_task_state_order ON tasktube_task (tube_id, state, behind, pri, ord);
CREATE INDEX tasktube_task_lane ON tasktube_task (tube_id, utube, state, behind, pri, ord);
CREATE UNIQUE INDEX tasktube_task_key ON tasktube_task (live_key, tube_id);
CREATE INDEX tasktube_task_event ON tasktube_task (event_at);
INSERT INTO tasktube_schema (version) VALUES (2);
