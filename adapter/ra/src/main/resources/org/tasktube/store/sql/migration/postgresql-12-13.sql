-- From version 12 to 13: the row of an operation names the server that runs it. Operations had a tube and tasks before.
-- While that tube was not open, no operation could begin: those that waited are cancelled. An application's own tube of
-- that name, from the time before operations, stays.
ALTER TABLE tasktube_operation ADD COLUMN node integer, ADD COLUMN node_until timestamp(6) with time zone;
UPDATE tasktube_operation SET state = 'c', ended_at = statement_timestamp(), cancelled_by = 'migration to version 13'
  WHERE state = 'w' AND EXISTS (SELECT 1 FROM tasktube_tube WHERE name = 'tasktube-operations' AND mode <> 'o');
DELETE FROM tasktube_task WHERE id IN (SELECT id FROM tasktube_operation) AND tube_id IN (SELECT id FROM tasktube_tube
  WHERE name = 'tasktube-operations' AND type = 'fifottl' AND NOT temporary);
DELETE FROM tasktube_tube WHERE name = 'tasktube-operations' AND type = 'fifottl' AND NOT temporary
  AND NOT EXISTS (SELECT 1 FROM tasktube_task t WHERE t.tube_id = tasktube_tube.id)
  AND EXISTS (SELECT 1 FROM tasktube_operation);
-- PostgreSQL would prepare these expressions anew for each statement, and the statements keep them true.
ALTER TABLE tasktube_task
  DROP CONSTRAINT IF EXISTS tasktube_task_state,
  DROP CONSTRAINT IF EXISTS tasktube_task_taken,
  DROP CONSTRAINT IF EXISTS tasktube_task_delayed,
  DROP CONSTRAINT IF EXISTS tasktube_task_blocked,
  DROP CONSTRAINT IF EXISTS tasktube_task_done,
  DROP CONSTRAINT IF EXISTS tasktube_task_counts,
  DROP CONSTRAINT IF EXISTS tasktube_task_failed;
