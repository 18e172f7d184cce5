-- From version 15 to 16: fields of the data by which searches find tasks. They are none until somebody declares some.
-- A cancelled operation has the reason of that, and an operation the tasks that it has changed. The logins of the console
-- are in the database, and so is what deliveries have logged.
ALTER TABLE tasktube_tube ADD COLUMN IF NOT EXISTS searchable varchar(1000) DEFAULT '' NOT NULL;
ALTER TABLE tasktube_tube ADD COLUMN IF NOT EXISTS index_id bigint DEFAULT 0 NOT NULL;
ALTER TABLE tasktube_tube ADD COLUMN IF NOT EXISTS index_since timestamp(6) with time zone;
ALTER TABLE tasktube_tube ADD COLUMN IF NOT EXISTS index_upto bigint DEFAULT 0 NOT NULL;
ALTER TABLE tasktube_tube ADD COLUMN IF NOT EXISTS index_place bigint DEFAULT 0 NOT NULL;
ALTER TABLE tasktube_operation ADD COLUMN IF NOT EXISTS cancel_reason varchar(255);
CREATE TABLE IF NOT EXISTS tasktube_field (
  index_id bigint NOT NULL,
  hash     bigint NOT NULL,
  task_id  bigint NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS tasktube_field_value ON tasktube_field (index_id, hash, task_id DESC);
CREATE TABLE IF NOT EXISTS tasktube_login (
  login_key varchar(64)  NOT NULL PRIMARY KEY,
  who       varchar(255) NOT NULL,
  address   varchar(100) NOT NULL,
  server    varchar(255) NOT NULL,
  begun_at  timestamp(6) with time zone NOT NULL,
  seen_at   timestamp(6) with time zone NOT NULL
);
CREATE TABLE IF NOT EXISTS tasktube_changed (
  operation_id bigint  NOT NULL,
  id           bigint  GENERATED ALWAYS AS IDENTITY,
  tube_id      integer NOT NULL,
  ids          varchar    NOT NULL,
  PRIMARY KEY (operation_id, id),
  CONSTRAINT tasktube_changed_operation FOREIGN KEY (operation_id) REFERENCES tasktube_operation (id) ON DELETE CASCADE
);
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
