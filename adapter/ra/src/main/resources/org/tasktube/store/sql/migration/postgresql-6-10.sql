-- From version 6 to 10: sessions have a time of their own and an owner, and the put of a task is in its row. There were
-- no tables of the versions 7 to 9.
ALTER TABLE tasktube_session ADD COLUMN kept_ms bigint, ADD COLUMN owner varchar(255);
ALTER TABLE tasktube_slot SET (vacuum_truncate = false);
ALTER TABLE tasktube_dirty SET (vacuum_truncate = false);
ALTER TABLE tasktube_task ADD COLUMN put_event varchar(20), ADD COLUMN put_at timestamp(6) with time zone,
  ADD COLUMN put_until timestamp(6) with time zone, ADD COLUMN put_by varchar(255), ADD COLUMN put_server varchar(255);
ALTER TABLE tasktube_task ALTER COLUMN tube_id SET STATISTICS 0;
ALTER TABLE tasktube_task ALTER COLUMN id SET STATISTICS 0;
ALTER TABLE tasktube_slot ALTER COLUMN tube_id SET STATISTICS 0;
ALTER TABLE tasktube_dirty ALTER COLUMN tube_id SET STATISTICS 0;
-- The statistics of before would stay for ever. A new type removes them, also if it is the former one.
ALTER TABLE tasktube_task ALTER COLUMN tube_id TYPE integer, ALTER COLUMN id TYPE bigint;
ALTER TABLE tasktube_slot ALTER COLUMN tube_id TYPE integer;
ALTER TABLE tasktube_dirty ALTER COLUMN tube_id TYPE integer;
-- As in the file of the tables: a plan for a table without pages would read all of it. Tube 0 does not exist.
INSERT INTO tasktube_slot (tube_id) SELECT 0 FROM generate_series(1, 10000) n;
DELETE FROM tasktube_slot WHERE tube_id = 0;
INSERT INTO tasktube_dirty (tube_id, utube) SELECT 0, '' FROM generate_series(1, 10000) n;
DELETE FROM tasktube_dirty WHERE tube_id = 0;
ALTER TABLE tasktube_operation ALTER COLUMN place TYPE varchar(2000);
ALTER TABLE tasktube_history ADD COLUMN put_event varchar(20), ADD COLUMN put_at timestamp(6) with time zone,
  ADD COLUMN put_until timestamp(6) with time zone, ADD COLUMN put_by varchar(255), ADD COLUMN put_server varchar(255);
-- Number 1 is for the put that is in a task's row.
UPDATE tasktube_history SET id = DEFAULT WHERE id = 1;
ALTER TABLE tasktube_history ALTER COLUMN id SET START WITH 2;
SELECT setval(pg_get_serial_sequence('tasktube_history', 'id'),
  (SELECT greatest(2, coalesce(max(id), 0) + 1) FROM tasktube_history), false);
