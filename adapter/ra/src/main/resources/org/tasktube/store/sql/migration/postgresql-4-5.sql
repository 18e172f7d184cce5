-- From version 4 to 5: modes of tubes, headers of tasks, and kinds of failures.
ALTER TABLE tasktube_tube ADD COLUMN mode char(1) NOT NULL DEFAULT 'o',
  ADD COLUMN mode_by varchar(255) NOT NULL DEFAULT '',
  ADD COLUMN mode_at timestamp(6) with time zone NOT NULL DEFAULT statement_timestamp(),
  ADD COLUMN mode_reason varchar(255) NOT NULL DEFAULT '',
  ADD CONSTRAINT tasktube_tube_mode CHECK (mode IN ('o', 'p', 'd') AND (mode = 'o') = (mode_reason = '') AND (mode = 'o' OR mode_by <> ''));
CREATE TABLE tasktube_failure (
  fingerprint  bigint       NOT NULL PRIMARY KEY,
  type         varchar(250) NOT NULL,
  frame        varchar(250) NOT NULL,
  message      varchar(500) NOT NULL,
  first_at     timestamp(6) with time zone NOT NULL,
  unused_since timestamp(6) with time zone
);
ALTER TABLE tasktube_task ADD COLUMN headers text, ADD COLUMN failure bigint,
  ADD COLUMN failed_at timestamp(6) with time zone,
  ADD CONSTRAINT tasktube_task_failed CHECK ((failure IS NULL) = (failed_at IS NULL));
CREATE INDEX tasktube_task_failure ON tasktube_task (failure, state) INCLUDE (tube_id, failed_at, id)
  WHERE failure IS NOT NULL;
