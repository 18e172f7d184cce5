-- From version 6 to 10: sessions have a time of their own and an owner, and the put of a task is in its row. There were
-- no tables of the versions 7 to 9.
ALTER TABLE tasktube_session ADD COLUMN IF NOT EXISTS kept_ms bigint;
ALTER TABLE tasktube_session ADD COLUMN IF NOT EXISTS owner varchar(255);
ALTER TABLE tasktube_task ADD COLUMN IF NOT EXISTS put_event varchar(20);
ALTER TABLE tasktube_task ADD COLUMN IF NOT EXISTS put_at timestamp(6) with time zone;
ALTER TABLE tasktube_task ADD COLUMN IF NOT EXISTS put_until timestamp(6) with time zone;
ALTER TABLE tasktube_task ADD COLUMN IF NOT EXISTS put_by varchar(255);
ALTER TABLE tasktube_task ADD COLUMN IF NOT EXISTS put_server varchar(255);
ALTER TABLE tasktube_operation ALTER COLUMN place varchar(2000) DEFAULT '' NOT NULL;
ALTER TABLE tasktube_history ADD COLUMN IF NOT EXISTS put_event varchar(20);
ALTER TABLE tasktube_history ADD COLUMN IF NOT EXISTS put_at timestamp(6) with time zone;
ALTER TABLE tasktube_history ADD COLUMN IF NOT EXISTS put_until timestamp(6) with time zone;
ALTER TABLE tasktube_history ADD COLUMN IF NOT EXISTS put_by varchar(255);
ALTER TABLE tasktube_history ADD COLUMN IF NOT EXISTS put_server varchar(255);
-- Number 1 is for the put that is in a task's row.
UPDATE tasktube_history SET id = DEFAULT WHERE id = 1;
ALTER TABLE tasktube_history ALTER COLUMN id
  RESTART WITH (SELECT GREATEST(2, COALESCE(MAX(id), 0) + 1) FROM tasktube_history);
