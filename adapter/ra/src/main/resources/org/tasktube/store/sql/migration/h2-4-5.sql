-- From version 4 to 5: modes of tubes, headers of tasks, and kinds of failures.
ALTER TABLE tasktube_tube ADD COLUMN IF NOT EXISTS mode char(1) NOT NULL DEFAULT 'o';
ALTER TABLE tasktube_tube ADD COLUMN IF NOT EXISTS mode_by varchar(255) NOT NULL DEFAULT '';
ALTER TABLE tasktube_tube ADD COLUMN IF NOT EXISTS
  mode_at timestamp(6) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP;
ALTER TABLE tasktube_tube ADD COLUMN IF NOT EXISTS mode_reason varchar(255) NOT NULL DEFAULT '';
ALTER TABLE tasktube_tube ADD CONSTRAINT IF NOT EXISTS tasktube_tube_mode
  CHECK (mode IN ('o', 'p', 'd') AND (mode = 'o') = (mode_reason = '') AND (mode = 'o' OR mode_by <> ''));
CREATE TABLE IF NOT EXISTS tasktube_failure (
  fingerprint  bigint       NOT NULL PRIMARY KEY,
  type         varchar(250) NOT NULL,
  frame        varchar(250) NOT NULL,
  message      varchar(500) NOT NULL,
  first_at     timestamp(6) with time zone NOT NULL,
  unused_since timestamp(6) with time zone
);
ALTER TABLE tasktube_task ADD COLUMN IF NOT EXISTS headers varchar;
ALTER TABLE tasktube_task ADD COLUMN IF NOT EXISTS failure bigint;
ALTER TABLE tasktube_task ADD COLUMN IF NOT EXISTS failed_at timestamp(6) with time zone;
ALTER TABLE tasktube_task ADD CONSTRAINT IF NOT EXISTS tasktube_task_failed
  CHECK ((failure IS NULL) = (failed_at IS NULL));
CREATE INDEX IF NOT EXISTS tasktube_task_failure ON tasktube_task (failure);
