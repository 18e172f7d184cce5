-- From version 10 to 11: the order of tasks ends with their ids, because a driver may give several the same number.
DROP INDEX IF EXISTS tasktube_task_state_order;
CREATE INDEX tasktube_task_state_order ON tasktube_task (tube_id, state, blocked, pri, ord, id);
DROP INDEX IF EXISTS tasktube_task_sub_queue;
CREATE INDEX tasktube_task_sub_queue ON tasktube_task (tube_id, utube, state, blocked, pri, ord, id);
