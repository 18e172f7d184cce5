-- The statements and parts that only H2 has, or that it writes in another way than PostgreSQL; common.sql has the
-- others. In the sections "Take" and "Promotion of heads" H2 needs several statements where PostgreSQL finds and locks
-- by one.
--
-- In the section "Answers", {change} is a statement that changes tasks, and {answer} is the list of columns that it
-- returns for each.

-- ---------------------------------------------------------------------------------------------------------- Parts

-- name: time
-- The adapter reads this parameter before each statement that has it. The alias tasktube_now() would return another time
-- for each place and each row of a statement. CURRENT_TIMESTAMP stands still in a transaction.
CAST(:clock AS timestamp(6) with time zone)

-- name: oldest_transaction
-- H2 keeps no dead rows for the sake of a transaction of another session that only reads.
SELECT name, seen_at, 0, name FROM tasktube_node WHERE FALSE AND CAST(:at_least AS bigint) > 0

-- name: next_number
NEXT VALUE FOR tasktube_task_seq

-- name: millis_since
DATEDIFF(MICROSECOND, s.used_at, {time}) / 1000.0

-- name: holding
-- The index has the states first.
state IN ('~', '!') AND blocked = FALSE AND holds

-- name: until_deadline
-- DATEDIFF counts crossed boundaries. In milliseconds, its result would be up to one too small.
CAST(CEIL(DATEDIFF(MICROSECOND, {time}, event_at) / 1000.0) AS bigint)

-- -------------------------------------------------------------------------------------------------------- Answers

-- name: updated
SELECT {answer} FROM FINAL TABLE ({change})

-- name: deleted
SELECT {answer} FROM OLD TABLE ({change})

-- name: updated_full
-- The last columns are for the marks, the free slots and the history, which follow.
SELECT {answer}, attempts, state, id, tube_id, utube FROM FINAL TABLE ({change})

-- name: deleted_full
-- The last move of a removed task has its put, too.
SELECT {answer}, put_key, {put_move_columns}, attempts, state, id, tube_id, utube FROM OLD TABLE ({change})

-- name: tubes_that_keep
SELECT t.id FROM tasktube_tube t WHERE t.id = ANY(:tubes) AND {keeps}

-- name: free_slots
INSERT INTO tasktube_slot (tube_id) SELECT t.id FROM tasktube_tube t, SYSTEM_RANGE(1, :count)
WHERE t.id = :tube AND t.capacity IS NOT NULL

-- ---------------------------------------------------------------------------------------------------------- Tubes

-- name: create_tube
SELECT id, {mode_columns}, index_id FROM FINAL TABLE (
  INSERT INTO tasktube_tube (name, type, pri, ttl_ms, ttr_ms, delay_ms, capacity, temporary, sub_queues, history,
    history_ms, strict_order, max_taken, max_rate, rate_ms, searchable, index_id)
  VALUES (:name, :type, :pri, CAST(:ttl AS bigint), CAST(:ttr AS bigint), :delay, CAST(:capacity AS integer), :temporary,
    :sub_queues, :history, :history_ms, :strict_order, CAST(:max_taken AS integer), CAST(:max_rate AS integer),
  CAST(:rate_ms AS bigint), :searchable, CASE WHEN :searchable = '' THEN 0 ELSE {next_number} END))

-- name: tube_is_open
-- Empty if the tube takes no puts: it is DRAINING, or does not exist. H2 has no lock that producers could share. A task
-- that is put during a drop is removed as an orphan.
SELECT id FROM tasktube_tube WHERE id = :tube AND mode <> 'd'

-- name: tube_gives
-- Empty if no task can be taken: the tube is PAUSED, or does not exist. This is a statement of its own, because H2 would
-- run a subquery of next_ready anew for each task.
SELECT id FROM tasktube_tube WHERE id = :tube AND {gives}

-- name: set_mode
-- Returns no row if the tube has the mode already. Each change is later than the one before, even if the clock is set
-- back. So a server that reads two changes knows which is the latest.
SELECT {mode_columns} FROM FINAL TABLE (
  UPDATE tasktube_tube SET mode = :mode, mode_by = :by, mode_reason = :reason,
    mode_at = GREATEST({time}, DATEADD(MICROSECOND, 1, mode_at))
  WHERE id = :tube AND mode <> :mode)

-- name: ids_of_tube
SELECT id FROM tasktube_task WHERE tube_id = :tube ORDER BY id

-- name: drop_tasks
-- How many of the tasks were TAKEN, also by a transaction that the lock has waited for.
SELECT count(*) FROM OLD TABLE (DELETE FROM tasktube_task WHERE id = ANY(:ids)) WHERE state = 't'

-- name: add_slots
INSERT INTO tasktube_slot (tube_id) SELECT CAST(:tube AS integer) FROM SYSTEM_RANGE(1, CAST(:count AS bigint))

-- name: add_seats
INSERT INTO tasktube_seat (tube_id, kind, n) SELECT CAST(:tube AS integer), CAST(:kind AS char(1)), g.x
FROM SYSTEM_RANGE(1, CAST(:count AS bigint)) g
WHERE NOT EXISTS (SELECT 1 FROM tasktube_seat s WHERE s.tube_id = :tube AND s.kind = :kind AND s.n = g.x)

-- name: release_savepoint
-- H2 has no such statement, and needs none.
SELECT 1

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

-- name: lock_orphans
SELECT id FROM tasktube_task WHERE tube_id = ANY(:tubes) FETCH FIRST :max ROWS ONLY FOR UPDATE SKIP LOCKED

-- ------------------------------------------------------------------------------------------------------------ Put

-- name: put_values
-- The time is read once, so that all times of the task count from the same moment. In one row, NEXT VALUE is the same
-- number each time. Only in H2's PostgreSQL mode it is the next number, which keeps the order.
NEXT VALUE FOR tasktube_task_seq, NEXT VALUE FOR tasktube_task_seq, tube.id, :state, CAST(:pri AS integer),
  clock.reading, DATEADD(MILLISECOND, CAST(:until_deadline AS bigint), clock.reading),
  DATEADD(MILLISECOND, CAST(:until_expiry AS bigint), clock.reading), CAST(:ttr AS bigint), :content_type, :data,
  CAST(:headers AS varchar)

-- name: one_plan
-- H2 keeps its plans.
TRUE

-- name: put_from
FROM tasktube_tube tube, (SELECT tasktube_now() AS reading) clock
WHERE tube.id = :tube AND tube.mode <> 'd'

-- name: put
-- The fast path for a task with only data, headers and times.
SELECT id FROM FINAL TABLE (
  {put_plain})

-- name: ready_of_tube
t.tube_id = :tube AND t.state = 'r' AND t.blocked = FALSE

-- name: put_for
-- A put for a holder that waits: it is TAKEN at once, and needs no claim. If too many READY tasks come first, or
-- the tube is PAUSED, it is READY. Removed tasks do not stay in an index, so the time of the statement says nothing. H2
-- does not tell whether the statement is in a savepoint.
SELECT id, state = 't', 0, TRUE FROM FINAL TABLE (
  INSERT INTO tasktube_task ({put_for_columns}) SELECT {put_for_values} {put_for_from})

-- name: put_for_kept
-- The move of the put is in the task's row, as in put_kept. The move of the take follows.
SELECT id, state = 't', 0, TRUE FROM FINAL TABLE (
  INSERT INTO tasktube_task ({put_for_columns}, {put_move_columns})
  SELECT {put_for_values}, {put_move_values} {put_for_from})

-- name: put_for_values
NEXT VALUE FOR tasktube_task_seq, NEXT VALUE FOR tasktube_task_seq, tube.id,
  CASE WHEN line.free THEN 't' ELSE 'r' END, CASE WHEN line.free THEN CAST(:session AS uuid) END,
  CASE WHEN line.free THEN CAST(:token AS bigint) END, CASE WHEN line.free THEN CAST(:node AS integer) END,
  CASE WHEN line.free THEN clock.reading END, CASE WHEN line.free THEN 1 ELSE 0 END,
  CASE WHEN line.free THEN 1 ELSE 0 END, CAST(:pri AS integer), clock.reading,
  DATEADD(MILLISECOND, CASE WHEN line.free THEN CAST(:ttr AS bigint) ELSE CAST(:until_deadline AS bigint) END,
    clock.reading),
  DATEADD(MILLISECOND, CAST(:until_expiry AS bigint), clock.reading), CAST(:ttr AS bigint), :content_type, :data,
  CAST(:headers AS varchar)

-- name: put_for_from
FROM tasktube_tube tube, (SELECT tasktube_now() AS reading) clock,
  (SELECT mode = 'o' AND {has_no_limit} AND {few_before} AS free FROM tasktube_tube WHERE id = :tube) line
WHERE tube.id = :tube AND tube.mode <> 'd'

-- name: put_kept
-- The move of the put is in the task's row, and goes into the history with the task's end. So the put is one insert.
SELECT id FROM FINAL TABLE (
  INSERT INTO tasktube_task ({put_columns}, {put_move_columns})
  SELECT {put_values}, {put_move_values} {put_from})

-- name: put_at_values
tube.id, :state, CAST(:pri AS integer), clock.reading,
  DATEADD(MILLISECOND, CAST(:until_deadline AS bigint), clock.reading),
  DATEADD(MILLISECOND, CAST(:until_expiry AS bigint), clock.reading), CAST(:ttr AS bigint),
  CAST(:utube AS varchar), :blocked, CAST(:unique_key AS varchar), CAST(:unique_key AS varchar), :content_type, :data,
  CAST(:headers AS varchar)

-- name: order_of_fresh
NEXT VALUE FOR tasktube_task_seq,
  COALESCE(CAST(:number AS bigint), CAST(:sign AS bigint) * NEXT VALUE FOR tasktube_task_seq)

-- name: put_at
-- A task with a position, a sub-queue or a unique key.
INSERT INTO tasktube_task ({put_at_columns}, {put_move_columns})
SELECT {order_of_fresh}, {put_at_values}, {put_move_values} {put_from} AND ({key_in_time}) IS NULL

-- name: new_ids
SELECT NEXT VALUE FOR tasktube_task_seq FROM SYSTEM_RANGE(1, CAST(:count AS bigint))

-- name: put_numbered
-- One of several tasks. Their ids are known already. All have the same time, so that no statement reads the clock twice.
INSERT INTO tasktube_task ({put_at_columns}, {put_move_columns}) SELECT :id, :ord, {put_at_values}, {put_move_values}
FROM tasktube_tube tube, (SELECT {time} AS reading) clock WHERE tube.id = :tube

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
SELECT id FROM tasktube_task WHERE id = ANY(:ids) AND state = 'r' AND blocked = FALSE AND {may_be_taken}
FOR UPDATE SKIP LOCKED

-- name: lock_buried
SELECT id FROM tasktube_task WHERE id = ANY(:ids) AND state = '!' AND blocked = FALSE FOR UPDATE SKIP LOCKED

-- name: sizes
SELECT id, octet_length(data) + COALESCE(octet_length(headers), 0) FROM tasktube_task WHERE id = ANY(:ids)

-- name: claim
-- The last column is the wait of a task that is taken for the first time. The tube is asked again: a transaction may have
-- made the task READY and the tube PAUSED since.
SELECT id, pri, ord, attempts, ttr_ms, utube, content_type, data, headers,
  CASE WHEN taken_count = 1 THEN DATEDIFF(MILLISECOND, created_at, taken_at) END FROM FINAL TABLE (
  UPDATE tasktube_task SET state = 't', session = :session, token = :token, node = :node,
    taken_at = {time}, event_at = DATEADD(MILLISECOND, ttr_ms, {time}),
    attempts = attempts + 1, taken_count = taken_count + 1
  WHERE id = ANY(:ids) AND state = 'r' AND blocked = FALSE
    AND (SELECT {gives} FROM tasktube_tube WHERE id = :tube))

-- ---------------------------------------------------------------------------------------------- Promotion of heads

-- name: lock_promotion
-- One transaction at a time promotes heads of a tube. A drop takes this lock too.
SELECT strict_order FROM tasktube_tube WHERE id = :tube FOR UPDATE SKIP LOCKED

-- name: last_mark
SELECT id FROM tasktube_dirty WHERE tube_id = :tube ORDER BY tube_id DESC, id DESC FETCH FIRST 1 ROW ONLY

-- name: marks
SELECT id, utube FROM tasktube_dirty WHERE tube_id = :tube AND id <= :last ORDER BY tube_id, id
FETCH FIRST :max ROWS ONLY

-- name: mark_headless
-- A change and its marks are two statements, of which the first can commit by itself when a transaction's time ends.
INSERT INTO tasktube_dirty (tube_id, utube) SELECT b.tube_id, b.utube FROM (
  SELECT DISTINCT tube_id, utube FROM tasktube_task WHERE state = 'r' AND blocked = TRUE) b
WHERE NOT EXISTS (SELECT 1 FROM tasktube_task h
  WHERE h.tube_id = b.tube_id AND h.utube = b.utube AND h.state IN ('r', 't') AND h.blocked = FALSE)
  AND NOT EXISTS (SELECT 1 FROM tasktube_dirty d WHERE d.tube_id = b.tube_id AND d.utube = b.utube)

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

-- name: head_in_strict_order
-- Without strict order no task holds a sub-queue, and all BURIED ones would be read.
{head}
UNION ALL SELECT id, state, pri, ord, TRUE FROM tasktube_task WHERE tube_id = :tube AND utube = :utube AND {holding}

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

-- --------------------------------------------------------------------------- Transitions by id, and of many tasks
-- When H2 has waited for a lock, it does not check a condition again by which it found the row in an index. Such a
-- condition must be repeated on a column that the index does not have. H2 would run a subquery anew for each task, so
-- the ids are read before.

-- name: ids_taken
SELECT id FROM tasktube_task WHERE tube_id = :tube AND state = 't' ORDER BY id

-- name: release_all
UPDATE tasktube_task SET state = 'r', {life_left}, {unheld} WHERE id = ANY(:ids) AND token IS NOT NULL

-- name: session_end
UPDATE tasktube_task SET state = 'r', {life_left}, {unheld} WHERE session = :session AND id = ANY(:ids)

-- name: truncate_change
DELETE FROM tasktube_task WHERE id = ANY(:ids)

-- ----------------------------------------------------------------------------------------------------------- Sweep

-- name: next_deadline
SELECT {until_deadline} FROM tasktube_task WHERE event_at IS NOT NULL ORDER BY event_at FETCH FIRST 1 ROW ONLY

-- name: due
SELECT id, event_at FROM tasktube_task WHERE event_at <= {time}
AND event_at >= :swept_to AND (event_at > :swept_to OR id > :swept_id) ORDER BY event_at, id FETCH FIRST :max ROWS ONLY

-- name: lock_due
SELECT id, tube_id, state, DATEDIFF(MILLISECOND, event_at, {time}), followed FROM tasktube_task WHERE id = ANY(:ids)
AND DATEADD(MILLISECOND, 0, event_at) <= {time} FOR UPDATE SKIP LOCKED

-- ----------------------------------------------------------------------------------------------------------- Reads

-- name: scan_newest
SELECT {scan_columns} FROM tasktube_task WHERE id >= :from AND id < :before ORDER BY id DESC FETCH FIRST :max ROWS ONLY

-- name: least_id
SELECT MIN(id) FROM tasktube_task

-- name: greatest_id
SELECT MAX(id) FROM tasktube_task

-- name: count_ids
SELECT COUNT(*) FROM tasktube_task WHERE id >= :from AND id < :before

-- name: scan_indexed
SELECT f.task_id AS place, {scan_columns} FROM (
  SELECT task_id FROM tasktube_field WHERE index_id = :index AND hash = :hash AND task_id < :before
  ORDER BY index_id, hash, task_id DESC FETCH FIRST :max ROWS ONLY) f
LEFT JOIN tasktube_task ON id = f.task_id AND tube_id = :tube ORDER BY f.task_id DESC

-- name: tasks_to_index
SELECT id, tube_id, octet_length(data) AS size FROM tasktube_task
WHERE id > :place AND id <= :upto ORDER BY id FETCH FIRST :max ROWS ONLY

-- name: old_fields
-- The next rows of all indexes in their order, and whether a search can still need each. A row comes with its task, so
-- the same snapshot has both or none. H2 would read all rows for a comparison of three columns at once.
SELECT f.index_id, f.hash, f.task_id, NOT EXISTS (SELECT 1 FROM tasktube_tube u
    WHERE u.id = COALESCE(t.tube_id, p.tube_id) AND u.index_id = f.index_id) AS old
FROM ((SELECT index_id, hash, task_id FROM tasktube_field WHERE index_id = :index AND hash = :hash AND task_id < :task
    ORDER BY index_id, hash, task_id DESC FETCH FIRST :max ROWS ONLY)
  UNION ALL (SELECT index_id, hash, task_id FROM tasktube_field WHERE index_id = :index AND hash > :hash
    ORDER BY index_id, hash, task_id DESC FETCH FIRST :max ROWS ONLY)
  UNION ALL (SELECT index_id, hash, task_id FROM tasktube_field WHERE index_id > :index
    ORDER BY index_id, hash, task_id DESC FETCH FIRST :max ROWS ONLY)) f
LEFT JOIN tasktube_task t ON t.id = f.task_id LEFT JOIN tasktube_temporary p ON p.id = f.task_id
ORDER BY f.index_id, f.hash, f.task_id DESC FETCH FIRST :max ROWS ONLY

-- name: add_missing_fields
MERGE INTO tasktube_field (index_id, hash, task_id) KEY (index_id, hash, task_id)
SELECT :index, n.hash, n.task_id
FROM UNNEST(CAST(:hashes AS bigint ARRAY), CAST(:tasks AS bigint ARRAY)) n(hash, task_id)

-- name: nobody_else_writes
-- Whether no other session has changes that are not committed. A user who is no administrator does not see them.
SELECT (SELECT is_admin FROM INFORMATION_SCHEMA.USERS WHERE user_name = CURRENT_USER) AND NOT EXISTS (
  SELECT 1 FROM INFORMATION_SCHEMA.SESSIONS WHERE CONTAINS_UNCOMMITTED AND SESSION_ID <> SESSION_ID())

-- name: begun_long_ago
SELECT index_since < ({time} - INTERVAL '5' MINUTE) FROM tasktube_tube WHERE id = :tube

-- name: scan_of_kind
SELECT {scan_columns} FROM tasktube_task WHERE failure = :failure AND state = :state AND id > :after
ORDER BY failure, id FETCH FIRST :max ROWS ONLY

-- name: scan_failed
-- The index has no state: each task of a kind is read, in the order of the ids.
SELECT {scan_columns} FROM (SELECT found FROM (
  (SELECT id AS found, failure AS kind FROM tasktube_task WHERE failure = :failure AND id > :after
    ORDER BY failure, id FETCH FIRST :max ROWS ONLY)
  UNION ALL (SELECT id AS found, failure AS kind FROM tasktube_task WHERE failure >= CAST(:failure AS bigint) + 1
    ORDER BY failure, id FETCH FIRST :max ROWS ONLY))
  ORDER BY kind, found FETCH FIRST :max ROWS ONLY) JOIN tasktube_task ON id = found ORDER BY failure, id

-- name: count_ready
SELECT tube_id, 'r', count(*) FROM (SELECT tube_id FROM tasktube_task
  WHERE tube_id = ANY(:tubes) AND state = 'r' AND NOT blocked FETCH FIRST :max ROWS ONLY) few GROUP BY tube_id

-- name: count_blocked
SELECT tube_id, 'r', count(*) FROM (SELECT tube_id FROM tasktube_task
  WHERE tube_id = ANY(:tubes) AND blocked FETCH FIRST :max ROWS ONLY) few GROUP BY tube_id

-- name: count_in_state
SELECT tube_id, state, count(*) FROM (SELECT tube_id, state FROM tasktube_task
  WHERE tube_id = ANY(:tubes) AND state = :state AND state <> 'r' FETCH FIRST :max ROWS ONLY) few
GROUP BY tube_id, state

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
{scan_columns}, holds, blocked AS is_blocked, COALESCE(expires_at <= {time}, FALSE) AS is_over, FALSE AS is_locked,
(SELECT name FROM tasktube_node n WHERE n.id = t.node) AS server

-- name: locker
-- Never asked, because is_locked is never true.
SELECT 0, '', {time}, FALSE FROM tasktube_task WHERE id = :id AND tube_id = :tube AND FALSE

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
SELECT {situation_columns} FROM tasktube_task t WHERE tube_id = :tube AND utube = :utube
AND (state IN ('r', 't') AND blocked = FALSE
  OR {holding} AND (SELECT strict_order FROM tasktube_tube u WHERE u.id = :tube)) FETCH FIRST 1 ROW ONLY

-- name: holders
SELECT DISTINCT node FROM (
  SELECT node FROM tasktube_task WHERE tube_id = :tube AND state = 't' FETCH FIRST :max ROWS ONLY) held

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

-- name: behind_taken
-- The task behind each head that is TAKEN.
SELECT (SELECT b.id FROM tasktube_task b WHERE b.tube_id = head.tube_id AND b.utube = head.utube AND b.state = 'r'
  AND b.blocked = TRUE AND (b.expires_at IS NULL OR b.expires_at > {time})
  ORDER BY b.tube_id, b.utube, b.state, b.blocked, b.pri, b.ord, b.id FETCH FIRST 1 ROW ONLY)
FROM (SELECT tube_id, utube FROM tasktube_task WHERE tube_id = :tube AND state = 't' AND blocked = FALSE
  AND utube IS NOT NULL ORDER BY tube_id, state, blocked, pri, ord, id FETCH FIRST :most_taken ROWS ONLY) head

-- name: tubes_with_sub_queues
SELECT id FROM tasktube_tube WHERE sub_queues

-- name: put_times
SELECT tube_id, id, created_at, {time} FROM tasktube_task WHERE id = ANY(:ids)

-- name: last_urgent_of_priority
-- H2 cannot read an index backwards. It reads the first thousand urgent tasks, so that the read stays bounded.
SELECT id FROM (
  SELECT id, ord FROM tasktube_task
  WHERE tube_id = :tube AND state = 'r' AND blocked = FALSE AND pri = :pri AND ord < 0 AND {living}
  ORDER BY tube_id, state, blocked, pri, ord, id FETCH FIRST 1000 ROWS ONLY) urgent
ORDER BY ord DESC FETCH FIRST 1 ROW ONLY

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
{mode_columns}, {news_columns}
FROM tasktube_tube t WHERE id = ANY(:takers) OR id = ANY(:putters) OR mode <> 'o'

-- name: counts
SELECT tube_id, state, count(*) FROM tasktube_task GROUP BY tube_id, state

-- -------------------------------------------------------------------------------------------------- Kinds of failures

-- name: insert_kind
INSERT INTO tasktube_failure (fingerprint, type, cause, frame, message, first_at)
SELECT :failure, :type, :cause, :frame, :message, {time}
WHERE NOT EXISTS (SELECT 1 FROM tasktube_failure WHERE fingerprint = :failure)

-- name: restore_kind
INSERT INTO tasktube_failure (fingerprint, type, cause, frame, message, first_at)
SELECT :failure, :type, :cause, :frame, :message, CAST(:first_at AS timestamp(6) with time zone)
WHERE NOT EXISTS (SELECT 1 FROM tasktube_failure WHERE fingerprint = :failure)

-- name: failed
-- The index of failures has all tasks. A search from the lowest fingerprint skips those that have not failed.
failure >= CAST('-9223372036854775808' AS bigint)

-- name: missing_kinds
SELECT failure FROM (SELECT DISTINCT failure FROM tasktube_task WHERE {failed}) used
WHERE NOT EXISTS (SELECT 1 FROM tasktube_failure WHERE fingerprint = used.failure) FETCH FIRST :max ROWS ONLY

-- name: kinds_after
SELECT fingerprint, unused_since IS NOT NULL,
  EXISTS (SELECT 1 FROM tasktube_task t WHERE t.failure = k.fingerprint)
    OR EXISTS (SELECT 1 FROM tasktube_temporary t WHERE t.failure = k.fingerprint),
  COALESCE(unused_since <= DATEADD(MILLISECOND, -CAST(:retention AS bigint), {time}), FALSE)
FROM tasktube_failure k WHERE fingerprint > :after ORDER BY fingerprint FETCH FIRST :max ROWS ONLY

-- name: remove_kinds
DELETE FROM tasktube_failure k WHERE fingerprint = ANY(:ids)
AND NOT EXISTS (SELECT 1 FROM tasktube_task t WHERE t.failure = k.fingerprint)
AND NOT EXISTS (SELECT 1 FROM tasktube_temporary t WHERE t.failure = k.fingerprint)

-- name: failed_hours
-- The whole hours since the failure, up to one more than a trend has.
LEAST(DATEDIFF(SECOND, failed_at, {time}) / 3600, 24)

-- name: failure_groups
SELECT p.failure, p.state, tube.name, p.tasks, p.last_at, p.sample, k.type, k.cause, k.frame, k.message, k.first_at,
  p.trend
FROM ((SELECT failure, count(*) AS total FROM tasktube_task WHERE {failed}
    GROUP BY failure ORDER BY total DESC, failure FETCH FIRST :max ROWS ONLY)
  UNION SELECT failure, count(*) FROM tasktube_task WHERE failure = ANY(:kinds) GROUP BY failure) largest
JOIN (
  SELECT failure, state, tube_id, CAST(sum(tasks) AS bigint) AS tasks, max(last_at) AS last_at, max(sample) AS sample,
    LISTAGG(hours || ':' || tasks, ' ') AS trend
  FROM (
    SELECT failure, state, tube_id, {failed_hours} AS hours, count(*) AS tasks, max(failed_at) AS last_at, max(id) AS sample
    FROM tasktube_task WHERE {failed} GROUP BY failure, state, tube_id, hours) by_hour
  GROUP BY failure, state, tube_id) p ON p.failure = largest.failure
JOIN tasktube_tube tube ON tube.id = p.tube_id LEFT JOIN tasktube_failure k ON k.fingerprint = p.failure
ORDER BY largest.total DESC, p.failure, p.state, tube.name

-- --------------------------------------------------------------------------------------------------------- Servers

-- name: mode_micros
DATEDIFF(MICROSECOND, TIMESTAMP '2000-01-01 00:00:00', mode_at)

-- name: beat
SELECT {peer_columns}, TRUE FROM FINAL TABLE ({seen}) UNION ALL {others_than_beat}

-- name: try_lock_slots
SELECT TRUE FROM tasktube_schema FOR UPDATE SKIP LOCKED

-- name: tasks_of_tube
(SELECT count(*) FROM tasktube_task k WHERE k.tube_id = t.id)

-- name: grow_temporary
-- H2 plans without pages.
DELETE FROM tasktube_temporary WHERE FALSE

-- name: register_node
SELECT id FROM FINAL TABLE (INSERT INTO tasktube_node (name, seen_at) VALUES (:name, {time}))

-- name: servers
-- The servers with the tasks that they hold, and their sessions that hold tasks or are registered. By the join, H2 reads
-- one range of the index per tube.
SELECT n.id, n.name, n.seen_at, {time}, n.dead, COALESCE(h.tasks, 0), COALESCE(h.sessions, 0), n.stopped, n.released,
  n.released_at
FROM tasktube_node n LEFT JOIN (
  SELECT node, sum(tasks) AS tasks, count(DISTINCT session) AS sessions FROM (
    SELECT t.node, t.session, count(*) AS tasks FROM tasktube_tube tube
      JOIN tasktube_task t ON t.tube_id = tube.id AND t.state = 't' GROUP BY t.node, t.session
    UNION ALL SELECT t.node, t.session, count(*) AS tasks FROM tasktube_tube tube
      JOIN tasktube_temporary t ON t.tube_id = tube.id AND t.state = 't' GROUP BY t.node, t.session
    UNION ALL SELECT node, session, 0 FROM tasktube_session WHERE node <> 0) held
  GROUP BY node) h ON h.node = n.id
WHERE released_at IS NULL OR {is_recent}
ORDER BY n.id

-- name: taken
-- By the join, H2 reads one range of the index per tube.
SELECT t.tube_id, t.id, t.session, t.token, t.node,
  EXISTS (SELECT 1 FROM tasktube_node n WHERE n.id = t.node AND NOT n.dead),
  EXISTS (SELECT 1 FROM tasktube_session s WHERE s.session = t.session)
FROM tasktube_tube tube JOIN tasktube_task t ON t.tube_id = tube.id AND t.state = 't'

-- -------------------------------------------------------------------------------------------------------- Sessions

-- name: lock_session
-- One lock for all sessions, because there is one server: the row of the schema's version. Nothing else changes that
-- row.
SELECT TRUE FROM tasktube_schema FOR UPDATE

-- name: try_lock_session
SELECT TRUE FROM tasktube_schema FOR UPDATE SKIP LOCKED

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

-- ------------------------------------------------------------------------------------------------------ Operations

-- name: lock_held_unlocked
{lock_held} SKIP LOCKED

-- name: lock_operation
SELECT {operation_columns} FROM tasktube_operation WHERE id = :id AND state = 'r' AND node = :node FOR UPDATE

-- ------------------------------------------------------------------------------------------------- Histories of tasks

-- name: put_move_values
-- Without an event, the task's row has no move.
CAST(:put_event AS varchar), CASE WHEN CAST(:put_event AS varchar) IS NOT NULL THEN clock.reading END,
  CASE WHEN CAST(:put_event AS varchar) IS NOT NULL
    THEN DATEADD(MILLISECOND, CAST(:until_deadline AS bigint), clock.reading) END,
  CAST(:put_by AS varchar), CAST(:put_server AS varchar)

-- name: keep_removed
INSERT INTO tasktube_history (tube_id, task_id, at, event, from_state, attempt, {holder_columns}, put_key,
  {put_move_columns})
VALUES (:tube, :task, {time}, :event, :from_state, :attempt, {holder_values}, CAST(:put_key AS varchar),
  CAST(:put_event AS varchar), CAST(:put_at AS timestamp(6) with time zone), CAST(:put_until AS timestamp(6) with time zone),
  CAST(:put_by AS varchar), CAST(:put_server AS varchar))

-- name: put_of_removed
-- The put as the last move of a removed task has it. H2 reads all moves of that task: it reads no index backwards.
SELECT {put_move_columns}, {put_is_shown} AS shown FROM tasktube_history
WHERE task_id = :task AND tube_id = :tube AND put_event IS NOT NULL ORDER BY task_id, id FETCH FIRST 1 ROW ONLY

-- name: try_lock_history
-- Two servers that remove the same moves wait for each other for the time of one batch.
SELECT TRUE

-- name: change_tube
SELECT {changed_columns} FROM FINAL TABLE (
  UPDATE tasktube_tube SET pri = COALESCE(CAST(:pri AS integer), pri),
    ttl_ms = CASE WHEN CAST(:ttl AS bigint) IS NULL THEN ttl_ms ELSE NULLIF(CAST(:ttl AS bigint), 0) END,
    ttr_ms = CASE WHEN CAST(:ttr AS bigint) IS NULL THEN ttr_ms ELSE NULLIF(CAST(:ttr AS bigint), 0) END,
    delay_ms = COALESCE(CAST(:delay AS bigint), delay_ms), history = COALESCE(CAST(:history AS char(1)), history),
    history_ms = COALESCE(CAST(:history_ms AS bigint), history_ms),
  {new_limits}, changes = changes + 1, {new_index}
  WHERE id = :tube)

-- ------------------------------------------------------------------------------------------------------- Schedules

-- name: bytes
varbinary

-- name: unless_asked
WHERE NOT EXISTS (SELECT 1 FROM tasktube_progress WHERE task_id = :id AND cancels = TRUE)

-- name: write_progress
MERGE INTO tasktube_progress (task_id, cancels, done, total, note, at) KEY (task_id, cancels)
VALUES (:id, FALSE, :done, :total, :note, {time})

-- name: unless_kept
WHERE NOT EXISTS (SELECT 1 FROM tasktube_key WHERE tube_id = :tube AND unique_key = :unique_key)

-- name: unless_scheduled
WHERE NOT EXISTS (SELECT 1 FROM tasktube_schedule WHERE name = :name)
