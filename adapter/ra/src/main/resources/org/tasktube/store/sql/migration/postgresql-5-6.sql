-- From version 5 to 6: histories, the audit, operations on many tasks, and the flow of tubes.
ALTER TABLE tasktube_tube ADD COLUMN history char(1) NOT NULL DEFAULT 'o',
  ADD COLUMN history_ms bigint NOT NULL DEFAULT 604800000, ADD COLUMN changes integer NOT NULL DEFAULT 0,
  ADD CONSTRAINT tasktube_tube_history CHECK (history IN ('o', 'f', 'a') AND history_ms BETWEEN 60000 AND 315360000000);
ALTER TABLE tasktube_task ADD COLUMN operation bigint;
DROP INDEX tasktube_task_failure;
CREATE INDEX tasktube_task_failure ON tasktube_task (failure, state, id) INCLUDE (tube_id, failed_at)
  WHERE failure IS NOT NULL;
CREATE TABLE tasktube_flow (
  bucket   bigint  NOT NULL,
  tube_id  integer NOT NULL,
  node     integer NOT NULL,
  puts     bigint  NOT NULL,
  ends     bigint  NOT NULL,
  failures bigint  NOT NULL,
  PRIMARY KEY (bucket, tube_id, node)
);
CREATE TABLE tasktube_audit (
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
CREATE INDEX tasktube_audit_tube ON tasktube_audit (tube, id) WHERE tube IS NOT NULL;
CREATE INDEX tasktube_audit_user ON tasktube_audit (who, id);
CREATE INDEX tasktube_audit_act ON tasktube_audit (act, id);
CREATE TABLE tasktube_operation (
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
  place        varchar(1000) NOT NULL DEFAULT '',
  deferred     text   NOT NULL DEFAULT '',
  server       varchar(255),
  cancelled_by varchar(255),
  error        varchar(1000),
  CONSTRAINT tasktube_operation_state CHECK (state IN ('w', 'r', 'd', 'c', 'f') AND (state = 'r') = (running IS NOT NULL)
    AND (state IN ('w', 'r')) = (ended_at IS NULL) AND (state = 'c') = (cancelled_by IS NOT NULL) AND (state = 'f') = (error IS NOT NULL)),
  CONSTRAINT tasktube_operation_counts CHECK (looked >= changed + skipped)
);
CREATE INDEX tasktube_operation_open ON tasktube_operation (id) WHERE ended_at IS NULL;
CREATE TABLE tasktube_history (
  tube_id       integer      NOT NULL,
  id            bigint       GENERATED ALWAYS AS IDENTITY,
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
  PRIMARY KEY (tube_id, id)
);
CREATE INDEX tasktube_history_task ON tasktube_history (task_id, id);
CREATE INDEX tasktube_history_parent ON tasktube_history (parent_task, id) WHERE parent_task IS NOT NULL;
