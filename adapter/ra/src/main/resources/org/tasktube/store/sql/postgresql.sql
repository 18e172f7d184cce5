-- The statements and parts that only PostgreSQL has, or that it writes in another way than H2; common.sql has the others.
--
-- In the section "Answers", {change} is a statement that changes tasks, and {answer} is the list of columns that it
-- returns for each.

-- ---------------------------------------------------------------------------------------------------------- Parts

-- name: time
-- now() stands still in a transaction, and clock_timestamp() cannot use an index.
statement_timestamp()

-- name: oldest_transaction
-- Of those that keep dead rows in this database: the one that keeps the oldest. One that has written counts in each
-- database of the server. That of a vacuum counts in none.
SELECT holder, since, CAST(extract(epoch FROM {time} - since) * 1000 AS bigint), next_step FROM (
SELECT concat('process ', pid, ' of user ', usename, ', database ', datname, ', application "', application_name, '", at ',
  COALESCE(host(client_addr), 'a local socket'), ', ', state) AS holder, xact_start AS since,
  concat('end it by SELECT pg_terminate_backend(', pid, ')') AS next_step,
  greatest(age(backend_xid), age(backend_xmin)) AS held
FROM pg_stat_activity
WHERE (datname = current_database() OR backend_xid IS NOT NULL) AND pid <> pg_backend_pid()
AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL) AND pid NOT IN (SELECT pid FROM pg_stat_progress_vacuum)
UNION ALL
SELECT concat('the prepared transaction ', quote_literal(gid), ' of user ', owner, ', database ', database), prepared,
  'start its server, whose recovery ends it; if that server is gone, end it by COMMIT or ROLLBACK PREPARED, as the other'
  || ' database did', age(transaction)
FROM pg_prepared_xacts) all_of_them
WHERE since <= {time} - CAST(:at_least AS bigint) * INTERVAL '0.001' SECOND ORDER BY held DESC, since LIMIT 1

-- name: next_number
nextval('tasktube_task_seq')

-- name: of_tube
-- Locks the tasks in the order of their ids, as each statement does that changes many tasks. So no two of these wait
-- for each other. No index has all tasks of a tube, and three indexes together have them: without the branches, a drop
-- of an empty tube would read the tasks of all others.
id = ANY(ARRAY(SELECT id FROM tasktube_task WHERE tube_id = :tube AND id = ANY(ARRAY(
  SELECT id FROM tasktube_task WHERE tube_id = tasktube_in_order(:tube) AND state = 'r' AND NOT blocked
  UNION ALL SELECT id FROM tasktube_task WHERE tube_id = tasktube_in_order(:tube) AND blocked
  UNION ALL SELECT id FROM tasktube_task WHERE tube_id = tasktube_in_order(:tube) AND state <> 'r'))
  ORDER BY id FOR UPDATE))

-- name: millis_since
(extract(epoch FROM {time} - s.used_at) * 1000)

-- name: holding
holds

-- name: until_deadline
CAST(ceil(extract(epoch FROM event_at - {time}) * 1000) AS bigint)

-- -------------------------------------------------------------------------------------------------------- Answers

-- name: updated
{change} RETURNING {answer}

-- name: deleted
{change} RETURNING {answer}

-- name: updated_full
-- Also marks the sub-queues of the changed tasks as dirty, and adds a move to the history of each, in the same
-- statement.
WITH changed AS ({change} RETURNING {answer}, utube AS changed_utube, {kept_columns}),
{marked}, kept AS (INSERT INTO tasktube_history ({history_columns}) SELECT {kept_changed} FROM changed
  JOIN tasktube_tube t ON t.id = kept_tube AND {keeps})
SELECT * FROM changed

-- name: deleted_full
-- Also frees the slots of the removed tasks. A head that was the sole member of its sub-queue leaves no mark. The last
-- move of a removed task has its put, too.
WITH changed AS ({change} RETURNING {answer}, CASE WHEN blocked OR NOT sole_member THEN utube END AS changed_utube,
  {kept_removed_columns}),
{marked}, {freed}, {kept_of_removed}
SELECT * FROM changed

-- name: marked
marked AS (INSERT INTO tasktube_dirty (tube_id, utube)
  SELECT DISTINCT kept_tube, changed_utube FROM changed WHERE changed_utube IS NOT NULL AND CAST(:marks AS boolean))

-- name: freed
freed AS (INSERT INTO tasktube_slot (tube_id) SELECT kept_tube FROM changed
  JOIN tasktube_tube t ON t.id = kept_tube AND t.capacity IS NOT NULL)

-- name: kept_of_removed
kept AS (INSERT INTO tasktube_history ({removed_columns}) SELECT {kept_removed} FROM changed
  JOIN tasktube_tube t ON t.id = kept_tube AND {keeps})

-- name: kept_columns
tube_id AS kept_tube, id AS kept_task, attempts AS kept_attempt, event_at AS kept_until, state AS kept_state

-- name: kept_changed
kept_tube, kept_task, {time}, :event, CAST(:from_state AS char(1)), kept_attempt, kept_until,
  {history_values}

-- name: removed_columns
tube_id, task_id, at, event, from_state, attempt, {holder_columns}, put_key, {put_move_columns}

-- name: kept_removed_columns
{kept_columns}, put_key AS kept_key, put_event AS kept_put, put_at AS kept_put_at, put_until AS kept_put_until,
  put_by AS kept_put_by, put_server AS kept_put_server

-- name: kept_removed
kept_tube, kept_task, {time}, :event, kept_state, kept_attempt, {holder_values}, kept_key, kept_put, kept_put_at,
  kept_put_until, kept_put_by, kept_put_server

-- ---------------------------------------------------------------------------------------------------------- Tubes

-- name: create_tube
-- If another transaction is creating a tube of that name, this waits for its end. A failed insert would fail the
-- caller's whole transaction, so a conflict inserts nothing.
INSERT INTO tasktube_tube (name, type, pri, ttl_ms, ttr_ms, delay_ms, capacity, temporary, sub_queues, history, history_ms,
  strict_order, max_taken, max_rate, rate_ms, searchable, index_id)
VALUES (:name, :type, :pri, CAST(:ttl AS bigint), CAST(:ttr AS bigint), :delay, CAST(:capacity AS integer), :temporary,
  :sub_queues, :history, :history_ms, :strict_order, CAST(:max_taken AS integer), CAST(:max_rate AS integer),
  CAST(:rate_ms AS bigint), :searchable, CASE WHEN :searchable = '' THEN 0 ELSE {next_number} END)
ON CONFLICT (name) DO NOTHING RETURNING id, {mode_columns}, index_id

-- name: tube_is_open
-- Empty if the tube takes no puts: it is DRAINING, or does not exist, or a drop of it is under way.
SELECT id FROM tasktube_tube tube WHERE id = :tube AND {is_open}

-- name: set_mode
-- Returns no row if the tube has the mode already. Each change is later than the one before, even if the clock is set
-- back. So a server that reads two changes knows which is the latest.
UPDATE tasktube_tube SET mode = :mode, mode_by = :by, mode_reason = :reason,
  mode_at = greatest({time}, mode_at + INTERVAL '1 microsecond')
WHERE id = :tube AND mode <> :mode RETURNING {mode_columns}

-- name: try_lock_tube
SELECT pg_try_advisory_xact_lock('tasktube_tube'::regclass::oid::integer, :tube)

-- name: try_lock_promotion
SELECT pg_try_advisory_xact_lock('tasktube_dirty'::regclass::oid::integer, :tube)

-- name: close_tube
SELECT tasktube_close(:tube)

-- name: drop_tasks
-- How many of the tasks were TAKEN, also by a transaction that the lock has waited for.
WITH gone AS (DELETE FROM tasktube_task WHERE {of_tube} RETURNING state)
SELECT count(*) FROM gone WHERE state = 't'

-- name: add_slots
INSERT INTO tasktube_slot (tube_id) SELECT CAST(:tube AS integer) FROM generate_series(1, CAST(:count AS bigint)) n

-- name: add_seats
INSERT INTO tasktube_seat (tube_id, kind, n) SELECT CAST(:tube AS integer), CAST(:kind AS char(1)), g.n
FROM generate_series(1, CAST(:count AS integer)) g(n)
WHERE NOT EXISTS (SELECT 1 FROM tasktube_seat s WHERE s.tube_id = :tube AND s.kind = :kind AND s.n = g.n)

-- name: release_savepoint
-- What follows in the transaction is in no savepoint.
RELEASE SAVEPOINT before_seats

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

-- name: lock_orphans
SELECT id FROM tasktube_task WHERE id = ANY(ARRAY(
  (SELECT id FROM tasktube_task WHERE tube_id = ANY(:tubes) AND state = 'r' AND NOT blocked LIMIT :max)
  UNION ALL (SELECT id FROM tasktube_task WHERE tube_id = ANY(:tubes) AND blocked LIMIT :max)
  UNION ALL (SELECT id FROM tasktube_task WHERE tube_id = ANY(:tubes) AND state <> 'r' LIMIT :max)))
FETCH FIRST :max ROWS ONLY FOR UPDATE SKIP LOCKED

-- ------------------------------------------------------------------------------------------------------------ Put

-- name: put_values
fresh.id, fresh.id, tube.id, :state, CAST(:pri AS integer), {time},
  ({time} + CAST(:until_deadline AS bigint) * INTERVAL '1 millisecond'),
  ({time} + CAST(:until_expiry AS bigint) * INTERVAL '1 millisecond'), CAST(:ttr AS bigint),
  :content_type, :data, CAST(:headers AS varchar)

-- name: is_open
-- As tasktube_open, which runs only if another transaction has changed, locked or deleted the row that this statement
-- sees. A drop has the lock before it deletes the row, and until its commit. So after the lock, a row that no transaction
-- deletes or has deleted is there. PostgreSQL keeps the row while a statement sees it, and xmax is read where it is kept.
-- Because of the function, PostgreSQL takes the CASE for costly, and runs it last: for the one tube, and for no other.
tube.mode <> 'd' AND CASE
  WHEN NOT pg_try_advisory_xact_lock_shared('tasktube_tube'::regclass::oid::integer, tube.id) THEN false
  WHEN tube.xmax = '0'::xid THEN true ELSE tasktube_open(tube.id) END

-- name: one_plan
-- True, and quick. PostgreSQL plans a statement for each call, which takes longer than the call, while it expects that one
-- plan for all arguments would cost more than those so far did on average. That of a queue does so half of the time,
-- because it is costed for the pages that a burst has left. With an argument the subquery costs 20,000, for all arguments
-- 10. From 100,000 on PostgreSQL would compile the statement for each plan; the cost follows cpu_tuple_cost, which may be
-- four times its default. Its own condition is for a row that has changed while the statement waited: then PostgreSQL runs
-- all subqueries.
(pg_backend_pid() > 0 OR (SELECT FALSE
  FROM generate_series(1, CASE WHEN CAST(:tube AS integer) IS NULL THEN 0 ELSE 2000000 END) WHERE pg_backend_pid() < 0))

-- name: put_from
FROM (SELECT nextval('tasktube_task_seq') AS id) fresh, tasktube_tube tube
WHERE tube.id = :tube AND {is_open}

-- name: put
-- The fast path for a task with only data, headers and times. It reads the tube's row, so that no task is put into a dropped
-- tube. It takes no lock of that row, which all producers would share.
{put_plain} RETURNING id

-- name: ready_of_tube
t.tube_id = tasktube_in_order(:tube) AND t.state = 'r' AND NOT t.blocked

-- name: put_for
-- A put for a holder that waits: it is TAKEN at once, and needs no claim. If too many READY tasks come first, or
-- the tube is PAUSED, or the transaction reads by one snapshot, it is READY. That is asked once, because of OFFSET 0. Other transactions' puts that are not committed do not
-- count. The statement that takes a task of this put and the one that ends it are the same as after a claim.
-- The last column is how long the statement took, in microseconds: it reads the entries of removed tasks as well, as
-- long as an old snapshot of another transaction keeps them.
INSERT INTO tasktube_task ({put_for_columns}) SELECT {put_for_values} {put_for_from}
RETURNING {put_for_answer}

-- name: put_for_kept
-- The move of the put is in the task's row, as in put_kept. The move of the take is a row.
WITH put AS (INSERT INTO tasktube_task ({put_for_columns}, {put_move_columns})
  SELECT {put_for_values}, {put_move_values} {put_for_from} RETURNING id, state, event_at, xmin),
kept AS (INSERT INTO tasktube_history (tube_id, task_id, at, event, from_state, attempt, until_at, {holder_columns})
  SELECT :tube, id, {time}, :event, 'r', 1, event_at, CAST(:session AS uuid), CAST(:server AS varchar),
    CAST(:bean AS varchar), NULL FROM put WHERE state = 't')
SELECT {put_for_answer} FROM put

-- name: put_for_answer
-- The last column: whether it is in a savepoint, which has a number of its own.
id, state = 't', CAST(date_part('epoch', clock_timestamp() - {time}) * 1000000 AS bigint),
  xmin::text <> (pg_current_xact_id()::text::bigint % 4294967296)::text

-- name: put_for_values
fresh.id, fresh.id, tube.id, CASE WHEN line.free THEN 't' ELSE 'r' END,
  CASE WHEN line.free THEN CAST(:session AS uuid) END, CASE WHEN line.free THEN CAST(:token AS bigint) END,
  CASE WHEN line.free THEN CAST(:node AS integer) END, CASE WHEN line.free THEN {time} END,
  CASE WHEN line.free THEN 1 ELSE 0 END, CASE WHEN line.free THEN 1 ELSE 0 END, CAST(:pri AS integer), {time},
  ({time} + CASE WHEN line.free THEN CAST(:ttr AS bigint) ELSE CAST(:until_deadline AS bigint) END
    * INTERVAL '1 millisecond'),
  ({time} + CAST(:until_expiry AS bigint) * INTERVAL '1 millisecond'), CAST(:ttr AS bigint),
  :content_type, :data, CAST(:headers AS varchar)

-- name: put_for_from
FROM (SELECT nextval('tasktube_task_seq') AS id) fresh, tasktube_tube tube,
  LATERAL (SELECT tube.mode = 'o' AND {has_no_limit} AND current_setting('transaction_isolation') = 'read committed' AND {few_before} AS free
    OFFSET 0) line
WHERE tube.id = :tube AND {is_open} AND {one_plan}

-- name: put_kept
-- The move of the put is in the task's row, and goes into the history with the task's end. So the put is one insert.
INSERT INTO tasktube_task ({put_columns}, {put_move_columns})
SELECT {put_values}, {put_move_values} {put_from} RETURNING id

-- name: put_at_values
tube.id, :state, CAST(:pri AS integer), {time},
  ({time} + CAST(:until_deadline AS bigint) * INTERVAL '1 millisecond'),
  ({time} + CAST(:until_expiry AS bigint) * INTERVAL '1 millisecond'), CAST(:ttr AS bigint),
  CAST(:utube AS varchar), :blocked, CAST(:unique_key AS varchar), CAST(:unique_key AS varchar), :content_type, :data,
  CAST(:headers AS text)

-- name: order_of_fresh
fresh.id, COALESCE(CAST(:number AS bigint), CAST(:sign AS bigint) * fresh.id)

-- name: unless_there
-- Looks for the key first: ON CONFLICT waits for each transaction that changes the task of the key, as by a take, also if
-- the key stays.
AND ({id_by_key}) IS NULL ON CONFLICT (tube_id, live_key) WHERE live_key IS NOT NULL DO NOTHING

-- name: put_at
-- A task with a position, a sub-queue or a unique key. If a task of the key exists, nothing is inserted.
INSERT INTO tasktube_task ({put_at_columns}, {put_move_columns})
SELECT {order_of_fresh}, {put_at_values}, {put_move_values} {put_from} AND {one_plan} {unless_there}

-- name: new_ids
SELECT nextval('tasktube_task_seq') FROM generate_series(1, CAST(:count AS bigint)) n

-- name: put_many
-- Several tasks: one array for each column. The ids rise in the order of the tasks. A statement that goes on with the
-- tasks of another one does not ask again whether the tube takes puts: all are put or none.
INSERT INTO tasktube_task ({put_at_columns}, {put_move_columns})
SELECT {put_many_values}, n.event, CASE WHEN n.event IS NOT NULL THEN {time} END,
  CASE WHEN n.event IS NOT NULL THEN ({time} + n.until_deadline * INTERVAL '1 millisecond') END,
  CAST(:put_by AS varchar), CAST(:put_server AS varchar) {put_many_from}

-- name: put_many_values
n.id, COALESCE(n.number, n.sign * n.id), n.tube_id, n.state, n.pri, {time},
  ({time} + n.until_deadline * INTERVAL '1 millisecond'), ({time} + n.until_expiry * INTERVAL '1 millisecond'), n.ttr,
  n.utube, n.blocked, NULL, NULL, n.content_type, n.data, n.headers

-- name: put_many_from
FROM (SELECT nextval('tasktube_task_seq') AS id, open.id AS tube_id, each.* FROM (
    SELECT tube.id FROM tasktube_tube tube WHERE tube.id = :tube AND (:goes_on OR {is_open}) OFFSET 0) open,
  unnest(:events, :states, :pris, :numbers, :signs, :until_deadlines, :until_expiries, :ttrs, :utubes, :blocked,
    :content_types, :data, :headers)
  each(event, state, pri, number, sign, until_deadline, until_expiry, ttr, utube, blocked, content_type, data, headers)) n

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
  taken_at = {time}, event_at = ({time} + ttr_ms * INTERVAL '1 millisecond'),
  attempts = attempts + 1, taken_count = taken_count + 1
WHERE t.id = ANY(ARRAY(
  SELECT id FROM (SELECT id, sum(size) OVER (ORDER BY pri, ord, id) - size AS bytes_before FROM (
    SELECT id, pri, ord, octet_length(data) + coalesce(octet_length(headers), 0) AS size FROM tasktube_task
    WHERE (SELECT {gives} FROM tasktube_tube WHERE id = :tube)
    AND tube_id = tasktube_in_order(:tube) AND state = 'r' AND NOT blocked
    AND (pri, ord, id) > (:after_pri, :after_ord, :after_id)
    AND (expires_at IS NULL OR expires_at > {time}) AND {may_be_taken}
    ORDER BY pri, ord, id LIMIT :max FOR UPDATE SKIP LOCKED) first) sized
  WHERE bytes_before < :max_bytes)) AND {one_plan}

-- name: claim
{claim_change} {without_wait_for_disk}
RETURNING {claim_columns}

-- name: without_wait_for_disk
-- The commit of a claim for a bean need not wait for the disk. The log is in order, so a crash that undoes the claim
-- undoes the ack too: the task is READY again, as it is after the death of its server. The subquery runs once.
AND (NOT CAST(:need_not_be_on_disk AS boolean) OR (SELECT set_config('synchronous_commit', 'off', true)) IS NOT NULL)

-- name: claim_kept
WITH changed AS ({claim_change} {without_wait_for_disk}
RETURNING {claim_columns}, t.event_at AS kept_until),
{claim_move}

-- name: claim_move
kept AS (INSERT INTO tasktube_history (tube_id, task_id, at, event, from_state, attempt, until_at, {holder_columns})
  SELECT :tube, id, {time}, :event, CAST(:from_state AS char(1)), attempts, kept_until, {holder_values}
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

-- --------------------------------------------------------------------------- Transitions by id, and of many tasks

-- name: lock_buried
SELECT id FROM tasktube_task WHERE tube_id = tasktube_in_order(:tube) AND state = '!'
ORDER BY pri, ord, id LIMIT :max FOR UPDATE SKIP LOCKED

-- name: release_all
UPDATE tasktube_task SET state = 'r', {life_left}, {unheld}
WHERE id = ANY(ARRAY(SELECT id FROM tasktube_task WHERE tube_id = :tube AND state = 't' ORDER BY id FOR UPDATE))
AND token IS NOT NULL

-- name: session_end
UPDATE tasktube_task SET state = 'r', {life_left}, {unheld}
WHERE id = ANY(ARRAY(SELECT id FROM tasktube_task WHERE session = :session AND id = ANY(:ids) ORDER BY id FOR UPDATE))

-- name: truncate
-- The numbers only, because a tube can have millions of tasks.
WITH changed AS ({truncate_change} RETURNING utube AS changed_utube, {kept_removed_columns}),
{marked}, {freed}, {kept_of_removed}
SELECT kept_tube, kept_state, count(*) FROM changed GROUP BY kept_tube, kept_state

-- name: truncate_change
DELETE FROM tasktube_task WHERE {of_tube}

-- ----------------------------------------------------------------------------------------------------------- Sweep

-- name: next_deadline
SELECT {until_deadline} FROM tasktube_task WHERE event_at <= tasktube_in_order(CAST('infinity' AS timestamptz))
ORDER BY event_at FETCH FIRST 1 ROW ONLY

-- name: due
SELECT id, event_at FROM tasktube_task WHERE event_at <= tasktube_in_order({time})
AND event_at >= :swept_to AND (event_at > :swept_to OR id > :swept_id) ORDER BY event_at, id FETCH FIRST :max ROWS ONLY

-- name: lock_due
-- The condition on the time is an expression that no index serves, so that PostgreSQL searches by the ids, and not by
-- all due times.
SELECT id, tube_id, state, (date_part('epoch', {time} - event_at) * 1000)::bigint, followed
FROM tasktube_task WHERE id = ANY(:ids)
AND (event_at + 0 * INTERVAL '1 millisecond') <= {time} FOR UPDATE SKIP LOCKED

-- ----------------------------------------------------------------------------------------------------------- Reads

-- name: scan_newest
SELECT {scan_columns} FROM tasktube_task WHERE id < tasktube_in_order(CAST(:before AS bigint)) ORDER BY id DESC LIMIT :max

-- name: scan_indexed
SELECT f.task_id AS place, {scan_columns} FROM (
  SELECT task_id FROM tasktube_field WHERE index_id = tasktube_in_order(:index) AND hash = :hash AND task_id < :before
  ORDER BY index_id DESC, hash DESC, task_id DESC LIMIT :max) f
LEFT JOIN LATERAL (SELECT * FROM tasktube_task WHERE id = f.task_id AND tube_id = :tube OFFSET 0) t ON true
ORDER BY f.task_id DESC

-- name: add_missing_fields
{add_fields} ON CONFLICT DO NOTHING

-- name: next_transaction
-- The number of this transaction. All that have written before have smaller ones.
SELECT CAST(CAST(pg_current_xact_id() AS text) AS bigint)

-- name: earlier_have_ended
-- Whether no transaction of a smaller number is open. If the database was restored, there is none of that number yet.
SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint) >= :number
OR CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text) AS bigint) <= :number

-- name: tasks_to_index
SELECT id, tube_id, octet_length(data) AS size FROM tasktube_task
WHERE id > tasktube_in_order(:place) AND id <= :upto ORDER BY id LIMIT :max

-- name: old_fields
-- The next rows of all indexes in their order, and whether a search can still need each. A row comes with its task, so
-- the same snapshot has both or none.
SELECT f.index_id, f.hash, f.task_id, t.id IS NULL OR NOT EXISTS (
    SELECT 1 FROM tasktube_tube u WHERE u.id = t.tube_id AND u.index_id = f.index_id) AS old
FROM (SELECT index_id, hash, task_id FROM tasktube_field WHERE index_id >= tasktube_in_order(:index)
  AND (index_id, hash, task_id) > (:index, :hash, :task) ORDER BY index_id, hash, task_id LIMIT :max) f
LEFT JOIN LATERAL (SELECT id, tube_id FROM tasktube_task WHERE id = f.task_id
  UNION ALL SELECT id, tube_id FROM tasktube_temporary WHERE id = f.task_id OFFSET 0) t ON true

-- name: scan_of_kind
SELECT {scan_columns} FROM tasktube_task WHERE failure = tasktube_in_order(:failure) AND state = CAST(:state AS char(1)) AND id > :after
ORDER BY id LIMIT :max

-- name: scan_failed
SELECT {scan_columns} FROM tasktube_task WHERE failure >= tasktube_in_order(:failure)
AND (failure, state, id) > (:failure, CAST(:state AS char(1)), :after) ORDER BY failure, state, id LIMIT :max

-- name: count_ready
-- One index lookup per tube, because PostgreSQL takes many tubes for most of the table.
SELECT few.tube, 'r', count(*) FROM (SELECT t.tube FROM unnest(CAST(:tubes AS integer[])) AS t (tube) CROSS JOIN LATERAL (
  SELECT id FROM tasktube_task WHERE tube_id = tasktube_in_order(t.tube) AND state = 'r' AND NOT blocked LIMIT :max) one
  LIMIT :max) few GROUP BY few.tube

-- name: count_blocked
SELECT few.tube, 'r', count(*) FROM (SELECT t.tube FROM unnest(CAST(:tubes AS integer[])) AS t (tube) CROSS JOIN LATERAL (
  SELECT id FROM tasktube_task WHERE tube_id = tasktube_in_order(t.tube) AND blocked LIMIT :max) one
  LIMIT :max) few GROUP BY few.tube

-- name: count_in_state
SELECT few.tube, CAST(:state AS char(1)), count(*) FROM (SELECT t.tube FROM unnest(CAST(:tubes AS integer[])) AS t (tube) CROSS JOIN LATERAL (
  SELECT id FROM tasktube_task WHERE tube_id = tasktube_in_order(t.tube) AND state <> 'r' AND state = CAST(:state AS char(1))
  LIMIT :max) one LIMIT :max) few GROUP BY few.tube

-- name: counts
-- Each task is in one of three indexes, which have a sixth of the table's pages. Their columns are enough.
SELECT tube_id, state, CAST(SUM(tasks) AS bigint) FROM (
  SELECT tube_id, 'r' AS state, count(*) AS tasks FROM tasktube_task WHERE state = 'r' AND NOT blocked GROUP BY tube_id
  UNION ALL SELECT tube_id, 'r', count(*) FROM tasktube_task WHERE blocked GROUP BY tube_id
  UNION ALL SELECT tube_id, state, count(*) FROM tasktube_task WHERE state <> 'r' GROUP BY tube_id, state) each
GROUP BY tube_id, state

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
-- Another open transaction has locked the row, or is changing it: xmax is its number, which it holds a lock on. Several
-- that share a lock have a number of another kind, which can be greater than any number of a transaction.
t.xmax::text IS DISTINCT FROM (pg_current_xact_id_if_assigned()::text::bigint % 4294967296)::text AND t.xmax IN (
  SELECT transactionid FROM pg_locks WHERE locktype = 'transactionid' AND mode = 'ExclusiveLock' AND granted)

-- name: situation_columns
{scan_columns}, holds, blocked AS is_blocked, COALESCE(expires_at <= {time}, false) AS is_over,
({is_locked}) AS is_locked, (SELECT name FROM tasktube_node n WHERE n.id = t.node) AS server

-- name: locker
-- The session that has locked a task. Several that share a lock have another number, and are not found. A user of the
-- database sees the sessions of the same user.
SELECT a.pid, host(a.client_addr), a.xact_start, a.state LIKE 'idle%'
FROM tasktube_task t JOIN pg_locks l ON l.transactionid = t.xmax JOIN pg_stat_activity a ON a.pid = l.pid
WHERE t.id = :id AND t.tube_id = :tube AND l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' AND l.granted
  AND a.xact_start IS NOT NULL

-- name: ready_before
SELECT id FROM tasktube_task
WHERE tube_id = tasktube_in_order(:tube) AND state = 'r' AND NOT blocked AND (pri, ord, id) < (:pri, :ord, :id) AND {living}
ORDER BY pri, ord, id LIMIT :max

-- name: blocked_before
SELECT id FROM tasktube_task
WHERE tube_id = tasktube_in_order(:tube) AND utube = :utube AND blocked AND (pri, ord, id) < (:pri, :ord, :id) AND {living}
ORDER BY pri, ord, id LIMIT :max

-- name: head_of_sub_queue
SELECT {situation_columns} FROM tasktube_task t WHERE id = (
  SELECT id FROM tasktube_task WHERE tube_id = :tube AND utube = :utube AND state IN ('r', 't') AND NOT blocked
  UNION ALL SELECT id FROM tasktube_task WHERE (SELECT strict_order FROM tasktube_tube WHERE id = :tube)
    AND tube_id = :tube AND utube = :utube AND holds LIMIT 1)

-- name: holders
SELECT DISTINCT node FROM (
  SELECT node FROM tasktube_task WHERE tube_id = tasktube_in_order(:tube) AND state <> 'r' AND state = 't'
  ORDER BY pri, ord, id LIMIT :max) held

-- name: oldest_ready
-- Three index lookups per tube and priority: one for the next priority, and two for its first tasks. Urgent tasks are
-- below 0 in the order of put, the oldest of them last. A scalar subquery or LATERAL with LIMIT is one index lookup.
-- A tube with sub-queues has one more lookup for each head that is TAKEN: the task behind it.
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
SELECT DISTINCT ON (first.name) first.name, first.id, first.created_at, {time} FROM (
SELECT p.name, oldest.id, oldest.created_at
FROM priorities p CROSS JOIN LATERAL (
  (SELECT id, created_at FROM tasktube_task
    WHERE tube_id = tasktube_in_order(p.tube_id) AND state = 'r' AND NOT blocked AND pri = p.pri AND ord >= 0 AND {living}
    ORDER BY pri, ord, id LIMIT 1)
  UNION ALL (SELECT id, created_at FROM tasktube_task
    WHERE tube_id = tasktube_in_order(p.tube_id) AND state = 'r' AND NOT blocked AND pri = p.pri AND ord < 0 AND {living}
    ORDER BY pri DESC, ord DESC, id DESC LIMIT 1)) oldest
WHERE p.pri IS NOT NULL
UNION ALL SELECT tube.name, behind.id, behind.created_at FROM tasktube_tube tube
CROSS JOIN LATERAL (SELECT utube FROM tasktube_task
  WHERE tube_id = tasktube_in_order(tube.id) AND state = 't' AND utube IS NOT NULL
  ORDER BY tube_id, state, pri, ord, id LIMIT :most_taken) head
CROSS JOIN LATERAL (SELECT id, created_at FROM tasktube_task
  WHERE tube_id = tasktube_in_order(tube.id) AND utube = head.utube AND blocked AND {living}
  ORDER BY tube_id, utube, pri, ord, id LIMIT 1) behind
WHERE tube.sub_queues) first
ORDER BY first.name, first.created_at, first.id

-- name: poll
-- One reading of all that other servers may have changed. A scalar subquery is one index lookup per tube. EXISTS would
-- become a join over all ready tasks. A parked sub-queue can be promoted if its task is no longer locked, or no longer
-- exists.
SELECT id, id = ANY(:takers) AND mode <> 'p' AND ((
  SELECT id FROM tasktube_task WHERE tube_id = tasktube_in_order(t.id) AND state = 'r' AND NOT blocked
  AND (expires_at IS NULL OR expires_at > {time})
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
{mode_columns}, {news_columns}
FROM tasktube_tube t WHERE id = ANY(:takers) OR id = ANY(:putters) OR mode <> 'o'

-- -------------------------------------------------------------------------------------------------- Kinds of failures

-- name: insert_kind
INSERT INTO tasktube_failure (fingerprint, type, cause, frame, message, first_at)
VALUES (:failure, :type, :cause, :frame, :message, {time}) ON CONFLICT (fingerprint) DO NOTHING

-- name: restore_kind
INSERT INTO tasktube_failure (fingerprint, type, cause, frame, message, first_at)
VALUES (:failure, :type, :cause, :frame, :message, :first_at) ON CONFLICT (fingerprint) DO NOTHING

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

-- name: kinds_after
-- Returns whether a check has marked the kind as unused, whether a task has it, and whether its time is over. A scalar
-- subquery is one index lookup per kind.
SELECT fingerprint, unused_since IS NOT NULL,
  (SELECT t.failure FROM tasktube_task t WHERE t.failure = k.fingerprint LIMIT 1) IS NOT NULL
    OR (SELECT t.failure FROM tasktube_temporary t WHERE t.failure = k.fingerprint LIMIT 1) IS NOT NULL,
  COALESCE(unused_since <= {time} + -CAST(:retention AS bigint) * INTERVAL '1 millisecond', false)
FROM tasktube_failure k WHERE fingerprint > :after ORDER BY fingerprint LIMIT :max

-- name: remove_kinds
DELETE FROM tasktube_failure k WHERE fingerprint = ANY(:ids)
AND (SELECT t.failure FROM tasktube_task t WHERE t.failure = k.fingerprint LIMIT 1) IS NULL
AND (SELECT t.failure FROM tasktube_temporary t WHERE t.failure = k.fingerprint LIMIT 1) IS NULL

-- name: failed_hours
-- The whole hours since the failure, up to one more than a trend has.
least(CAST(floor(extract(epoch FROM {time} - failed_at) / 3600) AS integer), 24)

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
SELECT p.failure, p.state, tube.name, p.tasks, p.last_at, p.sample, k.type, k.cause, k.frame, k.message, k.first_at, p.trend
FROM largest JOIN parts p ON p.failure = largest.failure JOIN tasktube_tube tube ON tube.id = p.tube_id
LEFT JOIN tasktube_failure k ON k.fingerprint = p.failure
ORDER BY largest.total DESC, p.failure, p.state, tube.name

-- --------------------------------------------------------------------------------------------------------- Servers

-- name: mode_micros
CAST(extract(epoch FROM mode_at) * 1000000 AS bigint)

-- name: beat
WITH beat AS ({seen} RETURNING {peer_columns})
SELECT *, TRUE FROM beat UNION ALL {others_than_beat}

-- name: try_lock_slots
SELECT 1 WHERE pg_try_advisory_xact_lock(hashtext('tasktube_slot'))

-- name: tasks_of_tube
-- One part per index.
(SELECT count(*) FROM tasktube_task k WHERE k.tube_id = t.id AND k.state = 'r' AND NOT k.blocked)
  - (SELECT count(*) FROM tasktube_task k WHERE k.tube_id = t.id AND k.blocked)
  - (SELECT count(*) FROM tasktube_task k WHERE k.tube_id = t.id AND k.state <> 'r')

-- name: grow_temporary
-- A crash leaves the table without pages: see the same in schema-postgresql.sql.
INSERT INTO tasktube_temporary (id, tube_id, state, pri, ord, created_at, content_type, data)
SELECT -n, 0, 'r', 0, 0, {time}, 'none', decode(repeat('00', 1000), 'hex') FROM generate_series(1, 1000) n
WHERE (SELECT pg_relation_size('tasktube_temporary')) = 0 ON CONFLICT DO NOTHING

-- name: register_node
INSERT INTO tasktube_node (name, seen_at) VALUES (:name, {time}) RETURNING id

-- name: servers
-- The servers with the tasks that they hold, and their sessions that hold tasks or are registered. By the ids of all
-- tubes as an array, because a join might read the whole table.
SELECT n.id, n.name, n.seen_at, {time}, n.dead, COALESCE(h.tasks, 0), COALESCE(h.sessions, 0), n.stopped, n.released,
  n.released_at
FROM tasktube_node n LEFT JOIN (
  SELECT node, sum(tasks) AS tasks, count(DISTINCT session) AS sessions FROM (
    SELECT node, session, count(*) AS tasks FROM tasktube_task
      WHERE tube_id = ANY(ARRAY(SELECT id FROM tasktube_tube)) AND state = 't' GROUP BY node, session
    UNION ALL SELECT node, session, count(*) AS tasks FROM tasktube_temporary
      WHERE tube_id = ANY(ARRAY(SELECT id FROM tasktube_tube)) AND state = 't' GROUP BY node, session
    UNION ALL SELECT node, session, 0 FROM tasktube_session WHERE node <> 0) held
  GROUP BY node) h ON h.node = n.id
WHERE released_at IS NULL OR {is_recent}
ORDER BY n.id

-- name: taken
-- By the ids of all tubes as an array, because a join might read the whole table.
SELECT t.tube_id, t.id, t.session, t.token, t.node,
  EXISTS (SELECT 1 FROM tasktube_node n WHERE n.id = t.node AND NOT n.dead),
  EXISTS (SELECT 1 FROM tasktube_session s WHERE s.session = t.session)
FROM tasktube_task t WHERE t.tube_id = ANY(ARRAY(SELECT id FROM tasktube_tube)) AND t.state = 't'

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

-- ---------------------------------------------------------------------------------------------------------- Schema

-- name: lock_schema
SELECT pg_advisory_xact_lock(hashtext('tasktube_schema'))

-- name: no_limit_of_time
SET LOCAL statement_timeout TO 0

-- name: server_at_work
SELECT name FROM tasktube_node WHERE seen_at > {time} - :silent * INTERVAL '1 millisecond' LIMIT 1

-- name: missing_rights
SELECT what FROM (
  SELECT 'table ' || t AS what, has_table_privilege(t, 'SELECT') AND has_table_privilege(t, 'INSERT')
    AND has_table_privilege(t, 'UPDATE') AND has_table_privilege(t, 'DELETE') AS allowed
  FROM unnest(ARRAY['tasktube_tube', 'tasktube_node', 'tasktube_session', 'tasktube_slot', 'tasktube_seat', 'tasktube_key', 'tasktube_after', 'tasktube_progress', 'tasktube_dirty',
    'tasktube_parked', 'tasktube_failure', 'tasktube_task', 'tasktube_temporary', 'tasktube_flow', 'tasktube_audit', 'tasktube_operation',
    'tasktube_history', 'tasktube_field', 'tasktube_login', 'tasktube_changed', 'tasktube_log', 'tasktube_schedule']) t
  UNION ALL SELECT 'sequence tasktube_task_seq', has_sequence_privilege('tasktube_task_seq', 'USAGE')
  UNION ALL SELECT 'function tasktube_promote_heads',
    has_function_privilege('tasktube_promote_heads(integer)', 'EXECUTE')
  UNION ALL SELECT 'function tasktube_promote_temporary',
    has_function_privilege('tasktube_promote_temporary(integer)', 'EXECUTE')
  UNION ALL SELECT 'function tasktube_open', has_function_privilege('tasktube_open(integer)', 'EXECUTE')
  UNION ALL SELECT 'function tasktube_close', has_function_privilege('tasktube_close(integer)', 'EXECUTE')
  UNION ALL SELECT 'function tasktube_in_order',
    has_function_privilege('tasktube_in_order(anyelement)', 'EXECUTE')) r
WHERE NOT allowed

-- name: sequences_behind
-- The sequences that would give numbers that rows have had: the rows were copied without them. marks_from and marks_upto
-- are of marks that are gone. The tasks are only looked at if another one is behind. Of an identity column the datasource's user may not know the last number.
SELECT name, top, known, known AND has_sequence_privilege(name, 'UPDATE') AS can_raise FROM (
  SELECT name, top, has_sequence_privilege(name, 'USAGE, SELECT') AS known FROM (
    SELECT 'tasktube_task_seq' AS name, CASE WHEN CAST(:tasks AS boolean) THEN (SELECT max(id) FROM tasktube_task) END AS top
    UNION ALL SELECT pg_get_serial_sequence('tasktube_tube', 'id'), (SELECT max(id) FROM tasktube_tube)
    UNION ALL SELECT pg_get_serial_sequence('tasktube_node', 'id'), (SELECT max(id) FROM tasktube_node)
    UNION ALL SELECT pg_get_serial_sequence('tasktube_audit', 'id'), (SELECT max(id) FROM tasktube_audit)
    UNION ALL SELECT pg_get_serial_sequence('tasktube_dirty', 'id'),
      (SELECT GREATEST(max(marks_from) - 1, max(marks_upto)) FROM tasktube_tube)) s) s
WHERE top > CASE WHEN known THEN COALESCE(pg_sequence_last_value(CAST(name AS regclass)), 0) ELSE 0 END

-- name: raise_sequence
SELECT setval(CAST(:name AS regclass), CAST(:top AS bigint))

-- name: read_all_marks
UPDATE tasktube_tube SET marks_from = 0, marks_upto = 0, marks_end = NULL
WHERE id = ANY(ARRAY(SELECT id FROM tasktube_tube WHERE marks_upto > 0 OR marks_from > 0 FOR NO KEY UPDATE SKIP LOCKED))

-- name: functions_elsewhere
-- The functions that find other tables: they have kept the search path of their creation, and their schema was renamed.
-- The CASE sets that path first. The name in two parts is not qualified.
SELECT f.proname || ', search path ' || f.path FROM (
  SELECT p.proname, substr(c, 13) AS path,
    CASE WHEN set_config('search_path', substr(c, 13), true) IS NOT NULL THEN to_regclass('tasktube' || '_task') END AS found
  FROM pg_proc p CROSS JOIN unnest(p.proconfig) c
  WHERE p.pronamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'tasktube_task'::regclass)
  AND p.proname LIKE 'tasktube%' AND c LIKE 'search_path=%' OFFSET 0) f
WHERE f.found IS DISTINCT FROM 'tasktube_task'::regclass

-- ----------------------------------------------------------------------------------------------------- Flow of tasks

-- name: add_flow
-- A server writes its own rows only, so that no server waits for another one.
INSERT INTO tasktube_flow AS f (bucket, tube_id, node, puts, ends, failures)
SELECT floor((extract(epoch FROM {time}) - CAST(:back AS bigint) / 1000.0) / 300), n.tube_id,
  CAST(:node AS integer), n.puts, n.ends, n.failures
FROM unnest(CAST(:tubes AS bigint[]), CAST(:puts AS bigint[]), CAST(:ends AS bigint[]), CAST(:failures AS bigint[]))
  n(tube_id, puts, ends, failures)
ON CONFLICT (bucket, tube_id, node) DO UPDATE SET puts = f.puts + EXCLUDED.puts, ends = f.ends + EXCLUDED.ends,
  failures = f.failures + EXCLUDED.failures

-- name: flow_clock
-- The number of the current bucket, and the time.
SELECT floor(extract(epoch FROM {time}) / 300), {time}

-- name: flow
SELECT tube_id, bucket, sum(puts), sum(ends), sum(failures) FROM tasktube_flow
WHERE bucket >= :from AND bucket < :before AND tube_id = ANY(:tubes) GROUP BY tube_id, bucket

-- name: forget_flow
DELETE FROM tasktube_flow WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM tasktube_flow WHERE bucket < floor(extract(epoch FROM {time}) / 300)::bigint - 300
  ORDER BY bucket LIMIT :max FOR UPDATE SKIP LOCKED))

-- ------------------------------------------------------------------------------------------------------ Operations

-- name: ack_unlocked
-- The acks of several takings, each task with the token of its own. Without the locks before, which are half of the log,
-- the rows would be deleted in the order of the table, and deadlock with others that lock them by id.
DELETE FROM tasktube_task WHERE id = ANY(ARRAY(SELECT id FROM tasktube_task
  WHERE tube_id = :tube AND session = :session AND id = ANY(:ids)
  AND token = (CAST(:tokens AS bigint[]))[array_position(CAST(:ids AS bigint[]), id)] AND NOT followed AND {one_plan}
  ORDER BY id FOR UPDATE SKIP LOCKED))

-- name: lock_operation
-- Ends the transaction of the batch if its server hangs in it, so that another server goes on.
SELECT {operation_columns}, set_config('idle_in_transaction_session_timeout', '10s', TRUE) FROM tasktube_operation
WHERE id = :id AND state = 'r' AND node = :node FOR UPDATE

-- ------------------------------------------------------------------------------------------------- Histories of tasks

-- name: put_move_values
-- Without an event, the task's row has no move.
CAST(:put_event AS varchar), CASE WHEN CAST(:put_event AS varchar) IS NOT NULL THEN {time} END,
  CASE WHEN CAST(:put_event AS varchar) IS NOT NULL
    THEN ({time} + CAST(:until_deadline AS bigint) * INTERVAL '1 millisecond') END,
  CAST(:put_by AS varchar), CAST(:put_server AS varchar)

-- name: put_of_removed
-- The put as the last move of a removed task has it. The condition is outside, so that only this move is read.
SELECT {put_move_columns}, {put_is_shown} AS shown FROM (
  SELECT {put_move_columns} FROM tasktube_history WHERE task_id = :task AND tube_id = :tube
  ORDER BY task_id DESC, id DESC FETCH FIRST 1 ROW ONLY) last_move
WHERE put_event IS NOT NULL

-- name: try_lock_history
-- One server at a time removes old moves of a tube.
SELECT pg_try_advisory_xact_lock('tasktube_history'::regclass::oid::integer, :tube)

-- name: change_tube
UPDATE tasktube_tube SET pri = COALESCE(CAST(:pri AS integer), pri),
  ttl_ms = CASE WHEN CAST(:ttl AS bigint) IS NULL THEN ttl_ms ELSE nullif(CAST(:ttl AS bigint), 0) END,
  ttr_ms = CASE WHEN CAST(:ttr AS bigint) IS NULL THEN ttr_ms ELSE nullif(CAST(:ttr AS bigint), 0) END,
  delay_ms = COALESCE(CAST(:delay AS bigint), delay_ms), history = COALESCE(CAST(:history AS char(1)), history),
  history_ms = COALESCE(CAST(:history_ms AS bigint), history_ms),
  {new_limits}, changes = changes + 1, {new_index}
WHERE id = :tube RETURNING {changed_columns}

-- name: notify
-- Its commit needs no place on the disk: a text is lost with the database anyway. All commits with a NOTIFY on all
-- databases share a lock, for which this one waits a moment only.
SELECT set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '100ms', true), pg_notify(:channel, :text)

-- ------------------------------------------------------------------------------------------------------- Schedules

-- name: bytes
bytea

-- name: unless_asked
ON CONFLICT (task_id, cancels) DO NOTHING

-- name: write_progress
INSERT INTO tasktube_progress (task_id, cancels, done, total, note, at)
VALUES (:id, FALSE, :done, :total, :note, {time}) ON CONFLICT (task_id, cancels)
DO UPDATE SET done = EXCLUDED.done, total = EXCLUDED.total, note = EXCLUDED.note, at = EXCLUDED.at

-- name: unless_kept
ON CONFLICT (tube_id, unique_key) DO NOTHING

-- name: unless_scheduled
ON CONFLICT (name) DO NOTHING
