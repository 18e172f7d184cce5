-- Every statement that TaskTube runs in PostgreSQL, by its name.
--
-- :name is a parameter. {name} includes the statement of that name. In the section "Answers", {change} is a statement
-- that changes tasks, and {answer} is the list of columns that it returns for each. A guarded change has all conditions
-- on the task in its WHERE. The returned rows are the answer: no row means that a condition was not met.
--
-- statement_timestamp() is the time. now() stands still in a transaction, and clock_timestamp() cannot use an index.

-- ---------------------------------------------------------------------------------------------------------- Parts

-- name: unheld
session = NULL, token = NULL, node = NULL, taken_at = NULL

-- name: held
-- The same taking holds the task. A task with a session is TAKEN, by a CHECK constraint. With a condition on the state,
-- PostgreSQL could read all TAKEN tasks of the tube, and the dead entries of former ones. By the id it reads one.
WHERE id = :id AND tube_id = :tube AND session = :session AND token = :token

-- name: in_state
-- The one task, if it is in the state. The condition is an expression that no index serves, for the reason given at
-- held.
WHERE id = :id AND tube_id = :tube AND state || '' = :from

-- name: of_tube
-- Locks the tasks in the order of their ids, as each statement does that changes many tasks. So no two of these wait
-- for each other. No index has all tasks of a tube, and three indexes together have them: without the branches, a drop
-- of an empty tube would read the tasks of all others.
id = ANY(ARRAY(SELECT id FROM tasktube_task WHERE tube_id = :tube AND id = ANY(ARRAY(
  SELECT id FROM tasktube_task WHERE tube_id = tasktube_in_order(:tube) AND state = 'r' AND NOT blocked
  UNION ALL SELECT id FROM tasktube_task WHERE tube_id = tasktube_in_order(:tube) AND blocked
  UNION ALL SELECT id FROM tasktube_task WHERE tube_id = tasktube_in_order(:tube) AND state <> 'r'))
  ORDER BY id FOR UPDATE))

-- name: until_deadline
CAST(ceil(extract(epoch FROM event_at - statement_timestamp()) * 1000) AS bigint)

-- name: mode_columns
mode, mode_by, mode_at, mode_reason

-- name: task_columns
id, state, pri, attempts, token, utube, content_type, data, headers

-- -------------------------------------------------------------------------------------------------------- Answers

-- name: updated
{change} RETURNING {answer}

-- name: deleted
{change} RETURNING {answer}

-- name: updated_tracked
-- Marks the sub-queues of the changed tasks as dirty, in the same statement.
WITH changed AS ({change} RETURNING {answer}, tube_id AS changed_tube, utube AS changed_utube),
marked AS (INSERT INTO tasktube_dirty (tube_id, utube)
  SELECT DISTINCT changed_tube, changed_utube FROM changed WHERE changed_utube IS NOT NULL)
SELECT * FROM changed

-- name: deleted_tracked
-- Also frees the slots of the removed tasks. A head that was the sole member of its sub-queue leaves no mark.
WITH changed AS ({change} RETURNING {answer}, tube_id AS changed_tube,
  CASE WHEN blocked OR NOT sole_member THEN utube END AS changed_utube),
marked AS (INSERT INTO tasktube_dirty (tube_id, utube)
  SELECT DISTINCT changed_tube, changed_utube FROM changed WHERE changed_utube IS NOT NULL),
freed AS (INSERT INTO tasktube_slot (tube_id) SELECT changed_tube FROM changed
  JOIN tasktube_tube t ON t.id = changed_tube AND t.capacity IS NOT NULL)
SELECT * FROM changed

-- name: kept_columns
tube_id AS kept_tube, id AS kept_task, attempts AS kept_attempt, event_at AS kept_until, state AS kept_state

-- name: kept_changed
kept_tube, kept_task, statement_timestamp(), :event, CAST(:from_state AS char(1)), kept_attempt, kept_until,
  {history_values}

-- name: removed_columns
tube_id, task_id, at, event, from_state, attempt, {holder_columns}, {put_move_columns}

-- name: kept_removed_columns
{kept_columns}, put_event AS kept_put, put_at AS kept_put_at, put_until AS kept_put_until, put_by AS kept_put_by,
  put_server AS kept_put_server

-- name: kept_removed
kept_tube, kept_task, statement_timestamp(), :event, kept_state, kept_attempt, {holder_values}, kept_put, kept_put_at,
  kept_put_until, kept_put_by, kept_put_server

-- name: updated_kept
-- Adds a move to the history of each changed task, in the same statement.
WITH changed AS ({change} RETURNING {answer}, {kept_columns}),
kept AS (INSERT INTO tasktube_history ({history_columns}) SELECT {kept_changed} FROM changed)
SELECT * FROM changed

-- name: deleted_kept
-- The last move of a removed task also has its put.
WITH changed AS ({change} RETURNING {answer}, {kept_removed_columns}),
kept AS (INSERT INTO tasktube_history ({removed_columns}) SELECT {kept_removed} FROM changed)
SELECT * FROM changed

-- name: updated_tracked_kept
WITH changed AS ({change} RETURNING {answer}, utube AS changed_utube, {kept_columns}),
marked AS (INSERT INTO tasktube_dirty (tube_id, utube)
  SELECT DISTINCT kept_tube, changed_utube FROM changed WHERE changed_utube IS NOT NULL),
kept AS (INSERT INTO tasktube_history ({history_columns}) SELECT {kept_changed} FROM changed)
SELECT * FROM changed

-- name: deleted_tracked_kept
WITH changed AS ({change} RETURNING {answer}, CASE WHEN blocked OR NOT sole_member THEN utube END AS changed_utube,
  {kept_removed_columns}),
marked AS (INSERT INTO tasktube_dirty (tube_id, utube)
  SELECT DISTINCT kept_tube, changed_utube FROM changed WHERE changed_utube IS NOT NULL),
freed AS (INSERT INTO tasktube_slot (tube_id) SELECT kept_tube FROM changed
  JOIN tasktube_tube t ON t.id = kept_tube AND t.capacity IS NOT NULL),
kept AS (INSERT INTO tasktube_history ({removed_columns}) SELECT {kept_removed} FROM changed)
SELECT * FROM changed

-- ---------------------------------------------------------------------------------------------------------- Tubes

-- name: create_tube
-- If another transaction is creating a tube of that name, this waits for its end. A failed insert would fail the
-- caller's whole transaction, so a conflict inserts nothing.
INSERT INTO tasktube_tube (name, type, pri, ttl_ms, ttr_ms, delay_ms, capacity, temporary, sub_queues, history, history_ms)
VALUES (:name, :type, :pri, CAST(:ttl AS bigint), CAST(:ttr AS bigint), :delay, CAST(:capacity AS integer), :temporary,
  :sub_queues, :history, :history_ms)
ON CONFLICT (name) DO NOTHING RETURNING id, {mode_columns}

-- name: mode
SELECT {mode_columns} FROM tasktube_tube WHERE id = :tube

-- name: tube_is_open
-- Empty if the tube takes no puts: it is DRAINING, or does not exist, or a drop of it is under way.
SELECT id FROM tasktube_tube WHERE id = :tube AND mode <> 'd' AND tasktube_open(id)

-- name: set_mode
-- Returns no row if the tube has the mode already. Each change is later than the one before, even if the clock is set
-- back. So a server that reads two changes knows which is the latest.
UPDATE tasktube_tube SET mode = :mode, mode_by = :by, mode_reason = :reason,
  mode_at = greatest(statement_timestamp(), mode_at + INTERVAL '1 microsecond')
WHERE id = :tube AND mode <> :mode RETURNING {mode_columns}

-- name: try_lock_tube
SELECT pg_try_advisory_xact_lock('tasktube_tube'::regclass::oid::integer, :tube)

-- name: try_lock_promotion
SELECT pg_try_advisory_xact_lock('tasktube_dirty'::regclass::oid::integer, :tube)

-- name: close_tube
SELECT tasktube_close(:tube)

-- name: drop_tube
DELETE FROM tasktube_tube WHERE id = :tube

-- name: drop_tasks
-- How many of the tasks were TAKEN, also by a transaction that the lock has waited for.
WITH gone AS (DELETE FROM tasktube_task WHERE {of_tube} RETURNING state)
SELECT count(*) FROM gone WHERE state = 't'

-- name: drop_marks
DELETE FROM tasktube_dirty WHERE tube_id = :tube

-- name: drop_parked
DELETE FROM tasktube_parked WHERE tube_id = :tube

-- name: drop_slots
DELETE FROM tasktube_slot WHERE tube_id = :tube

-- name: add_slots
INSERT INTO tasktube_slot (tube_id) SELECT CAST(:tube AS integer) FROM generate_series(1, CAST(:count AS bigint)) n

-- name: take_slots
DELETE FROM tasktube_slot WHERE tube_id = :tube AND id = ANY(ARRAY(
  SELECT id FROM tasktube_slot WHERE tube_id = tasktube_in_order(:tube) ORDER BY tube_id, id LIMIT :count
  FOR UPDATE SKIP LOCKED))

-- ------------------------------------------------------------------------------------------- Rows of dropped tubes

-- name: used_tubes
-- One index lookup per tube, instead of a scan of all rows.
SELECT tube_id FROM (WITH RECURSIVE used AS (
  (SELECT tube_id FROM tasktube_task WHERE state = 'r' AND NOT blocked ORDER BY tube_id LIMIT 1)
  UNION ALL SELECT (SELECT t.tube_id FROM tasktube_task t WHERE state = 'r' AND NOT blocked
    AND t.tube_id > used.tube_id ORDER BY t.tube_id LIMIT 1) FROM used WHERE used.tube_id IS NOT NULL)
  SELECT tube_id FROM used WHERE tube_id IS NOT NULL) ready
UNION SELECT tube_id FROM (WITH RECURSIVE used AS (
  (SELECT tube_id FROM tasktube_task WHERE blocked ORDER BY tube_id LIMIT 1)
  UNION ALL SELECT (SELECT t.tube_id FROM tasktube_task t WHERE blocked
    AND t.tube_id > used.tube_id ORDER BY t.tube_id LIMIT 1) FROM used WHERE used.tube_id IS NOT NULL)
  SELECT tube_id FROM used WHERE tube_id IS NOT NULL) blocked_ones
UNION SELECT tube_id FROM (WITH RECURSIVE used AS (
  (SELECT tube_id FROM tasktube_task WHERE state <> 'r' ORDER BY tube_id LIMIT 1)
  UNION ALL SELECT (SELECT t.tube_id FROM tasktube_task t WHERE state <> 'r'
    AND t.tube_id > used.tube_id ORDER BY t.tube_id LIMIT 1) FROM used WHERE used.tube_id IS NOT NULL)
  SELECT tube_id FROM used WHERE tube_id IS NOT NULL) others
UNION SELECT tube_id FROM (WITH RECURSIVE used AS (
  (SELECT tube_id FROM tasktube_dirty ORDER BY tube_id LIMIT 1)
  UNION ALL SELECT (SELECT t.tube_id FROM tasktube_dirty t
    WHERE t.tube_id > used.tube_id ORDER BY t.tube_id LIMIT 1) FROM used WHERE used.tube_id IS NOT NULL)
  SELECT tube_id FROM used WHERE tube_id IS NOT NULL) dirty
UNION SELECT tube_id FROM (WITH RECURSIVE used AS (
  (SELECT tube_id FROM tasktube_slot ORDER BY tube_id LIMIT 1)
  UNION ALL SELECT (SELECT t.tube_id FROM tasktube_slot t
    WHERE t.tube_id > used.tube_id ORDER BY t.tube_id LIMIT 1) FROM used WHERE used.tube_id IS NOT NULL)
  SELECT tube_id FROM used WHERE tube_id IS NOT NULL) slots

-- name: tube_ids
SELECT id FROM tasktube_tube

-- name: lock_orphans
SELECT id FROM tasktube_task WHERE id = ANY(ARRAY(
  (SELECT id FROM tasktube_task WHERE tube_id = ANY(:tubes) AND state = 'r' AND NOT blocked LIMIT :max)
  UNION ALL (SELECT id FROM tasktube_task WHERE tube_id = ANY(:tubes) AND blocked LIMIT :max)
  UNION ALL (SELECT id FROM tasktube_task WHERE tube_id = ANY(:tubes) AND state <> 'r' LIMIT :max)))
FETCH FIRST :max ROWS ONLY FOR UPDATE SKIP LOCKED

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
fresh.id, fresh.id, tube.id, :state, CAST(:pri AS integer), statement_timestamp(),
  (statement_timestamp() + CAST(:until_deadline AS bigint) * INTERVAL '1 millisecond'),
  (statement_timestamp() + CAST(:until_expiry AS bigint) * INTERVAL '1 millisecond'), CAST(:ttr AS bigint),
  :content_type, :data

-- name: put_from
FROM (SELECT nextval('tasktube_task_seq') AS id) fresh, tasktube_tube tube
WHERE tube.id = :tube AND tube.mode <> 'd' AND tasktube_open(tube.id)

-- name: put_plain
INSERT INTO tasktube_task ({put_columns}) SELECT {put_values} {put_from}

-- name: put_plain_with_headers
INSERT INTO tasktube_task ({put_columns}, headers) SELECT {put_values}, CAST(:headers AS text) {put_from}

-- name: put
-- The fast path for a task with only data and times. It reads the tube's row, so that no task is put into a dropped
-- tube. It takes no lock of that row, which all producers would share.
{put_plain} RETURNING id

-- name: put_with_headers
-- The same with headers.
{put_plain_with_headers} RETURNING id

-- name: put_kept
-- The move of the put is in the task's row, and goes into the history with the task's end. So the put is one insert.
INSERT INTO tasktube_task ({put_columns}, headers, {put_move_columns})
SELECT {put_values}, CAST(:headers AS text), {put_move_values} {put_from} RETURNING id

-- name: put_at_columns
id, ord, tube_id, state, pri, created_at, event_at, expires_at, ttr_ms, utube, blocked, live_key, content_type, data,
  headers

-- name: put_at_values
tube.id, :state, CAST(:pri AS integer), statement_timestamp(),
  (statement_timestamp() + CAST(:until_deadline AS bigint) * INTERVAL '1 millisecond'),
  (statement_timestamp() + CAST(:until_expiry AS bigint) * INTERVAL '1 millisecond'), CAST(:ttr AS bigint),
  CAST(:utube AS varchar), :blocked, CAST(:unique_key AS varchar), :content_type, :data, CAST(:headers AS text)

-- name: order_of_fresh
fresh.id, COALESCE(CAST(:number AS bigint), CAST(:sign AS bigint) * fresh.id)

-- name: unless_there
ON CONFLICT (tube_id, live_key) WHERE live_key IS NOT NULL DO NOTHING

-- name: put_at
-- A task with a position, a sub-queue or a unique key. If a task of the key exists, nothing is inserted.
INSERT INTO tasktube_task ({put_at_columns}) SELECT {order_of_fresh}, {put_at_values} {put_from} {unless_there}

-- name: put_at_kept
INSERT INTO tasktube_task ({put_at_columns}, {put_move_columns})
SELECT {order_of_fresh}, {put_at_values}, {put_move_values} {put_from} {unless_there}

-- name: new_ids
SELECT nextval('tasktube_task_seq') FROM generate_series(1, CAST(:count AS bigint)) n

-- name: put_numbered
-- One of several tasks. Their ids are known already.
INSERT INTO tasktube_task ({put_at_columns}) SELECT :id, :ord, {put_at_values} FROM tasktube_tube tube WHERE tube.id = :tube

-- name: put_numbered_kept
INSERT INTO tasktube_task ({put_at_columns}, {put_move_columns}) SELECT :id, :ord, {put_at_values}, {put_move_values}
FROM tasktube_tube tube WHERE tube.id = :tube

-- name: id_by_key
SELECT id FROM tasktube_task WHERE tube_id = :tube AND live_key = :unique_key AND (state = 't' OR {living})

-- name: free_key
-- A task whose ttl is over keeps no other one from its key until the sweep removes it.
UPDATE tasktube_task SET live_key = NULL WHERE tube_id = :tube AND live_key = :unique_key AND state <> 't'
AND expires_at <= statement_timestamp()

-- name: lock_utube
-- The sub-queue that a replaced task leaves. Because of the lock, no other replacement can move the task in between.
SELECT utube FROM tasktube_task {in_state} FOR UPDATE

-- name: replace
-- A task that has lost its unique key is over.
UPDATE tasktube_task SET state = :state, pri = :pri, created_at = statement_timestamp(),
  event_at = (statement_timestamp() + CAST(:until_deadline AS bigint) * INTERVAL '1 millisecond'),
  expires_at = (statement_timestamp() + CAST(:until_expiry AS bigint) * INTERVAL '1 millisecond'),
  ttr_ms = CAST(:ttr AS bigint), utube = CAST(:utube AS varchar), blocked = :blocked, content_type = :content_type,
  data = :data, headers = CAST(:headers AS text) {in_state}
  AND (CAST(:unique_key AS varchar) IS NULL OR live_key = :unique_key)

-- ----------------------------------------------------------------------------------------------------------- Take

-- name: claim_columns
-- The last column is the wait of a task that is taken for the first time.
t.id, t.pri, t.ord, t.attempts, t.ttr_ms, t.utube, t.content_type, t.data, t.headers,
  CASE WHEN t.taken_count = 1 THEN (date_part('epoch', t.taken_at - t.created_at) * 1000)::bigint END AS waited

-- name: claim_change
-- An array instead of a join. A plan for any limit expects a tenth of all tasks, and would read the whole table for a
-- join. The subquery of the mode depends on no task, so PostgreSQL runs it once, before it reads the first task. The
-- length of data does not read data that is stored aside. Tasks beyond max_bytes are locked until the statement's end.
UPDATE tasktube_task t SET state = 't', session = :session, token = :token, node = :node,
  taken_at = statement_timestamp(), event_at = (statement_timestamp() + ttr_ms * INTERVAL '1 millisecond'),
  attempts = attempts + 1, taken_count = taken_count + 1
WHERE t.id = ANY(ARRAY(
  SELECT id FROM (SELECT id, sum(size) OVER (ORDER BY pri, ord, id) - size AS bytes_before FROM (
    SELECT id, pri, ord, octet_length(data) + coalesce(octet_length(headers), 0) AS size FROM tasktube_task
    WHERE (SELECT mode FROM tasktube_tube WHERE id = :tube) <> 'p'
    AND tube_id = tasktube_in_order(:tube) AND state = 'r' AND NOT blocked
    AND (pri, ord, id) > (:after_pri, :after_ord, :after_id)
    AND (expires_at IS NULL OR expires_at > statement_timestamp())
    ORDER BY pri, ord, id LIMIT :max FOR UPDATE SKIP LOCKED) first) sized
  WHERE bytes_before < :max_bytes))

-- name: claim
{claim_change}
RETURNING {claim_columns}

-- name: claim_kept
WITH changed AS ({claim_change}
RETURNING {claim_columns}, t.event_at AS kept_until),
kept AS (INSERT INTO tasktube_history (tube_id, task_id, at, event, from_state, attempt, until_at, {holder_columns})
  SELECT :tube, id, statement_timestamp(), :event, CAST(:from_state AS char(1)), attempts, kept_until, {holder_values}
  FROM changed)
SELECT id, pri, ord, attempts, ttr_ms, utube, content_type, data, headers, waited FROM changed

-- name: promote_heads
SELECT tasktube_promote_heads(:tube)

-- name: promote_and_claim
-- Two transactions that are sent together. The promotion commits before the claim, whose answer can be large. If a
-- frozen server does not read the answer, it holds only the tasks that it claimed, and blocks no take of others. The
-- commit of the promotion need not wait for the disk. The log is in order, so a crash that undoes the promotion undoes
-- the claim too.
BEGIN; SET LOCAL synchronous_commit TO OFF; {promote_heads}; COMMIT; {claim}

-- name: promote_and_claim_kept
BEGIN; SET LOCAL synchronous_commit TO OFF; {promote_heads}; COMMIT; {claim_kept}

-- name: rollback
ROLLBACK

-- ------------------------------------------------------------------------------ Transitions by the holder of a task

-- name: ack
DELETE FROM tasktube_task {held}

-- name: ack_result
UPDATE tasktube_task SET state = '-', outcome = :outcome, result_ttl_ms = :result_ttl, result_type = :result_type,
  result = :result, event_at = (statement_timestamp() + :result_ttl * INTERVAL '1 millisecond'),
  expires_at = (statement_timestamp() + :result_ttl * INTERVAL '1 millisecond'), live_key = NULL, {unheld} {held}

-- name: release
UPDATE tasktube_task SET state = 'r', event_at = expires_at, {unheld} {held}

-- name: release_for_ttl
UPDATE tasktube_task SET state = 'r', event_at = (statement_timestamp() + :life * INTERVAL '1 millisecond'),
  expires_at = (statement_timestamp() + :life * INTERVAL '1 millisecond'), {unheld} {held}

-- name: release_failed
UPDATE tasktube_task SET state = 'r', error_type = :error_type, error_message = :error_message,
  error_trace = :error_trace, failure = :failure, failed_at = statement_timestamp(),
  event_at = expires_at, {unheld} {held}

-- name: release_delayed
-- The delay extends the ttl of the task.
UPDATE tasktube_task SET state = '~', event_at = (statement_timestamp() + :delay * INTERVAL '1 millisecond'),
  expires_at = (expires_at + :delay * INTERVAL '1 millisecond'), {unheld} {held}

-- name: release_delayed_for_ttl
UPDATE tasktube_task SET state = '~', event_at = (statement_timestamp() + :delay * INTERVAL '1 millisecond'),
  expires_at = (statement_timestamp() + :life * INTERVAL '1 millisecond'), {unheld} {held}

-- name: release_delayed_failed
UPDATE tasktube_task SET state = '~', error_type = :error_type, error_message = :error_message,
  error_trace = :error_trace, failure = :failure, failed_at = statement_timestamp(),
  event_at = (statement_timestamp() + :delay * INTERVAL '1 millisecond'),
  expires_at = (expires_at + :delay * INTERVAL '1 millisecond'), {unheld} {held}

-- name: requeue
UPDATE tasktube_task SET state = 'r', event_at = expires_at, ord = nextval('tasktube_task_seq'),
  blocked = (utube IS NOT NULL), {unheld} {held}

-- name: bury
UPDATE tasktube_task SET state = '!', event_at = expires_at, blocked = false, buried_count = buried_count + 1,
  {unheld} {held}

-- name: bury_failed
UPDATE tasktube_task SET state = '!', error_type = :error_type, error_message = :error_message,
  error_trace = :error_trace, failure = :failure, failed_at = statement_timestamp(),
  event_at = expires_at, buried_count = buried_count + 1, {unheld} {held}

-- name: touch
UPDATE tasktube_task SET event_at = (event_at + :increment * INTERVAL '1 millisecond'),
  expires_at = (expires_at + :increment * INTERVAL '1 millisecond') {held}

-- name: heartbeat
UPDATE tasktube_task SET event_at = (statement_timestamp() + ttr_ms * INTERVAL '1 millisecond') {held}

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

-- name: bury_unheld
UPDATE tasktube_task SET state = '!', event_at = expires_at, blocked = false, buried_count = buried_count + 1 {in_state}

-- name: dig
UPDATE tasktube_task SET state = 'r', attempts = 0, blocked = (utube IS NOT NULL) {in_state}

-- name: delete
DELETE FROM tasktube_task WHERE id = :id AND tube_id = :tube

-- name: lock_buried
SELECT id FROM tasktube_task WHERE tube_id = tasktube_in_order(:tube) AND state = '!'
ORDER BY pri, ord, id LIMIT :max FOR UPDATE SKIP LOCKED

-- name: kick
UPDATE tasktube_task SET state = 'r', attempts = 0, blocked = (utube IS NOT NULL) WHERE id = ANY(:ids)

-- name: release_all
UPDATE tasktube_task SET state = 'r', event_at = expires_at, {unheld}
WHERE id = ANY(ARRAY(SELECT id FROM tasktube_task WHERE tube_id = :tube AND state = 't' ORDER BY id FOR UPDATE))
AND token IS NOT NULL

-- name: session_end
UPDATE tasktube_task SET state = 'r', event_at = expires_at, {unheld}
WHERE id = ANY(ARRAY(SELECT id FROM tasktube_task WHERE session = :session AND id = ANY(:ids) ORDER BY id FOR UPDATE))

-- name: truncate
WITH gone AS (DELETE FROM tasktube_task WHERE {of_tube} RETURNING tube_id, state, utube),
marked AS (INSERT INTO tasktube_dirty (tube_id, utube) SELECT DISTINCT tube_id, utube FROM gone WHERE utube IS NOT NULL)
SELECT tube_id, state, count(*) FROM gone GROUP BY tube_id, state

-- name: truncate_kept
-- Like truncate, for a tube with a history of all moves.
WITH gone AS (DELETE FROM tasktube_task WHERE {of_tube} RETURNING tube_id, utube, {kept_removed_columns}),
marked AS (INSERT INTO tasktube_dirty (tube_id, utube) SELECT DISTINCT tube_id, utube FROM gone WHERE utube IS NOT NULL),
kept AS (INSERT INTO tasktube_history ({removed_columns}) SELECT {kept_removed} FROM gone)
SELECT tube_id, kept_state, count(*) FROM gone GROUP BY tube_id, kept_state

-- name: truncate_change
DELETE FROM tasktube_task WHERE {of_tube}

-- name: truncate_returning
-- Like truncate, but returns each task. The caller adds the marks.
DELETE FROM tasktube_task WHERE {of_tube} RETURNING {task_columns}

-- name: mark
-- Runs only after a change in the same transaction; the schema gives the reason.
INSERT INTO tasktube_dirty (tube_id, utube) VALUES (:tube, :utube)

-- ----------------------------------------------------------------------------------------------------------- Sweep

-- name: next_deadline
SELECT {until_deadline} FROM tasktube_task WHERE event_at <= tasktube_in_order(CAST('infinity' AS timestamptz))
ORDER BY event_at FETCH FIRST 1 ROW ONLY

-- name: due
SELECT id, event_at FROM tasktube_task WHERE event_at <= tasktube_in_order(statement_timestamp())
AND event_at >= :swept_to AND (event_at > :swept_to OR id > :swept_id) ORDER BY event_at, id FETCH FIRST :max ROWS ONLY

-- name: lock_due
-- The condition on the time is an expression that no index serves, so that PostgreSQL searches by the ids, and not by
-- all due times.
SELECT id, tube_id, state, (date_part('epoch', statement_timestamp() - event_at) * 1000)::bigint
FROM tasktube_task WHERE id = ANY(:ids)
AND (event_at + 0 * INTERVAL '1 millisecond') <= statement_timestamp() FOR UPDATE SKIP LOCKED

-- name: deadline_to_ready
-- The end of a ttr or of a delay.
UPDATE tasktube_task SET state = 'r', event_at = expires_at, blocked = (utube IS NOT NULL AND state = '~'), {unheld}
WHERE id = ANY(:ids)

-- name: deadline_to_gone
-- The end of a ttl.
DELETE FROM tasktube_task WHERE id = ANY(:ids)

-- ----------------------------------------------------------------------------------------------------------- Reads

-- name: now
SELECT statement_timestamp()

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
statement_timestamp() AS read_at

-- name: scan_ids
SELECT {scan_columns} FROM tasktube_task WHERE id = ANY(:ids) ORDER BY id DESC

-- name: scan_keys
SELECT {scan_columns} FROM tasktube_task WHERE tube_id = :tube AND live_key = ANY(:keys) ORDER BY id DESC

-- name: scan_newest
SELECT {scan_columns} FROM tasktube_task WHERE id < tasktube_in_order(CAST(:before AS bigint)) ORDER BY id DESC LIMIT :max

-- name: scan_of_kind
SELECT {scan_columns} FROM tasktube_task WHERE failure = tasktube_in_order(:failure) AND state = CAST(:state AS char(1)) AND id > :after
ORDER BY id LIMIT :max

-- name: scan_ready
SELECT {scan_columns} FROM tasktube_task
WHERE tube_id = tasktube_in_order(:tube) AND state = 'r' AND NOT blocked AND (pri, ord, id) > (:after_pri, :after_ord, :after_id)
ORDER BY pri, ord, id LIMIT :max

-- name: scan_in_state
SELECT {scan_columns} FROM tasktube_task
WHERE tube_id = tasktube_in_order(:tube) AND state <> 'r' AND state = CAST(:state AS char(1))
AND (pri, ord, id) > (:after_pri, :after_ord, :after_id)
ORDER BY pri, ord, id LIMIT :max

-- name: scan_blocked
SELECT {scan_columns} FROM tasktube_task
WHERE tube_id = tasktube_in_order(:tube) AND blocked AND (utube, pri, ord, id) > (:utube, :after_pri, :after_ord, :after_id)
ORDER BY utube, pri, ord, id LIMIT :max

-- name: begin_reading
-- All reads of the transaction see one moment. PostgreSQL would compile statements whose cost it takes to be high, as
-- tasktube_in_order makes it for many tubes: that takes far longer than they do.
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL jit TO off

-- name: is_locked
-- Another open transaction has locked the row, or is changing it. Then xmax is its number of 32 bits, which is among the
-- open ones of the snapshot, or after them. The number of a transaction that has ended is neither.
t.xmax::text <> '0'
AND t.xmax::text::bigint IS DISTINCT FROM pg_current_xact_id_if_assigned()::text::bigint % 4294967296
AND ((SELECT count(*) FROM pg_snapshot_xip(pg_current_snapshot()) open
    WHERE open::text::bigint % 4294967296 = t.xmax::text::bigint) > 0
  OR (t.xmax::text::bigint - pg_snapshot_xmax(pg_current_snapshot())::text::bigint % 4294967296 + 4294967296)
    % 4294967296 < 2147483648)

-- name: situation_columns
{scan_columns}, blocked AS is_blocked, COALESCE(expires_at <= statement_timestamp(), false) AS is_over,
({is_locked}) AS is_locked, (SELECT name FROM tasktube_node n WHERE n.id = t.node) AS server

-- name: situation
SELECT {situation_columns} FROM tasktube_task t WHERE id = :id AND tube_id = :tube

-- name: locker
-- The session that has locked a task. Several that share a lock have another number, and are not found. A user of the
-- database sees the sessions of the same user.
SELECT a.pid, host(a.client_addr), a.xact_start, a.state LIKE 'idle%'
FROM tasktube_task t JOIN pg_locks l ON l.transactionid = t.xmax JOIN pg_stat_activity a ON a.pid = l.pid
WHERE t.id = :id AND t.tube_id = :tube AND l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' AND l.granted
  AND a.xact_start IS NOT NULL

-- name: living
(expires_at IS NULL OR expires_at > statement_timestamp())

-- name: ready_before
SELECT id FROM tasktube_task
WHERE tube_id = tasktube_in_order(:tube) AND state = 'r' AND NOT blocked AND (pri, ord, id) < (:pri, :ord, :id) AND {living}
ORDER BY pri, ord, id LIMIT :max

-- name: blocked_before
SELECT id FROM tasktube_task
WHERE tube_id = tasktube_in_order(:tube) AND utube = :utube AND blocked AND (pri, ord, id) < (:pri, :ord, :id) AND {living}
ORDER BY pri, ord, id LIMIT :max

-- name: head_of_sub_queue
SELECT {situation_columns} FROM tasktube_task t
WHERE tube_id = :tube AND utube = :utube AND state IN ('r', 't') AND NOT blocked LIMIT 1

-- name: holders
SELECT DISTINCT node FROM (
  SELECT node FROM tasktube_task WHERE tube_id = tasktube_in_order(:tube) AND state <> 'r' AND state = 't'
  ORDER BY pri, ord, id LIMIT :max) held

-- name: oldest_ready
-- Three index lookups per tube and priority: one for the next priority, and two for its first tasks. Urgent tasks are
-- below 0 in the order of put, the oldest of them last. A scalar subquery or LATERAL with LIMIT is one index lookup.
WITH RECURSIVE priorities AS (
  SELECT tube.id AS tube_id, tube.name, 1 AS number, (
    SELECT pri FROM tasktube_task WHERE tube_id = tasktube_in_order(tube.id) AND state = 'r' AND NOT blocked
    ORDER BY pri, ord, id LIMIT 1) AS pri
  FROM tasktube_tube tube
  UNION ALL SELECT p.tube_id, p.name, p.number + 1, (
    SELECT n.pri FROM tasktube_task n
    WHERE n.tube_id = tasktube_in_order(p.tube_id) AND n.state = 'r' AND NOT n.blocked AND n.pri > p.pri
    ORDER BY n.pri, n.ord, n.id LIMIT 1)
  FROM priorities p WHERE p.pri IS NOT NULL AND p.number < :most)
SELECT DISTINCT ON (p.name) p.name, oldest.id, oldest.created_at, statement_timestamp()
FROM priorities p CROSS JOIN LATERAL (
  (SELECT id, created_at FROM tasktube_task
    WHERE tube_id = tasktube_in_order(p.tube_id) AND state = 'r' AND NOT blocked AND pri = p.pri AND ord >= 0 AND {living}
    ORDER BY pri, ord, id LIMIT 1)
  UNION ALL (SELECT id, created_at FROM tasktube_task
    WHERE tube_id = tasktube_in_order(p.tube_id) AND state = 'r' AND NOT blocked AND pri = p.pri AND ord < 0 AND {living}
    ORDER BY pri DESC, ord DESC, id DESC LIMIT 1)) oldest
WHERE p.pri IS NOT NULL ORDER BY p.name, oldest.created_at, oldest.id

-- name: counts
SELECT tube_id, state, count(*) FROM tasktube_task GROUP BY tube_id, state

-- name: poll
-- One reading of all that other servers may have changed. A scalar subquery is one index lookup per tube. EXISTS would
-- become a join over all ready tasks. A parked sub-queue can be promoted if its task is no longer locked, or no longer
-- exists.
SELECT id, id = ANY(:takers) AND mode <> 'p' AND ((
  SELECT id FROM tasktube_task WHERE tube_id = tasktube_in_order(t.id) AND state = 'r' AND NOT blocked
  AND (expires_at IS NULL OR expires_at > statement_timestamp())
  ORDER BY pri, ord, id FETCH FIRST 1 ROW ONLY) IS NOT NULL
OR sub_queues AND (
  SELECT id FROM tasktube_dirty WHERE tube_id = tasktube_in_order(t.id) AND id >= t.marks_from
  ORDER BY tube_id, id FETCH FIRST 1 ROW ONLY) IS NOT NULL
OR sub_queues AND (
  SELECT p.task_id FROM tasktube_parked p WHERE p.tube_id = t.id
  AND ((SELECT k.id FROM tasktube_task k WHERE k.id = p.task_id FOR UPDATE SKIP LOCKED) IS NOT NULL
    OR (SELECT k.id FROM tasktube_task k WHERE k.id = p.task_id) IS NULL)
  ORDER BY p.tube_id, p.utube LIMIT 1) IS NOT NULL),
id = ANY(:putters) AND (
  SELECT id FROM tasktube_slot WHERE tube_id = tasktube_in_order(t.id) ORDER BY tube_id, id FETCH FIRST 1 ROW ONLY) IS NOT NULL,
{mode_columns}
FROM tasktube_tube t WHERE id = ANY(:takers) OR id = ANY(:putters) OR mode <> 'o'

-- -------------------------------------------------------------------------------------------------- Kinds of failures

-- name: insert_kind
INSERT INTO tasktube_failure (fingerprint, type, frame, message, first_at)
VALUES (:failure, :type, :frame, :message, statement_timestamp()) ON CONFLICT (fingerprint) DO NOTHING

-- name: restore_kind
INSERT INTO tasktube_failure (fingerprint, type, frame, message, first_at)
VALUES (:failure, :type, :frame, :message, :first_at) ON CONFLICT (fingerprint) DO NOTHING

-- name: existing_kinds
SELECT fingerprint FROM tasktube_failure WHERE fingerprint = ANY(:ids)

-- name: used_kinds
-- The kinds that tasks have. One index lookup per kind, instead of a scan of all failed tasks.
used AS (
  (SELECT failure FROM tasktube_task WHERE failure IS NOT NULL ORDER BY failure LIMIT 1)
  UNION ALL SELECT (SELECT t.failure FROM tasktube_task t WHERE t.failure > used.failure ORDER BY t.failure LIMIT 1)
    FROM used WHERE used.failure IS NOT NULL)

-- name: missing_kinds
WITH RECURSIVE {used_kinds}
SELECT failure FROM used WHERE failure IS NOT NULL
AND (SELECT fingerprint FROM tasktube_failure WHERE fingerprint = used.failure) IS NULL LIMIT :max

-- name: failure_of_kind
SELECT error_type, error_message, error_trace, (SELECT min(failed_at) FROM tasktube_task WHERE failure = :failure)
FROM tasktube_task WHERE failure = :failure LIMIT 1

-- name: kinds_after
-- Returns whether a check has marked the kind as unused, whether a task has it, and whether its time is over. A scalar
-- subquery is one index lookup per kind.
SELECT fingerprint, unused_since IS NOT NULL,
  (SELECT t.failure FROM tasktube_task t WHERE t.failure = k.fingerprint LIMIT 1) IS NOT NULL,
  COALESCE(unused_since <= statement_timestamp() + -CAST(:retention AS bigint) * INTERVAL '1 millisecond', false)
FROM tasktube_failure k WHERE fingerprint > :after ORDER BY fingerprint LIMIT :max

-- name: lock_kinds
-- Two servers that check at once do not wait for each other.
SELECT fingerprint FROM tasktube_failure WHERE fingerprint = ANY(:ids) FOR UPDATE SKIP LOCKED

-- name: mark_unused
UPDATE tasktube_failure SET unused_since = statement_timestamp() WHERE fingerprint = ANY(:ids)

-- name: mark_used
UPDATE tasktube_failure SET unused_since = NULL WHERE fingerprint = ANY(:ids)

-- name: remove_kinds
DELETE FROM tasktube_failure k WHERE fingerprint = ANY(:ids)
AND (SELECT t.failure FROM tasktube_task t WHERE t.failure = k.fingerprint LIMIT 1) IS NULL

-- name: failed_hours
-- The whole hours since the failure, up to one more than a trend has.
least(CAST(floor(extract(epoch FROM statement_timestamp() - failed_at) / 3600) AS integer), 24)

-- name: failure_groups
-- Reads the index of failed tasks once. It reads one kind after the other, because PostgreSQL would read the whole table
-- for all kinds at once if it has not analyzed the table since the failures.
WITH RECURSIVE {used_kinds},
parts AS MATERIALIZED (
  SELECT used.failure, one.* FROM used CROSS JOIN LATERAL (
    SELECT state, tube_id, CAST(sum(tasks) AS bigint) AS tasks, max(last_at) AS last_at, max(sample) AS sample,
      string_agg(hours || ':' || tasks, ' ') AS trend
    FROM (
      SELECT state, tube_id, {failed_hours} AS hours, count(*) AS tasks, max(failed_at) AS last_at, max(id) AS sample
      FROM tasktube_task WHERE failure = used.failure GROUP BY state, tube_id, hours) by_hour
    GROUP BY state, tube_id) one
  WHERE used.failure IS NOT NULL),
totals AS (SELECT failure, sum(tasks) AS total FROM parts GROUP BY failure),
largest AS (
  (SELECT failure, total FROM totals ORDER BY total DESC, failure LIMIT :max)
  UNION SELECT failure, total FROM totals WHERE failure = ANY(:kinds))
SELECT p.failure, p.state, tube.name, p.tasks, p.last_at, p.sample, k.type, k.frame, k.message, k.first_at, p.trend
FROM largest JOIN parts p ON p.failure = largest.failure JOIN tasktube_tube tube ON tube.id = p.tube_id
LEFT JOIN tasktube_failure k ON k.fingerprint = p.failure
ORDER BY largest.total DESC, p.failure, p.state, tube.name

-- --------------------------------------------------------------------------------------------------------- Servers

-- name: register_node
INSERT INTO tasktube_node (name, seen_at) VALUES (:name, statement_timestamp()) RETURNING id

-- name: seen
UPDATE tasktube_node SET seen_at = statement_timestamp() WHERE id = :node AND NOT dead

-- name: peers
SELECT id, name, seen_at, seen_at < (statement_timestamp()
  + -(CASE WHEN name = :name THEN CAST(:own_timeout AS bigint) ELSE CAST(:timeout AS bigint) END)
    * INTERVAL '1 millisecond'), dead FROM tasktube_node

-- name: servers
-- The servers with the tasks that they hold, and their sessions that hold tasks or are registered. The caller gives the
-- ids of all tubes, because a join might read the whole table.
SELECT n.id, n.name, n.seen_at, statement_timestamp(), n.dead, COALESCE(h.tasks, 0), COALESCE(h.sessions, 0)
FROM tasktube_node n LEFT JOIN (
  SELECT node, sum(tasks) AS tasks, count(DISTINCT session) AS sessions FROM (
    SELECT node, session, count(*) AS tasks FROM tasktube_task
      WHERE tube_id = ANY(:tubes) AND state = 't' GROUP BY node, session
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
-- The caller gives the ids of all tubes, because a join might read the whole table.
SELECT t.tube_id, t.id, t.session, t.token, t.node,
  EXISTS (SELECT 1 FROM tasktube_node n WHERE n.id = t.node AND NOT n.dead),
  EXISTS (SELECT 1 FROM tasktube_session s WHERE s.session = t.session)
FROM tasktube_task t WHERE t.tube_id = ANY(:tubes) AND t.state = 't'

-- name: taken_by_session
{taken} AND t.session = :session

-- name: lock_taken
SELECT id, token FROM tasktube_task WHERE id = ANY(:ids) AND token IS NOT NULL ORDER BY id FOR UPDATE SKIP LOCKED

-- name: release_taken
UPDATE tasktube_task SET state = 'r', event_at = expires_at, {unheld} WHERE id = ANY(:ids)

-- name: adopt
UPDATE tasktube_task SET node = :node WHERE id = ANY(:ids)

-- -------------------------------------------------------------------------------------------------------- Sessions

-- name: session_limits
-- Another transaction may hang with the lock. A shorter limit of the connection stays. The database also ends this
-- transaction if its server hangs in it, so that others get the lock.
set_config('lock_timeout', CASE WHEN CAST(current_setting('lock_timeout') AS interval) BETWEEN '1ms' AND '5s'
  THEN current_setting('lock_timeout') ELSE '5s' END, TRUE),
set_config('idle_in_transaction_session_timeout', '10s', TRUE)

-- name: lock_session
-- Prevents other transactions from changing which servers have a session. The session's rows cannot be that lock,
-- because there may be none yet.
-- PostgreSQL evaluates the columns in their order, so that the limits count for this lock too.
SELECT {session_limits}, pg_advisory_xact_lock(hashtext('tasktube_session'), hashtext(:session_name))

-- name: try_lock_session
SELECT pg_try_advisory_xact_lock(hashtext('tasktube_session'), hashtext(:session_name)), {session_limits}

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
VALUES (:session, 0, (statement_timestamp() + CAST(:ttr AS bigint) * INTERVAL '1 millisecond'),
  CAST(:kept AS bigint), CAST(:owner AS varchar))

-- name: expired_sessions
SELECT session FROM tasktube_session WHERE expires_at <= statement_timestamp()

-- name: expire_session
-- Only if the time of the session is still over.
DELETE FROM tasktube_session WHERE session = :session AND node = 0 AND expires_at <= statement_timestamp()

-- ---------------------------------------------------------------------------------------------------------- Schema

-- name: lock_schema
SELECT pg_advisory_xact_lock(hashtext('tasktube_schema'))

-- name: no_limit_of_time
SET LOCAL statement_timeout TO 0

-- name: server_at_work
SELECT name FROM tasktube_node WHERE seen_at > statement_timestamp() - :silent * INTERVAL '1 millisecond' LIMIT 1

-- name: missing_rights
SELECT what FROM (
  SELECT 'table ' || t AS what, has_table_privilege(t, 'SELECT') AND has_table_privilege(t, 'INSERT')
    AND has_table_privilege(t, 'UPDATE') AND has_table_privilege(t, 'DELETE') AS allowed
  FROM unnest(ARRAY['tasktube_tube', 'tasktube_node', 'tasktube_session', 'tasktube_slot', 'tasktube_dirty',
    'tasktube_parked', 'tasktube_failure', 'tasktube_task', 'tasktube_flow', 'tasktube_audit', 'tasktube_operation',
    'tasktube_history']) t
  UNION ALL SELECT 'sequence tasktube_task_seq', has_sequence_privilege('tasktube_task_seq', 'USAGE')
  UNION ALL SELECT 'function tasktube_promote_heads',
    has_function_privilege('tasktube_promote_heads(integer)', 'EXECUTE')
  UNION ALL SELECT 'function tasktube_open', has_function_privilege('tasktube_open(integer)', 'EXECUTE')
  UNION ALL SELECT 'function tasktube_close', has_function_privilege('tasktube_close(integer)', 'EXECUTE')
  UNION ALL SELECT 'function tasktube_in_order',
    has_function_privilege('tasktube_in_order(anyelement)', 'EXECUTE')) r
WHERE NOT allowed

-- name: open_no_tube
SELECT tasktube_open(0)

-- name: schema_version
SELECT max(version) FROM tasktube_schema

-- ----------------------------------------------------------------------------------------------------- Flow of tasks

-- name: add_flow
-- A server writes its own rows only, so that no server waits for another one.
INSERT INTO tasktube_flow AS f (bucket, tube_id, node, puts, ends, failures)
SELECT floor((extract(epoch FROM statement_timestamp()) - CAST(:back AS bigint) / 1000.0) / 300), n.tube_id,
  CAST(:node AS integer), n.puts, n.ends, n.failures
FROM unnest(CAST(:tubes AS bigint[]), CAST(:puts AS bigint[]), CAST(:ends AS bigint[]), CAST(:failures AS bigint[]))
  n(tube_id, puts, ends, failures)
ON CONFLICT (bucket, tube_id, node) DO UPDATE SET puts = f.puts + EXCLUDED.puts, ends = f.ends + EXCLUDED.ends,
  failures = f.failures + EXCLUDED.failures

-- name: flow_clock
-- The number of the current bucket, and the time.
SELECT floor(extract(epoch FROM statement_timestamp()) / 300), statement_timestamp()

-- name: names_of_tubes
SELECT id, name FROM tasktube_tube ORDER BY name

-- name: flow
SELECT tube_id, bucket, sum(puts), sum(ends), sum(failures) FROM tasktube_flow
WHERE bucket >= :from AND bucket < :before AND tube_id = ANY(:tubes) GROUP BY tube_id, bucket

-- name: forget_flow
DELETE FROM tasktube_flow WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM tasktube_flow WHERE bucket < floor(extract(epoch FROM statement_timestamp()) / 300)::bigint - 300
  ORDER BY bucket LIMIT :max FOR UPDATE SKIP LOCKED))

-- ----------------------------------------------------------------------------------------------------------- Audit

-- name: add_audit
INSERT INTO tasktube_audit (done_at, who, needs, act, tube, task, filter_text, amount, reason, status, address, server)
VALUES (statement_timestamp(), :who, :needs, :act, CAST(:tube AS varchar), CAST(:task AS varchar), CAST(:filter AS varchar),
  CAST(:amount AS bigint), CAST(:reason AS varchar), :status, CAST(:address AS varchar), :server)

-- name: audit_columns
id, done_at, who, needs, act, tube, task, filter_text, amount, reason, status, address, server

-- name: audit
SELECT {audit_columns} FROM tasktube_audit WHERE id < :before ORDER BY id DESC LIMIT :max

-- name: audit_of_tube
SELECT {audit_columns} FROM tasktube_audit WHERE tube = :tube AND id < :before
AND (CAST(:who AS varchar) IS NULL OR who = CAST(:who AS varchar)) AND (CAST(:act AS varchar) IS NULL OR act = CAST(:act AS varchar))
ORDER BY tube DESC, id DESC LIMIT :max

-- name: audit_of_user
SELECT {audit_columns} FROM tasktube_audit WHERE who = :who AND id < :before
AND (CAST(:act AS varchar) IS NULL OR act = CAST(:act AS varchar))
ORDER BY who DESC, id DESC LIMIT :max

-- name: audit_of_act
SELECT {audit_columns} FROM tasktube_audit WHERE act = :act AND id < :before ORDER BY act DESC, id DESC LIMIT :max

-- name: old_audit
-- Reads the oldest rows only, so that its cost does not grow with the table. Rows that a clock ahead of this one
-- wrote are passed over: they would hide all later ones.
SELECT id FROM (
  SELECT id, done_at FROM tasktube_audit WHERE done_at <= statement_timestamp() ORDER BY id LIMIT :max) oldest
WHERE done_at < statement_timestamp() + -CAST(:retention AS bigint) * INTERVAL '1 millisecond'

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
VALUES (:id, :act, :filter, :reason, :by, statement_timestamp(), :expected)

-- name: operation
SELECT {operation_columns} FROM tasktube_operation WHERE id = :id

-- name: operations
SELECT {operation_columns} FROM tasktube_operation WHERE id < :before ORDER BY id DESC FETCH FIRST :max ROWS ONLY

-- name: lock_operation
-- Ends the transaction of the batch if its server hangs in it, so that another server goes on.
SELECT {operation_columns}, set_config('idle_in_transaction_session_timeout', '10s', TRUE) FROM tasktube_operation
WHERE id = :id AND state = 'r' FOR UPDATE

-- name: begin_operation
-- Fails by the unique column if another operation runs. An earlier one that has not begun goes first, but not before one
-- that runs: its start may have committed later.
UPDATE tasktube_operation SET state = 'r', running = true, started_at = COALESCE(started_at, statement_timestamp()), server = :server
WHERE id = :id AND state IN ('w', 'r')
AND (state = 'r' OR (SELECT min(id) FROM tasktube_operation WHERE ended_at IS NULL) = :id)

-- name: progress_of_operation
UPDATE tasktube_operation SET looked = looked + :looked, changed = changed + :changed, skipped = skipped + :skipped,
  place = :place, deferred = :deferred, server = :server WHERE id = :id

-- name: end_operation
UPDATE tasktube_operation SET state = :state, running = NULL, ended_at = statement_timestamp(),
  cancelled_by = CAST(:by AS varchar), error = CAST(:error AS varchar) WHERE id = :id AND ended_at IS NULL

-- name: old_operations
SELECT id FROM tasktube_operation WHERE ended_at < statement_timestamp() + -CAST(:retention AS bigint) * INTERVAL '1 millisecond' ORDER BY id FETCH FIRST :max ROWS ONLY

-- name: remove_operations
DELETE FROM tasktube_operation WHERE id = ANY(:ids)

-- name: lock_for_operation
-- The tasks in the state that the operation has not changed yet, and that no other transaction has locked. The further
-- columns show whether a task has changed since it was read.
SELECT id, created_at, taken_count, buried_count FROM tasktube_task
WHERE tube_id = :tube AND id = ANY(:ids) AND state || '' = :from AND operation IS DISTINCT FROM :operation
ORDER BY id FOR UPDATE SKIP LOCKED

-- name: left_by_operation
SELECT id, state, operation = :operation FROM tasktube_task WHERE tube_id = :tube AND id = ANY(:ids)

-- name: kick_by_operation
UPDATE tasktube_task SET state = 'r', attempts = 0, blocked = (utube IS NOT NULL), operation = :operation
WHERE id = ANY(:ids) AND state || '' = :from

-- name: delete_by_operation
DELETE FROM tasktube_task WHERE id = ANY(:ids) AND state || '' = :from

-- name: bury_unheld_by_operation
UPDATE tasktube_task SET state = '!', event_at = expires_at, blocked = false, buried_count = buried_count + 1,
  operation = :operation WHERE id = ANY(:ids) AND state || '' = :from

-- name: release_all_by_operation
UPDATE tasktube_task SET state = 'r', event_at = expires_at, {unheld}, operation = :operation
WHERE id = ANY(:ids) AND state || '' = :from

-- ------------------------------------------------------------------------------------------------- Histories of tasks

-- name: holder_columns
session, server, bean, made_by

-- name: holder_values
CAST(:session AS uuid), CAST(:server AS varchar), CAST(:bean AS varchar), CAST(:made_by AS varchar)

-- name: put_move_columns
put_event, put_at, put_until, put_by, put_server

-- name: put_move_values
CAST(:event AS varchar), statement_timestamp(),
  (statement_timestamp() + CAST(:until_deadline AS bigint) * INTERVAL '1 millisecond'), CAST(:made_by AS varchar),
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
SELECT tube_id, id, statement_timestamp(), :event, CAST(:from_state AS char(1)), attempts, event_at, {history_values}
FROM tasktube_task WHERE id = ANY(:ids)
-- name: history_of_task
-- The order names all columns of the index, so that a plan for few rows uses it.
SELECT id, at, event, from_state, attempt, server, bean, session, made_by, until_at, failure, error_type, error_message,
  error_trace
FROM tasktube_history WHERE task_id = :task AND id > :after AND tube_id = :tube ORDER BY task_id, id LIMIT :max

-- name: first_move
SELECT parent_tube, parent_task FROM tasktube_history WHERE task_id = :task AND tube_id = :tube
ORDER BY task_id, id FETCH FIRST 1 ROW ONLY

-- name: put_is_shown
-- Until it is older than the retention.
(put_at >= statement_timestamp() - ({history_retention}) * INTERVAL '1 millisecond')

-- name: put_in_task
-- The put as the task's row has it. All columns are null if the row has none. No row means that the task is gone.
SELECT {put_move_columns}, {put_is_shown} AS shown FROM tasktube_task WHERE id = :task AND tube_id = :tube

-- name: put_of_removed
-- The put as the last move of a removed task has it. The condition is outside, so that only this move is read.
SELECT {put_move_columns}, {put_is_shown} AS shown FROM (
  SELECT {put_move_columns} FROM tasktube_history WHERE task_id = :task AND tube_id = :tube
  ORDER BY task_id DESC, id DESC FETCH FIRST 1 ROW ONLY) last_move
WHERE put_event IS NOT NULL

-- name: puts_of_task
SELECT tube_id, task_id, at FROM tasktube_history WHERE parent_task = :task AND parent_tube = :tube
ORDER BY parent_task, id LIMIT :max

-- name: next_history
-- The tube with the next number that has a history.
SELECT tube_id FROM tasktube_history WHERE tube_id > :after ORDER BY tube_id, id FETCH FIRST 1 ROW ONLY

-- name: history_retention
SELECT history_ms FROM tasktube_tube WHERE id = :tube

-- name: try_lock_history
-- One server at a time removes old moves of a tube.
SELECT pg_try_advisory_xact_lock('tasktube_history'::regclass::oid::integer, :tube)

-- name: old_history
-- Of the first moves of a tube, the last one that is older than the retention. Moves that a clock ahead of this
-- one wrote are passed over: they would hide all later ones.
SELECT max(id), count(*) FROM (
  SELECT id, at FROM tasktube_history WHERE tube_id = :tube AND at <= greatest(statement_timestamp(),
    statement_timestamp() + -CAST(:retention AS bigint) * INTERVAL '1 millisecond')
  ORDER BY tube_id, id LIMIT :max) moves
WHERE at < statement_timestamp() + -CAST(:retention AS bigint) * INTERVAL '1 millisecond'

-- name: remove_history
DELETE FROM tasktube_history WHERE tube_id = :tube AND id <= :upto AND at < statement_timestamp() + -CAST(:retention AS bigint) * INTERVAL '1 millisecond'

-- name: change_tube
UPDATE tasktube_tube SET pri = COALESCE(CAST(:pri AS integer), pri),
  ttl_ms = CASE WHEN CAST(:ttl AS bigint) IS NULL THEN ttl_ms ELSE nullif(CAST(:ttl AS bigint), 0) END,
  ttr_ms = CASE WHEN CAST(:ttr AS bigint) IS NULL THEN ttr_ms ELSE nullif(CAST(:ttr AS bigint), 0) END,
  delay_ms = COALESCE(CAST(:delay AS bigint), delay_ms), history = COALESCE(CAST(:history AS char(1)), history),
  history_ms = COALESCE(CAST(:history_ms AS bigint), history_ms), changes = changes + 1
WHERE id = :tube RETURNING pri, ttl_ms, ttr_ms, delay_ms, history, history_ms, changes
