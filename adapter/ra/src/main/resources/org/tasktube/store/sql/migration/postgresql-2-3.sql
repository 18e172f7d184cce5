-- From version 2 to 3: names, the marks of stopped servers, and parked sub-queues.
DROP FUNCTION tasktube_settle(integer);
ALTER TABLE tasktube_tube RENAME COLUMN notes_from TO marks_from;
ALTER TABLE tasktube_tube RENAME COLUMN notes_upto TO marks_upto;
ALTER TABLE tasktube_tube RENAME COLUMN notes_end TO marks_end;
ALTER TABLE tasktube_node ADD COLUMN dead boolean NOT NULL DEFAULT false;
ALTER TABLE tasktube_place RENAME TO tasktube_slot;
ALTER INDEX tasktube_place_pkey RENAME TO tasktube_slot_pkey;
ALTER SEQUENCE tasktube_place_id_seq RENAME TO tasktube_slot_id_seq;
ALTER TABLE tasktube_note RENAME TO tasktube_dirty;
ALTER INDEX tasktube_note_pkey RENAME TO tasktube_dirty_pkey;
ALTER SEQUENCE tasktube_note_id_seq RENAME TO tasktube_dirty_id_seq;
CREATE TABLE tasktube_parked (
  tube_id integer      NOT NULL,
  utube   varchar(255) COLLATE "C" NOT NULL,
  task_id bigint       NOT NULL,
  PRIMARY KEY (tube_id, utube)
);
ALTER TABLE tasktube_task RENAME COLUMN behind TO blocked;
ALTER TABLE tasktube_task RENAME COLUMN alone TO sole_member;
ALTER TABLE tasktube_task RENAME CONSTRAINT tasktube_task_behind TO tasktube_task_blocked;
ALTER INDEX tasktube_task_lane RENAME TO tasktube_task_sub_queue;
DROP INDEX tasktube_task_event;
CREATE INDEX tasktube_task_event ON tasktube_task (event_at, id) WHERE event_at IS NOT NULL;
