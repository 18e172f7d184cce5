-- Every statement that TaskTube runs in H2, by its name. Most names are those of postgresql.sql. The sections "Take"
-- and "Promotion of heads" differ: H2 needs several statements where PostgreSQL finds and locks by one.
--
-- :name is a parameter. {name} includes the statement of that name. In the section "Answers", {change} is a statement
-- that changes tasks, and {answer} is the list of columns that it returns for each. A guarded change has all conditions
-- on the task in its WHERE. The returned rows are the answer: no row means that a condition was not met.

-- ---------------------------------------------------------------------------------------------------------- Parts

-- name: time
-- The adapter sets this variable before each statement that has it. The alias tasktube_now() would return another time
-- for each place and each row of a statement. CURRENT_TIMESTAMP stands still in a transaction.
CAST(@tasktube_now AS timestamp(6) with time zone)

-- name: unheld
session = NULL, token = NULL, node = NULL, taken_at = NULL

-- name: held
-- The same taking holds the task.
WHERE id = :id AND tube_id = :tube AND session = :session AND token = :token

-- name: in_state
-- The one task, if it is in the state. The condition is an expression that no index serves.
WHERE id = :id AND tube_id = :tube AND state || '' = :from

-- name: until_deadline
-- DATEDIFF counts crossed boundaries. In milliseconds, its result would be up to one too small.
CAST(CEIL(DATEDIFF(MICROSECOND, {time}, event_at) / 1000.0) AS bigint)

-- name: mode_columns
mode, mode_by, mode_at, mode_reason

-- name: task_columns
id, state, pri, attempts, token, utube, content_type, data, headers

-- -------------------------------------------------------------------------------------------------------- Answers

-- name: updated
SELECT {answer} FROM FINAL TABLE ({change})

-- name: deleted
SELECT {answer} FROM OLD TABLE ({change})

-- name: updated_tracked
-- The last two columns name the sub-queues that must be marked as dirty.
SELECT {answer}, tube_id, utube FROM FINAL TABLE ({change})

-- name: deleted_tracked
-- The last two columns also name the tubes in which slots must be freed.
SELECT {answer}, tube_id, utube FROM OLD TABLE ({change})

-- name: updated_kept
-- The columns before the last two are for the history.
SELECT {answer}, attempts, state, id, tube_id, utube FROM FINAL TABLE ({change})

-- name: deleted_kept
-- The last move of a removed task also has its put.
SELECT {answer}, {put_move_columns}, attempts, state, id, tube_id, utube FROM OLD TABLE ({change})

-- name: updated_tracked_kept
SELECT {answer}, attempts, state, id, tube_id, utube FROM FINAL TABLE ({change})

-- name: deleted_tracked_kept
SELECT {answer}, {put_move_columns}, attempts, state, id, tube_id, utube FROM OLD TABLE ({change})

-- name: free_slots
INSERT INTO tasktube_slot (tube_id) SELECT t.id FROM tasktube_tube t, SYSTEM_RANGE(1, :count)
WHERE t.id = :tube AND t.capacity IS NOT NULL

-- ---------------------------------------------------------------------------------------------------------- Tubes

-- name: create_tube
SELECT id, {mode_columns} FROM FINAL TABLE (
  INSERT INTO tasktube_tube (name, type, pri, ttl_ms, ttr_ms, delay_ms, capacity, temporary, sub_queues, history,
    history_ms)
  VALUES (:name, :type, :pri, CAST(:ttl AS bigint), CAST(:ttr AS bigint), :delay, CAST(:capacity AS integer), :temporary,
    :sub_queues, :history, :history_ms))

-- name: mode
SELECT {mode_columns} FROM tasktube_tube WHERE id = :tube

-- name: tube_is_open
-- Empty if the tube takes no puts: it is DRAINING, or does not exist. H2 has no lock that producers could share. A task
-- that is put during a drop is removed as an orphan.
SELECT id FROM tasktube_tube WHERE id = :tube AND mode <> 'd'

-- name: tube_gives
-- Empty if no task can be taken: the tube is PAUSED, or does not exist. This is a statement of its own, because H2 would
-- run a subquery of next_ready anew for each task.
SELECT id FROM tasktube_tube WHERE id = :tube AND mode <> 'p'

-- name: set_mode
-- Returns no row if the tube has the mode already. Each change is later than the one before, even if the clock is set
-- back. So a server that reads two changes knows which is the latest.
SELECT {mode_columns} FROM FINAL TABLE (
  UPDATE tasktube_tube SET mode = :mode, mode_by = :by, mode_reason = :reason,
    mode_at = GREATEST({time}, DATEADD(MICROSECOND, 1, mode_at))
  WHERE id = :tube AND mode <> :mode)

-- name: drop_tube
DELETE FROM tasktube_tube WHERE id = :tube

-- name: ids_of_tube
SELECT id FROM tasktube_task WHERE tube_id = :tube ORDER BY id

-- name: drop_tasks
-- How many of the tasks were TAKEN, also by a transaction that the lock has waited for.
SELECT count(*) FROM OLD TABLE (DELETE FROM tasktube_task WHERE id = ANY(:ids)) WHERE state = 't'

-- name: drop_marks
DELETE FROM tasktube_dirty WHERE tube_id = :tube

-- name: drop_parked
DELETE FROM tasktube_parked WHERE tube_id = :tube

-- name: drop_slots
DELETE FROM tasktube_slot WHERE tube_id = :tube

-- name: add_slots
INSERT INTO tasktube_slot (tube_id) SELECT CAST(:tube AS integer) FROM SYSTEM_RANGE(1, CAST(:count AS bigint))

-- name: next_slots
SELECT id FROM tasktube_slot WHERE tube_id = :tube AND id > :after ORDER BY tube_id, id FETCH FIRST :max ROWS ONLY

-- name: lock_slots
SELECT id FROM tasktube_slot WHERE id = ANY(:ids) FOR UPDATE SKIP LOCKED

-- name: take_slots
DELETE FROM tasktube_slot WHERE id = ANY(:ids)

-- ------------------------------------------------------------------------------------------- Rows of dropped tubes

-- name: used_tubes
SELECT DISTINCT tube_id FROM tasktube_task UNION SELECT DISTINCT tube_id FROM tasktube_dirty
UNION SELECT DISTINCT tube_id FROM tasktube_slot

-- name: tube_ids
SELECT id FROM tasktube_tube

-- name: lock_orphans
SELECT id FROM tasktube_task WHERE tube_id = ANY(:tubes) FETCH FIRST :max ROWS ONLY FOR UPDATE SKIP LOCKED

-- name: remove_orphans
DELETE FROM tasktube_task WHERE id = ANY(:ids)

-- name: remove_orphan_marks
DELETE FROM tasktube_dirty WHERE tube_id = ANY(:tubes)

-- name: remove_orphan_parked
DELETE FROM tasktube_parked WHERE tube_id = ANY(:tubes)

-- name: remove_orphan_slots
DELETE FROM tasktube_slot WHERE tube_id = ANY(:tubes)

-- ------------------------------------------------------------------------------------------------------------ Put

-- name: put_columns
id, ord, tube_id, state, pri, created_at, event_at, expires_at, ttr_ms, content_type, data

-- name: put_values
-- The time is read once, so that all times of the task count from the same moment. In one row, NEXT VALUE is the same
-- number each time. Only in H2's PostgreSQL mode it is the next number, which keeps the order.
NEXT VALUE FOR tasktube_task_seq, NEXT VALUE FOR tasktube_task_seq, tube.id, :state, CAST(:pri AS integer),
  clock.reading, DATEADD(MILLISECOND, CAST(:until_deadline AS bigint), clock.reading),
  DATEADD(MILLISECOND, CAST(:until_expiry AS bigint), clock.reading), CAST(:ttr AS bigint), :content_type, :data

-- name: put_from
FROM tasktube_tube tube, (SELECT tasktube_now() AS reading) clock
WHERE tube.id = :tube AND tube.mode <> 'd'

-- name: put_plain
INSERT INTO tasktube_task ({put_columns}) SELECT {put_values} {put_from}

-- name: put_plain_with_headers
INSERT INTO tasktube_task ({put_columns}, headers) SELECT {put_values}, CAST(:headers AS varchar) {put_from}

-- name: put
-- The fast path for a task with only data and times.
SELECT id FROM FINAL TABLE (
  {put_plain})

-- name: put_with_headers
-- The same with headers.
SELECT id FROM FINAL TABLE (
  {put_plain_with_headers})

-- name: put_kept
-- The move of the put is in the task's row, and goes into the history with the task's end. So the put is one insert.
SELECT id FROM FINAL TABLE (
  INSERT INTO tasktube_task ({put_columns}, headers, {put_move_columns})
  SELECT {put_values}, CAST(:headers AS varchar), {put_move_values} {put_from})

-- name: put_at_columns
id, ord, tube_id, state, pri, created_at, event_at, expires_at, ttr_ms, utube, blocked, live_key, content_type, data,
  headers

-- name: put_at_values
tube.id, :state, CAST(:pri AS integer), clock.reading,
  DATEADD(MILLISECOND, CAST(:until_deadline AS bigint), clock.reading),
  DATEADD(MILLISECOND, CAST(:until_expiry AS bigint), clock.reading), CAST(:ttr AS bigint),
  CAST(:utube AS varchar), :blocked, CAST(:unique_key AS varchar), :content_type, :data, CAST(:headers AS varchar)

-- name: order_of_fresh
NEXT VALUE FOR tasktube_task_seq,
  COALESCE(CAST(:number AS bigint), CAST(:sign AS bigint) * NEXT VALUE FOR tasktube_task_seq)

-- name: put_at
-- A task with a position, a sub-queue or a unique key.
INSERT INTO tasktube_task ({put_at_columns}) SELECT {order_of_fresh}, {put_at_values} {put_from}

-- name: put_at_kept
INSERT INTO tasktube_task ({put_at_columns}, {put_move_columns})
SELECT {order_of_fresh}, {put_at_values}, {put_move_values} {put_from}

-- name: new_ids
SELECT NEXT VALUE FOR tasktube_task_seq FROM SYSTEM_RANGE(1, CAST(:count AS bigint))

-- name: put_numbered
-- One of several tasks. Their ids are known already. All have the same time, so that no statement reads the clock twice.
INSERT INTO tasktube_task ({put_at_columns}) SELECT :id, :ord, {put_at_values}
FROM tasktube_tube tube, (SELECT {time} AS reading) clock WHERE tube.id = :tube

-- name: put_numbered_kept
INSERT INTO tasktube_task ({put_at_columns}, {put_move_columns}) SELECT :id, :ord, {put_at_values}, {put_move_values}
FROM tasktube_tube tube, (SELECT {time} AS reading) clock WHERE tube.id = :tube

-- name: id_by_key
SELECT id FROM tasktube_task WHERE tube_id = :tube AND live_key = :unique_key AND (state = 't' OR {living})

-- name: free_key
-- A task whose ttl is over keeps no other one from its key until the sweep removes it.
UPDATE tasktube_task SET live_key = NULL WHERE tube_id = :tube AND live_key = :unique_key AND state <> 't'
AND expires_at <= {time}

-- name: lock_utube
-- The sub-queue that a replaced task leaves. Because of the lock, no other replacement can move the task in between.
SELECT utube FROM tasktube_task {in_state} FOR UPDATE

-- name: replace
-- A task that has lost its unique key is over.
UPDATE tasktube_task SET state = :state, pri = :pri, created_at = {time},
  event_at = DATEADD(MILLISECOND, CAST(:until_deadline AS bigint), {time}),
  expires_at = DATEADD(MILLISECOND, CAST(:until_expiry AS bigint), {time}),
  ttr_ms = CAST(:ttr AS bigint), utube = CAST(:utube AS varchar), blocked = :blocked, content_type = :content_type,
  data = :data, headers = CAST(:headers AS varchar) {in_state}
  AND (CAST(:unique_key AS varchar) IS NULL OR live_key = :unique_key)

-- ----------------------------------------------------------------------------------------------------------- Take

-- name: next_ready
-- H2 sorts and locks every row that SELECT with ORDER BY and FOR UPDATE could return. So the order is read first,
-- without locks, one window at a time. Then only the wanted tasks are locked.
SELECT id, pri, ord FROM tasktube_task
WHERE tube_id = :tube AND state = 'r' AND blocked = FALSE AND (pri, ord, id) > (:after_pri, :after_ord, :after_id)
AND (expires_at IS NULL OR expires_at > {time})
ORDER BY tube_id, state, blocked, pri, ord, id FETCH FIRST :max ROWS ONLY

-- name: next_buried
SELECT id, pri, ord FROM tasktube_task
WHERE tube_id = :tube AND state = '!' AND blocked = FALSE AND (pri, ord, id) > (:after_pri, :after_ord, :after_id)
ORDER BY tube_id, state, blocked, pri, ord, id FETCH FIRST :max ROWS ONLY

-- name: lock_ready
SELECT id FROM tasktube_task WHERE id = ANY(:ids) AND state = 'r' AND blocked = FALSE FOR UPDATE SKIP LOCKED

-- name: lock_buried
SELECT id FROM tasktube_task WHERE id = ANY(:ids) AND state = '!' AND blocked = FALSE FOR UPDATE SKIP LOCKED

-- name: sizes
SELECT id, octet_length(data) + COALESCE(octet_length(headers), 0) FROM tasktube_task WHERE id = ANY(:ids)

-- name: claim
-- The last column is the wait of a task that is taken for the first time.
SELECT id, pri, ord, attempts, ttr_ms, utube, content_type, data, headers,
  CASE WHEN taken_count = 1 THEN DATEDIFF(MILLISECOND, created_at, taken_at) END FROM FINAL TABLE (
  UPDATE tasktube_task SET state = 't', session = :session, token = :token, node = :node,
    taken_at = {time}, event_at = DATEADD(MILLISECOND, ttr_ms, {time}),
    attempts = attempts + 1, taken_count = taken_count + 1
  WHERE id = ANY(:ids) AND state = 'r' AND blocked = FALSE)

-- ---------------------------------------------------------------------------------------------- Promotion of heads

-- name: lock_promotion
-- One transaction at a time promotes heads of a tube. A drop takes this lock too.
SELECT id FROM tasktube_tube WHERE id = :tube FOR UPDATE SKIP LOCKED

-- name: last_mark
SELECT id FROM tasktube_dirty WHERE tube_id = :tube ORDER BY tube_id DESC, id DESC FETCH FIRST 1 ROW ONLY

-- name: marks
SELECT id, utube FROM tasktube_dirty WHERE tube_id = :tube AND id <= :last ORDER BY tube_id, id
FETCH FIRST :max ROWS ONLY

-- name: remove_marks
DELETE FROM tasktube_dirty WHERE id = ANY(:ids)

-- name: first_blocked
SELECT id, state, pri, ord, (expires_at IS NULL OR expires_at > {time}) FROM tasktube_task
WHERE tube_id = :tube AND utube = :utube AND state = 'r' AND blocked = TRUE
ORDER BY tube_id, utube, state, blocked, pri, ord, id FETCH FIRST 1 ROW ONLY

-- name: head
-- One statement, which sees the head in one state. Between two statements, the head could be taken or released, and
-- neither statement would see it.
SELECT id, state, pri, ord, TRUE FROM tasktube_task
WHERE tube_id = :tube AND utube = :utube AND state = 't' AND blocked = FALSE
UNION ALL SELECT id, state, pri, ord, TRUE FROM tasktube_task
WHERE tube_id = :tube AND utube = :utube AND state = 'r' AND blocked = FALSE

-- name: lock_in_sub_queue
SELECT id FROM tasktube_task WHERE id = :id AND state = 'r' AND blocked = :blocked AND utube = :utube
FOR UPDATE SKIP LOCKED

-- name: set_blocked
UPDATE tasktube_task SET blocked = :blocked WHERE id = :id AND state = 'r'

-- name: park
MERGE INTO tasktube_parked (tube_id, utube, task_id) KEY (tube_id, utube) VALUES (:tube, :utube, :id)

-- name: parked
SELECT utube, task_id FROM tasktube_parked WHERE tube_id = :tube ORDER BY utube

-- name: parked_of_tubes
SELECT task_id, tube_id FROM tasktube_parked WHERE tube_id = ANY(:tubes)

-- name: unpark
DELETE FROM tasktube_parked WHERE tube_id = :tube AND utube = :utube

-- name: existing
SELECT id FROM tasktube_task WHERE id = ANY(:ids)

-- name: unlocked
SELECT id FROM tasktube_task WHERE id = ANY(:ids) FOR UPDATE SKIP LOCKED

-- ------------------------------------------------------------------------------ Transitions by the holder of a task

-- name: ack
DELETE FROM tasktube_task {held}

-- name: ack_result
UPDATE tasktube_task SET state = '-', outcome = :outcome, result_ttl_ms = :result_ttl, result_type = :result_type,
  result = :result, event_at = DATEADD(MILLISECOND, :result_ttl, {time}),
  expires_at = DATEADD(MILLISECOND, :result_ttl, {time}), live_key = NULL, {unheld} {held}

-- name: release
UPDATE tasktube_task SET state = 'r', event_at = expires_at, {unheld} {held}

-- name: release_for_ttl
UPDATE tasktube_task SET state = 'r', event_at = DATEADD(MILLISECOND, :life, {time}),
  expires_at = DATEADD(MILLISECOND, :life, {time}), {unheld} {held}

-- name: release_failed
UPDATE tasktube_task SET state = 'r', error_type = :error_type, error_message = :error_message,
  error_trace = :error_trace, failure = :failure, failed_at = {time},
  event_at = expires_at, {unheld} {held}

-- name: release_delayed
-- The delay extends the ttl of the task.
UPDATE tasktube_task SET state = '~', event_at = DATEADD(MILLISECOND, :delay, {time}),
  expires_at = DATEADD(MILLISECOND, :delay, expires_at), {unheld} {held}

-- name: release_delayed_for_ttl
UPDATE tasktube_task SET state = '~', event_at = DATEADD(MILLISECOND, :delay, {time}),
  expires_at = DATEADD(MILLISECOND, :life, {time}), {unheld} {held}

-- name: release_delayed_failed
UPDATE tasktube_task SET state = '~', error_type = :error_type, error_message = :error_message,
  error_trace = :error_trace, failure = :failure, failed_at = {time},
  event_at = DATEADD(MILLISECOND, :delay, {time}),
  expires_at = DATEADD(MILLISECOND, :delay, expires_at), {unheld} {held}

-- name: requeue
UPDATE tasktube_task SET state = 'r', event_at = expires_at, ord = NEXT VALUE FOR tasktube_task_seq,
  blocked = (utube IS NOT NULL), {unheld} {held}

-- name: bury
UPDATE tasktube_task SET state = '!', event_at = expires_at, blocked = false, buried_count = buried_count + 1,
  {unheld} {held}

-- name: bury_failed
UPDATE tasktube_task SET state = '!', error_type = :error_type, error_message = :error_message,
  error_trace = :error_trace, failure = :failure, failed_at = {time},
  event_at = expires_at, buried_count = buried_count + 1, {unheld} {held}

-- name: touch
UPDATE tasktube_task SET event_at = DATEADD(MILLISECOND, :increment, event_at),
  expires_at = DATEADD(MILLISECOND, :increment, expires_at) {held}

-- name: heartbeat
UPDATE tasktube_task SET event_at = DATEADD(MILLISECOND, ttr_ms, {time}) {held}

-- name: lock_held
-- Returns the token of each task too. The caller compares it with the token of its own taking.
SELECT id, token FROM tasktube_task WHERE tube_id = :tube AND session = :session AND id = ANY(:ids)
ORDER BY id FOR UPDATE

-- name: ack_locked
DELETE FROM tasktube_task WHERE id = ANY(:ids)

-- name: return_unstarted_locked
-- The attempt does not count.
UPDATE tasktube_task SET state = 'r', event_at = expires_at, attempts = attempts - 1, {unheld} WHERE id = ANY(:ids)

-- --------------------------------------------------------------------------- Transitions by id, and of many tasks
-- When H2 has waited for a lock, it does not check a condition again by which it found the row in an index. Such a
-- condition must be repeated on a column that the index does not have. H2 would run a subquery anew for each task, so
-- the ids are read before.

-- name: bury_unheld
UPDATE tasktube_task SET state = '!', event_at = expires_at, blocked = false, buried_count = buried_count + 1 {in_state}

-- name: dig
UPDATE tasktube_task SET state = 'r', attempts = 0, blocked = (utube IS NOT NULL) {in_state}

-- name: delete
DELETE FROM tasktube_task WHERE id = :id AND tube_id = :tube

-- name: kick
UPDATE tasktube_task SET state = 'r', attempts = 0, blocked = (utube IS NOT NULL) WHERE id = ANY(:ids)

-- name: ids_taken
SELECT id FROM tasktube_task WHERE tube_id = :tube AND state = 't' ORDER BY id

-- name: release_all
UPDATE tasktube_task SET state = 'r', event_at = expires_at, {unheld} WHERE id = ANY(:ids) AND token IS NOT NULL

-- name: session_end
UPDATE tasktube_task SET state = 'r', event_at = expires_at, {unheld} WHERE session = :session AND id = ANY(:ids)

-- name: truncate
SELECT tube_id, state, count(*) FROM OLD TABLE (DELETE FROM tasktube_task WHERE id = ANY(:ids)) GROUP BY tube_id, state

-- name: truncate_change
DELETE FROM tasktube_task WHERE id = ANY(:ids)

-- name: truncate_returning
-- Like truncate, but returns each task. The caller adds the marks.
SELECT {task_columns} FROM OLD TABLE (DELETE FROM tasktube_task WHERE id = ANY(:ids))

-- name: mark
-- Runs only after a change in the same transaction; the schema gives the reason.
INSERT INTO tasktube_dirty (tube_id, utube) VALUES (:tube, :utube)

-- name: mark_all
INSERT INTO tasktube_dirty (tube_id, utube)
SELECT DISTINCT tube_id, utube FROM tasktube_task WHERE tube_id = :tube AND utube IS NOT NULL

-- ----------------------------------------------------------------------------------------------------------- Sweep

-- name: next_deadline
SELECT {until_deadline} FROM tasktube_task WHERE event_at IS NOT NULL ORDER BY event_at FETCH FIRST 1 ROW ONLY

-- name: due
SELECT id, event_at FROM tasktube_task WHERE event_at <= {time}
AND event_at >= :swept_to AND (event_at > :swept_to OR id > :swept_id) ORDER BY event_at, id FETCH FIRST :max ROWS ONLY

-- name: lock_due
SELECT id, tube_id, state, DATEDIFF(MILLISECOND, event_at, {time}) FROM tasktube_task WHERE id = ANY(:ids)
AND DATEADD(MILLISECOND, 0, event_at) <= {time} FOR UPDATE SKIP LOCKED

-- name: deadline_to_ready
-- The end of a ttr or of a delay.
UPDATE tasktube_task SET state = 'r', event_at = expires_at, blocked = (utube IS NOT NULL AND state = '~'), {unheld}
WHERE id = ANY(:ids)

-- name: deadline_to_gone
-- The end of a ttl.
DELETE FROM tasktube_task WHERE id = ANY(:ids)

-- ----------------------------------------------------------------------------------------------------------- Reads

-- name: now
SELECT {time}

-- name: tasks
SELECT {task_columns} FROM tasktube_task WHERE tube_id = :tube AND id = ANY(:ids)

-- name: holder
SELECT session FROM tasktube_task WHERE id = :id AND tube_id = :tube AND session IS NOT NULL

-- name: states
SELECT id, state FROM tasktube_task WHERE id = ANY(:ids)

-- name: scan_columns
-- The properties of a task, and the size of its data, which is not read.
id, tube_id, state, event_at, pri, ord, created_at, expires_at, ttr_ms, utube, live_key, session, node, taken_at,
attempts, taken_count, buried_count, error_type, error_message, failure, content_type, octet_length(data) AS size,
{time} AS read_at

-- name: scan_ids
SELECT {scan_columns} FROM tasktube_task WHERE id = ANY(:ids) ORDER BY id DESC

-- name: scan_keys
SELECT {scan_columns} FROM tasktube_task WHERE tube_id = :tube AND live_key = ANY(:keys) ORDER BY id DESC

-- name: scan_newest
SELECT {scan_columns} FROM tasktube_task WHERE id >= :from AND id < :before ORDER BY id DESC FETCH FIRST :max ROWS ONLY

-- name: least_id
SELECT MIN(id) FROM tasktube_task

-- name: greatest_id
SELECT MAX(id) FROM tasktube_task

-- name: count_ids
SELECT COUNT(*) FROM tasktube_task WHERE id >= :from AND id < :before

-- name: scan_of_kind
SELECT {scan_columns} FROM tasktube_task WHERE failure = :failure AND state = :state AND id > :after
ORDER BY id FETCH FIRST :max ROWS ONLY

-- name: same_ord
-- A comparison of (pri, ord, id) would read the range from its beginning.
pri = :after_pri AND ord = :after_ord AND id > CAST(:after_id AS bigint)

-- name: same_pri
-- For ord > x, H2 would read all tasks of the ord x.
pri = :after_pri AND ord >= CAST(:after_ord AS bigint) + 1

-- name: next_pri
-- For pri > x, H2 would read all tasks of the pri x.
pri >= CAST(:after_pri AS bigint) + 1

-- name: scan_ready
-- The ids are found first, because H2 keeps all columns of a subquery in memory.
SELECT {scan_columns} FROM (SELECT found FROM (
  (SELECT id AS found, pri, ord FROM tasktube_task WHERE tube_id = :tube AND state = 'r' AND blocked = FALSE
    AND {same_ord}
    ORDER BY tube_id, state, blocked, pri, ord, id FETCH FIRST :max ROWS ONLY)
  UNION ALL (SELECT id AS found, pri, ord FROM tasktube_task WHERE tube_id = :tube AND state = 'r' AND blocked = FALSE
    AND {same_pri}
    ORDER BY tube_id, state, blocked, pri, ord, id FETCH FIRST :max ROWS ONLY)
  UNION ALL (SELECT id AS found, pri, ord FROM tasktube_task WHERE tube_id = :tube AND state = 'r' AND blocked = FALSE
    AND {next_pri}
    ORDER BY tube_id, state, blocked, pri, ord, id FETCH FIRST :max ROWS ONLY))
  ORDER BY pri, ord, found FETCH FIRST :max ROWS ONLY) JOIN tasktube_task ON id = found ORDER BY pri, ord, id

-- name: scan_in_state
SELECT {scan_columns} FROM (SELECT found FROM (
  (SELECT id AS found, pri, ord FROM tasktube_task WHERE tube_id = :tube AND state = :state AND blocked = FALSE
    AND {same_ord}
    ORDER BY tube_id, state, blocked, pri, ord, id FETCH FIRST :max ROWS ONLY)
  UNION ALL (SELECT id AS found, pri, ord FROM tasktube_task WHERE tube_id = :tube AND state = :state AND blocked = FALSE
    AND {same_pri}
    ORDER BY tube_id, state, blocked, pri, ord, id FETCH FIRST :max ROWS ONLY)
  UNION ALL (SELECT id AS found, pri, ord FROM tasktube_task WHERE tube_id = :tube AND state = :state AND blocked = FALSE
    AND {next_pri}
    ORDER BY tube_id, state, blocked, pri, ord, id FETCH FIRST :max ROWS ONLY))
  ORDER BY pri, ord, found FETCH FIRST :max ROWS ONLY) JOIN tasktube_task ON id = found ORDER BY pri, ord, id

-- name: scan_blocked
-- The text with one more character, the smallest, is the one that follows a name.
SELECT {scan_columns} FROM (SELECT found FROM (
  (SELECT id AS found, utube AS name, pri, ord FROM tasktube_task WHERE tube_id = :tube AND utube = :utube
    AND state = 'r' AND blocked = TRUE AND {same_ord}
    ORDER BY tube_id, utube, state, blocked, pri, ord, id FETCH FIRST :max ROWS ONLY)
  UNION ALL (SELECT id AS found, utube AS name, pri, ord FROM tasktube_task WHERE tube_id = :tube AND utube = :utube
    AND state = 'r' AND blocked = TRUE AND {same_pri}
    ORDER BY tube_id, utube, state, blocked, pri, ord, id FETCH FIRST :max ROWS ONLY)
  UNION ALL (SELECT id AS found, utube AS name, pri, ord FROM tasktube_task WHERE tube_id = :tube AND utube = :utube
    AND state = 'r' AND blocked = TRUE AND {next_pri}
    ORDER BY tube_id, utube, state, blocked, pri, ord, id FETCH FIRST :max ROWS ONLY)
  UNION ALL (SELECT id, utube, pri, ord FROM tasktube_task WHERE tube_id = :tube AND utube >= :utube || CHAR(0)
    AND state = 'r' AND blocked = TRUE
    ORDER BY tube_id, utube, state, blocked, pri, ord, id FETCH FIRST :max ROWS ONLY))
  ORDER BY name, pri, ord, found FETCH FIRST :max ROWS ONLY) JOIN tasktube_task ON id = found ORDER BY utube, pri, ord, id

-- name: situation_columns
-- H2 does not show whether a transaction has locked a row.
{scan_columns}, blocked AS is_blocked, COALESCE(expires_at <= {time}, FALSE) AS is_over, FALSE AS is_locked,
(SELECT name FROM tasktube_node n WHERE n.id = t.node) AS server

-- name: situation
SELECT {situation_columns} FROM tasktube_task t WHERE id = :id AND tube_id = :tube

-- name: locker
-- Never asked, because is_locked is never true.
SELECT 0, '', {time}, FALSE FROM tasktube_task WHERE id = :id AND tube_id = :tube AND FALSE

-- name: living
(expires_at IS NULL OR expires_at > {time})

-- name: ready_before
-- Ranges of the index. For a comparison of (pri, ord, id), H2 would read the whole tube. The end of a range includes all
-- tasks of that pri, so that it must be the pri before.
SELECT id FROM (
  (SELECT id, pri, ord FROM tasktube_task WHERE tube_id = :tube AND state = 'r' AND blocked = FALSE
    AND pri <= :pri - 1 AND {living} ORDER BY tube_id, state, blocked, pri, ord, id FETCH FIRST :max ROWS ONLY)
  UNION ALL (SELECT id, pri, ord FROM tasktube_task WHERE tube_id = :tube AND state = 'r' AND blocked = FALSE
    AND pri = :pri AND ord < :ord AND {living} ORDER BY tube_id, state, blocked, pri, ord, id FETCH FIRST :max ROWS ONLY)
  UNION ALL (SELECT id, pri, ord FROM tasktube_task WHERE tube_id = :tube AND state = 'r' AND blocked = FALSE
    AND pri = :pri AND ord = :ord AND id < :id AND {living} ORDER BY tube_id, state, blocked, pri, ord, id FETCH FIRST :max ROWS ONLY))
ORDER BY pri, ord, id FETCH FIRST :max ROWS ONLY

-- name: blocked_before
SELECT id FROM (
  (SELECT id, pri, ord FROM tasktube_task WHERE tube_id = :tube AND utube = :utube AND state = 'r' AND blocked = TRUE
    AND pri <= :pri - 1 AND {living} ORDER BY tube_id, utube, state, blocked, pri, ord, id FETCH FIRST :max ROWS ONLY)
  UNION ALL (SELECT id, pri, ord FROM tasktube_task WHERE tube_id = :tube AND utube = :utube AND state = 'r' AND blocked = TRUE
    AND pri = :pri AND ord < :ord AND {living} ORDER BY tube_id, utube, state, blocked, pri, ord, id FETCH FIRST :max ROWS ONLY)
  UNION ALL (SELECT id, pri, ord FROM tasktube_task WHERE tube_id = :tube AND utube = :utube AND state = 'r' AND blocked = TRUE
    AND pri = :pri AND ord = :ord AND id < :id AND {living} ORDER BY tube_id, utube, state, blocked, pri, ord, id FETCH FIRST :max ROWS ONLY))
ORDER BY pri, ord, id FETCH FIRST :max ROWS ONLY

-- name: head_of_sub_queue
SELECT {situation_columns} FROM tasktube_task t
WHERE tube_id = :tube AND utube = :utube AND state IN ('r', 't') AND blocked = FALSE FETCH FIRST 1 ROW ONLY

-- name: holders
SELECT DISTINCT node FROM (
  SELECT node FROM tasktube_task WHERE tube_id = :tube AND state = 't' FETCH FIRST :max ROWS ONLY) held

-- name: names_of_tubes
SELECT id, name FROM tasktube_tube ORDER BY name

-- name: next_priorities
-- For each tube: its next pri that is not below a number, the first living task of that pri which is not urgent, and
-- whether that pri has urgent tasks. For pri > x, H2 would read all tasks of the pri x.
SELECT k.tube_id, k.pri, (
  SELECT id FROM tasktube_task WHERE tube_id = k.tube_id AND state = 'r' AND blocked = FALSE AND pri = k.pri AND ord >= 0
  AND {living} ORDER BY tube_id, state, blocked, pri, ord, id FETCH FIRST 1 ROW ONLY), (
  SELECT ord FROM tasktube_task WHERE tube_id = k.tube_id AND state = 'r' AND blocked = FALSE AND pri = k.pri
  ORDER BY tube_id, state, blocked, pri, ord, id FETCH FIRST 1 ROW ONLY) < 0
FROM (SELECT n.tube_id, (
    SELECT pri FROM tasktube_task WHERE tube_id = n.tube_id AND state = 'r' AND blocked = FALSE AND pri >= n.from_pri
    ORDER BY tube_id, state, blocked, pri, ord, id FETCH FIRST 1 ROW ONLY) AS pri
  FROM UNNEST(CAST(:tubes AS integer ARRAY), CAST(:from AS integer ARRAY)) n(tube_id, from_pri)) k
WHERE k.pri IS NOT NULL

-- name: put_times
SELECT tube_id, id, created_at, {time} FROM tasktube_task WHERE id = ANY(:ids)

-- name: last_urgent_of_priority
-- H2 cannot read an index backwards. It reads the first thousand urgent tasks, so that the read stays bounded.
SELECT id FROM (
  SELECT id, ord FROM tasktube_task
  WHERE tube_id = :tube AND state = 'r' AND blocked = FALSE AND pri = :pri AND ord < 0 AND {living}
  ORDER BY tube_id, state, blocked, pri, ord, id FETCH FIRST 1000 ROWS ONLY) urgent
ORDER BY ord DESC FETCH FIRST 1 ROW ONLY

-- name: counts
SELECT tube_id, state, count(*) FROM tasktube_task GROUP BY tube_id, state

-- name: poll
-- One reading of all that other servers may have changed. The statement parked_of_tubes finds the parked sub-queues,
-- because H2 has no FOR UPDATE in a subquery.
SELECT id, id = ANY(:takers) AND mode <> 'p' AND ((
  SELECT id FROM tasktube_task WHERE tube_id = t.id AND state = 'r' AND NOT blocked
  AND (expires_at IS NULL OR expires_at > {time})
  ORDER BY tube_id, state, blocked, pri, ord, id FETCH FIRST 1 ROW ONLY) IS NOT NULL
OR sub_queues AND (
  SELECT id FROM tasktube_dirty WHERE tube_id = t.id ORDER BY tube_id, id FETCH FIRST 1 ROW ONLY) IS NOT NULL),
id = ANY(:putters) AND (
  SELECT id FROM tasktube_slot WHERE tube_id = t.id ORDER BY tube_id, id FETCH FIRST 1 ROW ONLY) IS NOT NULL,
{mode_columns}
FROM tasktube_tube t WHERE id = ANY(:takers) OR id = ANY(:putters) OR mode <> 'o'

-- -------------------------------------------------------------------------------------------------- Kinds of failures

-- name: insert_kind
INSERT INTO tasktube_failure (fingerprint, type, frame, message, first_at)
SELECT :failure, :type, :frame, :message, {time}
WHERE NOT EXISTS (SELECT 1 FROM tasktube_failure WHERE fingerprint = :failure)

-- name: restore_kind
INSERT INTO tasktube_failure (fingerprint, type, frame, message, first_at)
SELECT :failure, :type, :frame, :message, CAST(:first_at AS timestamp(6) with time zone)
WHERE NOT EXISTS (SELECT 1 FROM tasktube_failure WHERE fingerprint = :failure)

-- name: existing_kinds
SELECT fingerprint FROM tasktube_failure WHERE fingerprint = ANY(:ids)

-- name: failed
-- The index of failures has all tasks. A search from the lowest fingerprint skips those that have not failed.
failure >= CAST('-9223372036854775808' AS bigint)

-- name: missing_kinds
SELECT failure FROM (SELECT DISTINCT failure FROM tasktube_task WHERE {failed}) used
WHERE NOT EXISTS (SELECT 1 FROM tasktube_failure WHERE fingerprint = used.failure) FETCH FIRST :max ROWS ONLY

-- name: failure_of_kind
SELECT error_type, error_message, error_trace, (SELECT min(failed_at) FROM tasktube_task WHERE failure = :failure)
FROM tasktube_task WHERE failure = :failure FETCH FIRST 1 ROW ONLY

-- name: kinds_after
SELECT fingerprint, unused_since IS NOT NULL,
  EXISTS (SELECT 1 FROM tasktube_task t WHERE t.failure = k.fingerprint),
  COALESCE(unused_since <= DATEADD(MILLISECOND, -CAST(:retention AS bigint), {time}), FALSE)
FROM tasktube_failure k WHERE fingerprint > :after ORDER BY fingerprint FETCH FIRST :max ROWS ONLY

-- name: lock_kinds
SELECT fingerprint FROM tasktube_failure WHERE fingerprint = ANY(:ids) FOR UPDATE SKIP LOCKED

-- name: mark_unused
UPDATE tasktube_failure SET unused_since = {time} WHERE fingerprint = ANY(:ids)

-- name: mark_used
UPDATE tasktube_failure SET unused_since = NULL WHERE fingerprint = ANY(:ids)

-- name: remove_kinds
DELETE FROM tasktube_failure k WHERE fingerprint = ANY(:ids)
AND NOT EXISTS (SELECT 1 FROM tasktube_task t WHERE t.failure = k.fingerprint)

-- name: failed_hours
-- The whole hours since the failure, up to one more than a trend has.
LEAST(DATEDIFF(SECOND, failed_at, {time}) / 3600, 24)

-- name: failure_groups
SELECT p.failure, p.state, tube.name, p.tasks, p.last_at, p.sample, k.type, k.frame, k.message, k.first_at,
  p.trend
FROM ((SELECT failure, count(*) AS total FROM tasktube_task WHERE {failed}
    GROUP BY failure ORDER BY total DESC, failure FETCH FIRST :max ROWS ONLY)
  UNION SELECT failure, count(*) FROM tasktube_task WHERE failure = ANY(:kinds) GROUP BY failure) largest
JOIN (
  SELECT failure, state, tube_id, CAST(sum(tasks) AS bigint) AS tasks, max(last_at) AS last_at, max(sample) AS sample,
    LISTAGG(hours || ':' || tasks, ' ') AS trend
  FROM (
    SELECT failure, state, tube_id, {failed_hours} AS hours, count(*) AS tasks, max(failed_at) AS last_at, max(id) AS sample
    FROM tasktube_task WHERE {failed} GROUP BY failure, state, tube_id, {failed_hours}) by_hour
  GROUP BY failure, state, tube_id) p ON p.failure = largest.failure
JOIN tasktube_tube tube ON tube.id = p.tube_id LEFT JOIN tasktube_failure k ON k.fingerprint = p.failure
ORDER BY largest.total DESC, p.failure, p.state, tube.name

-- --------------------------------------------------------------------------------------------------------- Servers

-- name: register_node
SELECT id FROM FINAL TABLE (INSERT INTO tasktube_node (name, seen_at) VALUES (:name, {time}))

-- name: seen
UPDATE tasktube_node SET seen_at = {time} WHERE id = :node AND NOT dead

-- name: peers
SELECT id, name, seen_at, seen_at < DATEADD(MILLISECOND,
  -(CASE WHEN name = :name THEN CAST(:own_timeout AS bigint) ELSE CAST(:timeout AS bigint) END), {time}), dead
FROM tasktube_node

-- name: servers
-- The servers with the tasks that they hold, and their sessions that hold tasks or are registered. By the join, H2 reads
-- one range of the index per tube.
SELECT n.id, n.name, n.seen_at, {time}, n.dead, COALESCE(h.tasks, 0), COALESCE(h.sessions, 0)
FROM tasktube_node n LEFT JOIN (
  SELECT node, sum(tasks) AS tasks, count(DISTINCT session) AS sessions FROM (
    SELECT t.node, t.session, count(*) AS tasks FROM tasktube_tube tube
      JOIN tasktube_task t ON t.tube_id = tube.id AND t.state = 't' GROUP BY t.node, t.session
    UNION ALL SELECT node, session, 0 FROM tasktube_session WHERE node <> 0) held
  GROUP BY node) h ON h.node = n.id
ORDER BY n.id

-- name: mark_dead
UPDATE tasktube_node SET dead = TRUE WHERE id = :node AND seen_at = :seen_at AND NOT dead

-- name: leave
UPDATE tasktube_node SET dead = TRUE WHERE id = :node

-- name: dead_nodes
SELECT id FROM tasktube_node WHERE dead ORDER BY id

-- name: forget_node
DELETE FROM tasktube_node WHERE id = :node AND dead
AND NOT EXISTS (SELECT 1 FROM tasktube_session s WHERE s.node = :node)

-- name: forget_last_node
-- The servers that are up learn from the row that this one has stopped.
{forget_node} AND NOT EXISTS (SELECT 1 FROM tasktube_node n WHERE NOT n.dead)

-- name: taken
-- By the join, H2 reads one range of the index per tube.
SELECT t.tube_id, t.id, t.session, t.token, t.node,
  EXISTS (SELECT 1 FROM tasktube_node n WHERE n.id = t.node AND NOT n.dead),
  EXISTS (SELECT 1 FROM tasktube_session s WHERE s.session = t.session)
FROM tasktube_tube tube JOIN tasktube_task t ON t.tube_id = tube.id AND t.state = 't' WHERE tube.id = ANY(:tubes)

-- name: taken_by_session
{taken} AND t.session = :session

-- name: lock_taken
SELECT id, token FROM tasktube_task WHERE id = ANY(:ids) AND token IS NOT NULL ORDER BY id FOR UPDATE SKIP LOCKED

-- name: release_taken
UPDATE tasktube_task SET state = 'r', event_at = expires_at, {unheld} WHERE id = ANY(:ids)

-- name: adopt
UPDATE tasktube_task SET node = :node WHERE id = ANY(:ids)

-- -------------------------------------------------------------------------------------------------------- Sessions

-- name: lock_session
-- One lock for all sessions, because there is one server: the row of the schema's version. Nothing else changes that
-- row.
SELECT TRUE FROM tasktube_schema FOR UPDATE

-- name: try_lock_session
SELECT TRUE FROM tasktube_schema FOR UPDATE SKIP LOCKED

-- name: rows_of_session
SELECT node, kept_ms, owner FROM tasktube_session WHERE session = :session

-- name: sessions_of_node
SELECT session FROM tasktube_session WHERE node = :node

-- name: join_session
INSERT INTO tasktube_session (session, node, kept_ms, owner)
VALUES (:session, :node, CAST(:kept AS bigint), CAST(:owner AS varchar))

-- name: session_terms
UPDATE tasktube_session SET kept_ms = CAST(:kept AS bigint), owner = CAST(:owner AS varchar) WHERE session = :session

-- name: leave_session
DELETE FROM tasktube_session WHERE session = :session AND node = :node

-- name: keep_session
INSERT INTO tasktube_session (session, node, expires_at, kept_ms, owner)
VALUES (:session, 0, DATEADD(MILLISECOND, CAST(:ttr AS bigint), {time}),
  CAST(:kept AS bigint), CAST(:owner AS varchar))

-- name: expired_sessions
SELECT session FROM tasktube_session WHERE expires_at <= {time}

-- name: expire_session
-- Only if the time of the session is still over.
DELETE FROM tasktube_session WHERE session = :session AND node = 0 AND expires_at <= {time}

-- ---------------------------------------------------------------------------------------------------------- Schema

-- name: lock_schema
-- Locks nothing. An H2 in the server serves this one process, and each of its DDL statements commits.
SELECT 1

-- name: no_limit_of_time
-- H2 sets none by itself.
SELECT 1

-- name: server_at_work
SELECT name FROM tasktube_node WHERE seen_at > DATEADD(MILLISECOND, -CAST(:silent AS bigint), {time}) FETCH FIRST 1 ROW ONLY

-- name: refused_setting
-- A setting with which these statements do not work, and the one to use instead. In Oracle, MSSQLServer and Derby, a
-- tube can have only one task without a key. Modes that are not listed are untested. With IGNORECASE, "k" and "K" are
-- one key. With DATABASE_TO_UPPER=FALSE Hibernate does not find the tables. H2 then finds its own by upper case only.
SELECT * FROM (
  SELECT SETTING_NAME || '=' || SETTING_VALUE AS refused, 'MODE=REGULAR' AS needed FROM INFORMATION_SCHEMA.SETTINGS
  WHERE SETTING_NAME = 'MODE' AND UPPER(SETTING_VALUE) NOT IN
    ('REGULAR', 'STRICT', 'LEGACY', 'DB2', 'HSQLDB', 'MARIADB', 'MYSQL', 'POSTGRESQL')
  UNION ALL SELECT 'IGNORECASE=TRUE', 'IGNORECASE=FALSE' FROM INFORMATION_SCHEMA.SETTINGS
  WHERE SETTING_NAME = 'IGNORECASE' AND SETTING_VALUE <> '0'
  UNION ALL SELECT 'DATABASE_TO_UPPER=FALSE', 'DATABASE_TO_UPPER=TRUE' FROM INFORMATION_SCHEMA.SETTINGS
  WHERE SETTING_NAME IN ('DATABASE_TO_UPPER', 'DATABASE_TO_LOWER', 'CASE_INSENSITIVE_IDENTIFIERS')
  HAVING COUNT(CASE WHEN SETTING_VALUE = 'true' THEN 1 END) = 0
) settings

-- name: reuse_no_results
-- H2 keeps a query's result for the next run. A result that was read during another transaction's commit may be from
-- before it. Then a removed task would be seen until the next write.
SET OPTIMIZE_REUSE_RESULTS 0

-- name: schema_version
SELECT max(version) FROM tasktube_schema

-- ----------------------------------------------------------------------------------------------------- Flow of tasks

-- name: add_flow
-- A server writes its own rows only, so that no server waits for another one.
MERGE INTO tasktube_flow f USING (
  SELECT CAST(FLOOR((EXTRACT(EPOCH FROM {time}) - CAST(:back AS bigint) / 1000.0) / 300) AS bigint) AS bucket,
    CAST(n.tube_id AS integer) AS tube_id, CAST(:node AS integer) AS node, n.puts, n.ends, n.failures
  FROM UNNEST(CAST(:tubes AS bigint ARRAY), CAST(:puts AS bigint ARRAY), CAST(:ends AS bigint ARRAY),
    CAST(:failures AS bigint ARRAY)) n(tube_id, puts, ends, failures)) s
ON f.bucket = s.bucket AND f.tube_id = s.tube_id AND f.node = s.node
WHEN MATCHED THEN UPDATE SET puts = f.puts + s.puts, ends = f.ends + s.ends, failures = f.failures + s.failures
WHEN NOT MATCHED THEN INSERT (bucket, tube_id, node, puts, ends, failures)
  VALUES (s.bucket, s.tube_id, s.node, s.puts, s.ends, s.failures)

-- name: flow_clock
-- The number of the current bucket, and the time.
SELECT CAST(FLOOR(EXTRACT(EPOCH FROM {time}) / 300) AS bigint), {time}

-- name: flow
-- H2 would look up the index once for each tube of an array. So the range names the buckets only, and the condition on
-- the tubes is an expression that no index serves.
SELECT tube_id, bucket, sum(puts), sum(ends), sum(failures) FROM tasktube_flow
WHERE bucket >= :from AND bucket < :before AND ARRAY_CONTAINS(:tubes, CAST(tube_id AS bigint)) GROUP BY tube_id, bucket

-- name: forget_flow
DELETE FROM tasktube_flow WHERE bucket < CAST(FLOOR(EXTRACT(EPOCH FROM {time}) / 300) AS bigint) - 300
FETCH FIRST :max ROWS ONLY

-- ----------------------------------------------------------------------------------------------------------- Audit

-- name: add_audit
INSERT INTO tasktube_audit (done_at, who, needs, act, tube, task, filter_text, amount, reason, status, address, server)
VALUES ({time}, :who, :needs, :act, CAST(:tube AS varchar), CAST(:task AS varchar), CAST(:filter AS varchar),
  CAST(:amount AS bigint), CAST(:reason AS varchar), :status, CAST(:address AS varchar), :server)

-- name: audit_columns
id, done_at, who, needs, act, tube, task, filter_text, amount, reason, status, address, server

-- name: audit
SELECT {audit_columns} FROM tasktube_audit WHERE id < :before ORDER BY id DESC FETCH FIRST :max ROWS ONLY

-- name: audit_of_tube
SELECT {audit_columns} FROM tasktube_audit WHERE tube = :tube AND id < :before
AND (CAST(:who AS varchar) IS NULL OR who = CAST(:who AS varchar)) AND (CAST(:act AS varchar) IS NULL OR act = CAST(:act AS varchar))
ORDER BY tube DESC, id DESC FETCH FIRST :max ROWS ONLY

-- name: audit_of_user
SELECT {audit_columns} FROM tasktube_audit WHERE who = :who AND id < :before
AND (CAST(:act AS varchar) IS NULL OR act = CAST(:act AS varchar))
ORDER BY who DESC, id DESC FETCH FIRST :max ROWS ONLY

-- name: audit_of_act
SELECT {audit_columns} FROM tasktube_audit WHERE act = :act AND id < :before ORDER BY act DESC, id DESC FETCH FIRST :max ROWS ONLY

-- name: old_audit
-- Reads the oldest rows only, so that its cost does not grow with the table. Rows that a clock ahead of this one
-- wrote are passed over: they would hide all later ones.
SELECT id FROM (
  SELECT id, done_at FROM tasktube_audit WHERE done_at <= {time} ORDER BY id FETCH FIRST :max ROWS ONLY) oldest
WHERE done_at < DATEADD(MILLISECOND, -CAST(:retention AS bigint), {time})

-- name: lock_audit
SELECT id FROM tasktube_audit WHERE id = ANY(:ids) FOR UPDATE SKIP LOCKED

-- name: remove_audit
DELETE FROM tasktube_audit WHERE id = ANY(:ids)

-- --------------------------------------------------------------------------------------------------- Console reads

-- name: server_names
SELECT id, name FROM tasktube_node

-- name: whole_task
SELECT {situation_columns}, token, data, headers, error_trace, outcome, result_type, result, result_ttl_ms,
  k.type AS kind_type, k.frame AS kind_frame, k.message AS kind_message
FROM tasktube_task t LEFT JOIN tasktube_failure k ON k.fingerprint = t.failure WHERE id = :id AND tube_id = :tube

-- ------------------------------------------------------------------------------------------------------ Operations

-- name: operation_columns
id, act, filter, reason, created_by, state, created_at, started_at, ended_at, expected, looked, changed, skipped,
place, deferred, server, cancelled_by, error

-- name: add_operation
INSERT INTO tasktube_operation (id, act, filter, reason, created_by, created_at, expected)
VALUES (:id, :act, :filter, :reason, :by, {time}, :expected)

-- name: operation
SELECT {operation_columns} FROM tasktube_operation WHERE id = :id

-- name: operations
SELECT {operation_columns} FROM tasktube_operation WHERE id < :before ORDER BY id DESC FETCH FIRST :max ROWS ONLY

-- name: lock_operation
SELECT {operation_columns} FROM tasktube_operation WHERE id = :id AND state = 'r' FOR UPDATE

-- name: begin_operation
-- Fails by the unique column if another operation runs. An earlier one that has not begun goes first, but not before one
-- that runs: its start may have committed later.
UPDATE tasktube_operation SET state = 'r', running = true, started_at = COALESCE(started_at, {time}), server = :server
WHERE id = :id AND state IN ('w', 'r')
AND (state = 'r' OR (SELECT min(id) FROM tasktube_operation WHERE ended_at IS NULL) = :id)

-- name: progress_of_operation
UPDATE tasktube_operation SET looked = looked + :looked, changed = changed + :changed, skipped = skipped + :skipped,
  place = :place, deferred = :deferred, server = :server WHERE id = :id

-- name: end_operation
UPDATE tasktube_operation SET state = :state, running = NULL, ended_at = {time},
  cancelled_by = CAST(:by AS varchar), error = CAST(:error AS varchar) WHERE id = :id AND ended_at IS NULL

-- name: old_operations
SELECT id FROM tasktube_operation WHERE ended_at < DATEADD(MILLISECOND, -CAST(:retention AS bigint), {time}) ORDER BY id FETCH FIRST :max ROWS ONLY

-- name: remove_operations
DELETE FROM tasktube_operation WHERE id = ANY(:ids)

-- name: lock_for_operation
-- The tasks in the state that the operation has not changed yet, and that no other transaction has locked. The further
-- columns show whether a task has changed since it was read.
SELECT id, created_at, taken_count, buried_count FROM tasktube_task
WHERE tube_id = :tube AND id = ANY(:ids) AND state = :from AND operation IS DISTINCT FROM :operation
ORDER BY id FOR UPDATE SKIP LOCKED

-- name: left_by_operation
SELECT id, state, operation = :operation FROM tasktube_task WHERE tube_id = :tube AND id = ANY(:ids)

-- name: kick_by_operation
UPDATE tasktube_task SET state = 'r', attempts = 0, blocked = (utube IS NOT NULL), operation = :operation
WHERE id = ANY(:ids) AND state = :from

-- name: delete_by_operation
DELETE FROM tasktube_task WHERE id = ANY(:ids) AND state = :from

-- name: bury_unheld_by_operation
UPDATE tasktube_task SET state = '!', event_at = expires_at, blocked = false, buried_count = buried_count + 1,
  operation = :operation WHERE id = ANY(:ids) AND state = :from

-- name: release_all_by_operation
UPDATE tasktube_task SET state = 'r', event_at = expires_at, {unheld}, operation = :operation
WHERE id = ANY(:ids) AND state = :from

-- ------------------------------------------------------------------------------------------------- Histories of tasks

-- name: holder_columns
session, server, bean, made_by

-- name: holder_values
CAST(:session AS uuid), CAST(:server AS varchar), CAST(:bean AS varchar), CAST(:made_by AS varchar)

-- name: put_move_columns
put_event, put_at, put_until, put_by, put_server

-- name: put_move_values
CAST(:event AS varchar), clock.reading,
  DATEADD(MILLISECOND, CAST(:until_deadline AS bigint), clock.reading), CAST(:made_by AS varchar),
  CAST(:server AS varchar)

-- name: history_columns
tube_id, task_id, at, event, from_state, attempt, until_at, {holder_columns}, failure, error_type, error_message,
  error_trace, parent_tube, parent_task

-- name: history_values
{holder_values}, CAST(:failure AS bigint), CAST(:error_type AS varchar), CAST(:error_message AS varchar),
  CAST(:error_trace AS varchar), CAST(:parent_tube AS integer), CAST(:parent_task AS bigint)

-- name: keep_tasks
-- Adds a move to the history of tasks that a statement before has changed or put, in the same transaction.
INSERT INTO tasktube_history ({history_columns})
SELECT tube_id, id, {time}, :event, CAST(:from_state AS char(1)), attempts, event_at, {history_values}
FROM tasktube_task WHERE id = ANY(:ids)

-- name: keep_removed
INSERT INTO tasktube_history (tube_id, task_id, at, event, from_state, attempt, {holder_columns}, {put_move_columns})
VALUES (:tube, :task, {time}, :event, :from_state, :attempt, {holder_values}, CAST(:put_event AS varchar),
  CAST(:put_at AS timestamp(6) with time zone), CAST(:put_until AS timestamp(6) with time zone),
  CAST(:put_by AS varchar), CAST(:put_server AS varchar))

-- name: history_of_task
-- The order names all columns of the index, so that a plan for few rows uses it.
SELECT id, at, event, from_state, attempt, server, bean, session, made_by, until_at, failure, error_type, error_message,
  error_trace
FROM tasktube_history WHERE task_id = :task AND id > :after AND tube_id = :tube ORDER BY task_id, id FETCH FIRST :max ROWS ONLY

-- name: first_move
SELECT parent_tube, parent_task FROM tasktube_history WHERE task_id = :task AND tube_id = :tube
ORDER BY task_id, id FETCH FIRST 1 ROW ONLY

-- name: put_is_shown
-- Until it is older than the retention.
(put_at >= DATEADD(MILLISECOND, -({history_retention}), {time}))

-- name: put_in_task
-- The put as the task's row has it. All columns are null if the row has none. No row means that the task is gone.
SELECT {put_move_columns}, {put_is_shown} AS shown FROM tasktube_task WHERE id = :task AND tube_id = :tube

-- name: put_of_removed
-- The put as the last move of a removed task has it. H2 reads all moves of that task: it reads no index backwards.
SELECT {put_move_columns}, {put_is_shown} AS shown FROM tasktube_history
WHERE task_id = :task AND tube_id = :tube AND put_event IS NOT NULL ORDER BY task_id, id FETCH FIRST 1 ROW ONLY

-- name: puts_of_task
SELECT tube_id, task_id, at FROM tasktube_history WHERE parent_task = :task AND parent_tube = :tube
ORDER BY parent_task, id FETCH FIRST :max ROWS ONLY

-- name: next_history
-- The tube with the next number that has a history.
SELECT tube_id FROM tasktube_history WHERE tube_id > :after ORDER BY tube_id, id FETCH FIRST 1 ROW ONLY

-- name: history_retention
SELECT history_ms FROM tasktube_tube WHERE id = :tube

-- name: try_lock_history
-- Two servers that remove the same moves wait for each other for the time of one batch.
SELECT TRUE

-- name: old_history
-- Of the first moves of a tube, the last one that is older than the retention. Moves that a clock ahead of this
-- one wrote are passed over: they would hide all later ones.
SELECT max(id), count(*) FROM (
  SELECT id, at FROM tasktube_history WHERE tube_id = :tube AND at <= GREATEST({time},
    DATEADD(MILLISECOND, -CAST(:retention AS bigint), {time}))
  ORDER BY tube_id, id FETCH FIRST :max ROWS ONLY) moves
WHERE at < DATEADD(MILLISECOND, -CAST(:retention AS bigint), {time})

-- name: remove_history
DELETE FROM tasktube_history WHERE tube_id = :tube AND id <= :upto AND at < DATEADD(MILLISECOND, -CAST(:retention AS bigint), {time})

-- name: change_tube
SELECT pri, ttl_ms, ttr_ms, delay_ms, history, history_ms, changes FROM FINAL TABLE (
  UPDATE tasktube_tube SET pri = COALESCE(CAST(:pri AS integer), pri),
    ttl_ms = CASE WHEN CAST(:ttl AS bigint) IS NULL THEN ttl_ms ELSE NULLIF(CAST(:ttl AS bigint), 0) END,
    ttr_ms = CASE WHEN CAST(:ttr AS bigint) IS NULL THEN ttr_ms ELSE NULLIF(CAST(:ttr AS bigint), 0) END,
    delay_ms = COALESCE(CAST(:delay AS bigint), delay_ms), history = COALESCE(CAST(:history AS char(1)), history),
    history_ms = COALESCE(CAST(:history_ms AS bigint), history_ms), changes = changes + 1
  WHERE id = :tube)
