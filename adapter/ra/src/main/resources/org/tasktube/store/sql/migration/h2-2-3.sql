-- From version 2 to 3: names, the marks of stopped servers, and parked sub-queues.
ALTER TABLE tasktube_node ADD COLUMN IF NOT EXISTS dead boolean NOT NULL DEFAULT false;
ALTER TABLE IF EXISTS tasktube_place RENAME TO tasktube_slot;
ALTER INDEX IF EXISTS tasktube_place_tube RENAME TO tasktube_slot_tube;
ALTER TABLE IF EXISTS tasktube_note RENAME TO tasktube_dirty;
ALTER INDEX IF EXISTS tasktube_note_tube RENAME TO tasktube_dirty_tube;
CREATE TABLE IF NOT EXISTS tasktube_parked (
  tube_id integer      NOT NULL,
  utube   varchar(255) NOT NULL,
  task_id bigint       NOT NULL,
  PRIMARY KEY (tube_id, utube)
);
ALTER TABLE tasktube_task ALTER COLUMN IF EXISTS behind RENAME TO blocked;
ALTER TABLE tasktube_task DROP CONSTRAINT IF EXISTS tasktube_task_behind;
ALTER TABLE tasktube_task ADD CONSTRAINT IF NOT EXISTS tasktube_task_blocked
  CHECK (NOT blocked OR (utube IS NOT NULL AND state = 'r'));
ALTER INDEX IF EXISTS tasktube_task_lane RENAME TO tasktube_task_sub_queue;
DROP INDEX IF EXISTS tasktube_task_event;
CREATE INDEX IF NOT EXISTS tasktube_task_event ON tasktube_task (event_at, id);
