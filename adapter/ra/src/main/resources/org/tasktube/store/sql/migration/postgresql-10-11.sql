-- From version 10 to 11: the order of tasks ends with their ids, because a driver may give several the same number.
DROP INDEX tasktube_task_ready;
CREATE INDEX tasktube_task_ready ON tasktube_task (tube_id, pri, ord, id) WHERE state = 'r' AND NOT blocked;
DROP INDEX tasktube_task_sub_queue;
CREATE INDEX tasktube_task_sub_queue ON tasktube_task (tube_id, utube, pri, ord, id) WHERE blocked;
DROP INDEX tasktube_task_other;
CREATE INDEX tasktube_task_other ON tasktube_task (tube_id, state, pri, ord, id) WHERE state <> 'r';
