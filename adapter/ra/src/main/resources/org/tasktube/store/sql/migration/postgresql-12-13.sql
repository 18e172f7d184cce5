-- From version 12 to 13: the row of an operation names the server that runs it. Operations had a tube and tasks before.
ALTER TABLE tasktube_operation ADD COLUMN node integer, ADD COLUMN node_until timestamp(6) with time zone;
DELETE FROM tasktube_task WHERE tube_id IN (SELECT id FROM tasktube_tube WHERE name = 'tasktube-operations'
  AND type = 'fifottl' AND NOT temporary);
DELETE FROM tasktube_tube WHERE name = 'tasktube-operations' AND type = 'fifottl' AND NOT temporary;
