-- The statements that are the same in H2 and in PostgreSQL, and their parts. A database's own file has the others, and
-- the parts {time} and {next_number}, which each database writes in its own way.
--
-- :name is a parameter. {name} includes the statement of that name. A guarded change has all conditions on the task in
-- its WHERE. The returned rows are the answer: no row means that a condition was not met.

-- ---------------------------------------------------------------------------------------------------------- Parts

-- name: unheld
session = NULL, token = NULL, node = NULL, taken_at = NULL

-- name: in_tube
-- Beside an id. H2 may take the tube for as rare as the id while it has few tasks, and keeps that plan for many.
tube_id + 0 = :tube

-- name: held
-- The same taking holds the task. A task with a session is TAKEN, by a CHECK constraint. With a condition on the state,
-- PostgreSQL could read all TAKEN tasks of the tube, and the dead entries of former ones. By the id it reads one.
WHERE id = :id AND {in_tube} AND session = :session AND token = :token AND {one_plan}

-- name: in_state
-- The one task, if it is in the state. The condition is an expression that no index serves, for the reason given at
-- held.
WHERE id = :id AND {in_tube} AND state || '' = :from

-- name: mode_columns
mode, mode_by, mode_at, mode_reason

-- name: task_columns
id, state, pri, attempts, token, utube, content_type, data, headers

-- name: gives
-- A server that does not know of a limit yet takes nothing.
mode <> 'p' AND (max_taken IS NOT NULL) = CAST(:has_most AS boolean) AND (max_rate IS NOT NULL) = CAST(:has_rate AS boolean)

-- name: has_no_limit
max_taken IS NULL AND max_rate IS NULL

-- name: new_limits
-- A change has 0 for no limit.
strict_order = COALESCE(CAST(:strict_order AS boolean), strict_order),
max_taken = NULLIF(COALESCE(CAST(:max_taken AS integer), max_taken), 0),
max_rate = NULLIF(COALESCE(CAST(:max_rate AS integer), max_rate), 0),
rate_ms = NULLIF(COALESCE(CAST(:rate_ms AS bigint), rate_ms), 0)

-- ---------------------------------------------------------------------------------------------------------- Tubes

-- name: mode
SELECT {mode_columns} FROM tasktube_tube WHERE id = :tube

-- name: drop_tube
DELETE FROM tasktube_tube WHERE id = :tube

-- name: drop_marks
DELETE FROM tasktube_dirty WHERE tube_id = :tube

-- name: drop_parked
DELETE FROM tasktube_parked WHERE tube_id = :tube

-- name: drop_seats
DELETE FROM tasktube_seat WHERE tube_id = :tube

-- name: drop_slots
DELETE FROM tasktube_slot WHERE tube_id = :tube

-- ------------------------------------------------------------------------------------------- Rows of dropped tubes

-- name: tube_ids
SELECT id FROM tasktube_tube

-- name: empty_temporary
-- In one statement, so that it removes no task that a server puts which comes up at the same time.
DELETE FROM tasktube_temporary WHERE NOT EXISTS (SELECT 1 FROM tasktube_node WHERE NOT dead AND name <> :name)

-- name: remove_growth
DELETE FROM tasktube_temporary WHERE tube_id = 0

-- name: lacking_slots
-- A put takes a slot and adds a task in one transaction, so that one snapshot has the same sum of both at each time. H2
-- has no snapshot of both.
SELECT id, slots FROM (SELECT t.id, t.capacity - (SELECT count(*) FROM tasktube_slot s WHERE s.tube_id = t.id)
  - {tasks_of_tube} AS slots
  FROM tasktube_tube t WHERE t.temporary = :temporary AND t.capacity IS NOT NULL) lacking WHERE slots <> 0

-- name: remove_orphans
DELETE FROM tasktube_task WHERE id = ANY(:ids)

-- name: remove_orphan_marks
DELETE FROM tasktube_dirty WHERE tube_id = ANY(:tubes)

-- name: remove_orphan_parked
DELETE FROM tasktube_parked WHERE tube_id = ANY(:tubes)

-- name: remove_orphan_slots
DELETE FROM tasktube_slot WHERE tube_id = ANY(:tubes)

-- ---------------------------------------------------------------------------------------------------------- Seats

-- name: limit_of_kind
CASE WHEN :kind = 't' THEN u.max_taken ELSE u.max_rate END

-- name: is_in_use
-- The taking of the seat's task has not ended, or the seat's take is not longer ago than the period. So no end of a task
-- has to free a seat, and none stays in use.
CASE WHEN s.kind = 't' THEN EXISTS (SELECT 1 FROM tasktube_task t WHERE t.id = s.task_id AND t.token = s.token)
  ELSE COALESCE(s.used_at > ({time} + -u.rate_ms * INTERVAL '0.001' SECOND), FALSE) END

-- name: seats_above
SELECT count(*) FROM tasktube_seat s JOIN tasktube_tube u ON u.id = s.tube_id
WHERE s.tube_id = :tube AND s.kind = :kind AND s.n > {limit_of_kind} AND {is_in_use}

-- name: free_seats
-- While seats above a lowered limit are in use, as many below it stay free. H2 would count them anew for each seat.
SELECT s.n, s.token FROM tasktube_seat s JOIN tasktube_tube u ON u.id = s.tube_id
WHERE s.tube_id = :tube AND s.kind = :kind AND s.n <= {limit_of_kind} AND NOT {is_in_use}
AND s.n > COALESCE(CAST(:above AS bigint), ({seats_above})) ORDER BY s.n

-- name: lock_seats
SELECT n FROM tasktube_seat WHERE tube_id = :tube AND kind = :kind AND n = ANY(:seats) FOR UPDATE SKIP LOCKED

-- name: savepoint
SAVEPOINT before_seats

-- name: back_to_savepoint
ROLLBACK TO SAVEPOINT before_seats

-- name: await_seats
-- A change of the limits waits for the end of the takes that have locked seats. Takes that read by an older snapshot fail.
UPDATE tasktube_seat SET n = n WHERE tube_id = :tube

-- name: sit
UPDATE tasktube_seat SET task_id = :task, token = :token, used_at = {time}
WHERE tube_id = :tube AND kind = :kind AND n = :seat

-- name: next_turn
-- If a task is READY and the limit of TAKEN ones lets it be taken, whose ends wake: the milliseconds until fewer takes than the limit are in the period; null if it is so now.
SELECT CASE WHEN s.used_at IS NOT NULL THEN CAST(CEIL(u.rate_ms - {millis_since}) AS bigint) END
FROM tasktube_tube u, (
  SELECT used_at FROM tasktube_seat WHERE tube_id = :tube AND kind = 'r' ORDER BY used_at DESC NULLS LAST
  OFFSET COALESCE((SELECT max_rate - 1 FROM tasktube_tube WHERE id = :tube), 0) ROWS FETCH FIRST ROW ONLY) s
WHERE u.id = :tube AND u.max_rate IS NOT NULL AND EXISTS (SELECT 1 FROM tasktube_task t WHERE {ready_of_tube})
AND (u.max_taken IS NULL OR u.max_taken > (
  SELECT count(*) FROM tasktube_seat s JOIN tasktube_tube u ON u.id = s.tube_id
  WHERE s.tube_id = :tube AND s.kind = 't' AND {is_in_use}))

-- name: seats_in_use
SELECT s.tube_id, s.kind, count(*) FROM tasktube_seat s JOIN tasktube_tube u ON u.id = s.tube_id
WHERE s.tube_id = ANY(:tubes) AND {is_in_use} GROUP BY s.tube_id, s.kind

-- ------------------------------------------------------------------------------------------------------------ Put

-- name: put_columns
id, ord, tube_id, state, pri, created_at, event_at, expires_at, ttr_ms, content_type, data, headers

-- name: put_plain
INSERT INTO tasktube_task ({put_columns}) SELECT {put_values} {put_from}

-- name: put_for_columns
id, ord, tube_id, state, session, token, node, taken_at, attempts, taken_count, pri, created_at, event_at, expires_at,
  ttr_ms, content_type, data, headers

-- name: few_before
-- A task whose ttl is over counts as well: its sweep is not far.
(SELECT count(*) FROM (SELECT t.id FROM tasktube_task t WHERE {ready_of_tube}
  AND (t.pri, t.ord, t.id) > (:after_pri, :after_ord, :after_id) AND t.pri <= :pri
  FETCH FIRST (CAST(:max AS integer) + 1) ROWS ONLY) first) <= :max

-- name: put_at_columns
id, ord, tube_id, state, pri, created_at, event_at, expires_at, ttr_ms, utube, blocked, live_key, put_key, content_type,
  data, headers

-- name: id_by_key
-- The task of the key, else the one that had it and for whose time it is still taken; null if it is free.
SELECT COALESCE((SELECT id FROM ({task_id_by_key}) t), ({key_in_time}))

-- name: key_in_time
SELECT task_id FROM tasktube_key k
WHERE k.tube_id = :tube AND k.unique_key = CAST(:unique_key AS varchar) AND k.until_at > {time}

-- name: keep_key
-- Without the task's id, which follows: until then the key is free for the transaction itself.
UPDATE tasktube_key SET task_id = NULL, until_at = ({time} + CAST(:period AS bigint) * INTERVAL '0.001' SECOND)
WHERE tube_id = :tube AND unique_key = :unique_key AND until_at <= {time}

-- name: insert_key
INSERT INTO tasktube_key (tube_id, unique_key, until_at)
SELECT CAST(:tube AS integer), CAST(:unique_key AS varchar), ({time} + CAST(:period AS bigint) * INTERVAL '0.001' SECOND)
{unless_kept}

-- name: key_of_task
UPDATE tasktube_key SET task_id = :task WHERE tube_id = :tube AND unique_key = :unique_key

-- name: remove_key
DELETE FROM tasktube_key WHERE tube_id = :tube AND unique_key = :unique_key

-- name: drop_keys
DELETE FROM tasktube_key WHERE tube_id = :tube

-- name: lock_old_keys
SELECT tube_id, unique_key FROM tasktube_key WHERE until_at <= {time} FETCH FIRST :max ROWS ONLY FOR UPDATE SKIP LOCKED

-- name: task_by_key
SELECT {task_columns} FROM tasktube_task WHERE id = ({task_id_by_key})

-- name: task_id_by_key
SELECT id FROM tasktube_task WHERE tube_id = :tube AND live_key = CAST(:unique_key AS varchar)
AND (state = 't' OR {living} OR {waits})

-- name: free_key
-- A task whose ttl is over keeps no other one from its key until the sweep removes it.
UPDATE tasktube_task SET live_key = NULL WHERE tube_id = :tube AND live_key = :unique_key AND state <> 't'
AND expires_at <= {time} AND NOT ({waits})

-- name: lock_utube
-- The sub-queue that a replaced task leaves. Because of the lock, no other replacement can move the task in between.
SELECT utube FROM tasktube_task {in_state} FOR UPDATE

-- name: replace
-- A task that has lost its unique key is over.
UPDATE tasktube_task SET state = CASE WHEN {waits} THEN '~' ELSE CAST(:state AS char(1)) END, pri = :pri, created_at = {time},
  event_at = CASE WHEN {waits} THEN NULL ELSE ({time} + CAST(:until_deadline AS bigint) * INTERVAL '0.001' SECOND) END,
  expires_at = ({time} + CAST(:until_expiry AS bigint) * INTERVAL '0.001' SECOND),
  ttr_ms = CAST(:ttr AS bigint), utube = CAST(:utube AS varchar), blocked = CAST(:blocked AS boolean) AND NOT ({waits}), holds = FALSE, content_type = :content_type,
  data = :data, headers = CAST(:headers AS varchar) {in_state}
  AND (CAST(:unique_key AS varchar) IS NULL OR live_key = :unique_key)

-- ------------------------------------------------------------------------------ Transitions by the holder of a task

-- name: ack
-- Tasks wait for one that is followed: its ack ends what they wait for, in the same transaction.
DELETE FROM tasktube_task {held} AND followed = :followed

-- name: ack_result
UPDATE tasktube_task SET state = '-', outcome = :outcome, result_ttl_ms = :result_ttl, result_type = :result_type,
  result = :result, event_at = ({time} + CAST(:result_ttl AS bigint) * INTERVAL '0.001' SECOND),
  expires_at = ({time} + CAST(:result_ttl AS bigint) * INTERVAL '0.001' SECOND), live_key = NULL, {unheld} {held}
  AND followed = :followed

-- name: is_cancelled
-- A REPLACE puts the task anew.
EXISTS (SELECT 1 FROM tasktube_progress c WHERE c.task_id = id AND c.cancels = TRUE AND c.cancelled_at >= created_at)

-- name: may_be_taken
-- The end of its taking may not have seen the call to cancel it. Most tasks were not taken before.
(taken_count = 0 OR NOT {is_cancelled})

-- name: life_left
-- The end of a taking without an ack: a task whose holder was asked to end it is over, and the sweep removes it.
event_at = CASE WHEN {is_cancelled} THEN {time} ELSE expires_at END,
  expires_at = CASE WHEN {is_cancelled} THEN {time} ELSE expires_at END

-- name: release
UPDATE tasktube_task SET state = 'r', {life_left}, {unheld} {held}

-- name: release_for_ttl
UPDATE tasktube_task SET state = 'r', event_at = CASE WHEN {is_cancelled} THEN {time} ELSE ({time} + CAST(:life AS bigint) * INTERVAL '0.001' SECOND) END,
  expires_at = CASE WHEN {is_cancelled} THEN {time} ELSE ({time} + CAST(:life AS bigint) * INTERVAL '0.001' SECOND) END, {unheld} {held}

-- name: release_failed
UPDATE tasktube_task SET state = 'r', error_type = :error_type, error_message = :error_message,
  error_trace = :error_trace, failure = :failure, failed_at = {time},
  {life_left}, {unheld} {held}

-- name: is_held
-- In a tube of strict order, a task that failed keeps its place at the head of its sub-queue.
CASE WHEN utube IS NULL THEN FALSE ELSE (SELECT strict_order FROM tasktube_tube u WHERE u.id = tube_id) END

-- name: release_delayed
-- The delay extends the ttl of the task.
UPDATE tasktube_task SET state = '~', holds = {is_held},
  event_at = CASE WHEN {is_cancelled} THEN {time} ELSE ({time} + CAST(:delay AS bigint) * INTERVAL '0.001' SECOND) END,
  expires_at = CASE WHEN {is_cancelled} THEN {time} ELSE (expires_at + CAST(:delay AS bigint) * INTERVAL '0.001' SECOND) END, {unheld} {held}

-- name: release_delayed_for_ttl
UPDATE tasktube_task SET state = '~', holds = {is_held},
  event_at = CASE WHEN {is_cancelled} THEN {time} ELSE ({time} + CAST(:delay AS bigint) * INTERVAL '0.001' SECOND) END,
  expires_at = CASE WHEN {is_cancelled} THEN {time} ELSE ({time} + CAST(:life AS bigint) * INTERVAL '0.001' SECOND) END, {unheld} {held}

-- name: release_delayed_failed
UPDATE tasktube_task SET state = '~', holds = {is_held}, error_type = :error_type, error_message = :error_message,
  error_trace = :error_trace, failure = :failure, failed_at = {time},
  event_at = CASE WHEN {is_cancelled} THEN {time} ELSE ({time} + CAST(:delay AS bigint) * INTERVAL '0.001' SECOND) END,
  expires_at = CASE WHEN {is_cancelled} THEN {time} ELSE (expires_at + CAST(:delay AS bigint) * INTERVAL '0.001' SECOND) END, {unheld} {held}

-- name: requeue
UPDATE tasktube_task SET state = 'r', {life_left}, ord = {next_number},
  blocked = (utube IS NOT NULL), {unheld} {held}

-- name: bury
UPDATE tasktube_task SET state = '!', holds = {is_held}, {life_left}, buried_count = buried_count + 1,
  {unheld} {held}

-- name: bury_failed
UPDATE tasktube_task SET state = '!', holds = {is_held}, error_type = :error_type, error_message = :error_message,
  error_trace = :error_trace, failure = :failure, failed_at = {time},
  {life_left}, buried_count = buried_count + 1, {unheld} {held}

-- name: touch
UPDATE tasktube_task SET event_at = (event_at + CAST(:increment AS bigint) * INTERVAL '0.001' SECOND),
  expires_at = (expires_at + CAST(:increment AS bigint) * INTERVAL '0.001' SECOND) {held}

-- name: heartbeat
UPDATE tasktube_task SET event_at = ({time} + ttr_ms * INTERVAL '0.001' SECOND) {held}

-- name: lock_held
-- Returns the token of each task too. The caller compares it with the token of its own taking.
SELECT id, token, followed FROM tasktube_task WHERE id = ANY(:ids) AND {in_tube} AND session = :session
ORDER BY id FOR UPDATE

-- name: ack_locked
DELETE FROM tasktube_task WHERE id = ANY(:ids)

-- name: return_unstarted_locked
-- The attempt does not count.
UPDATE tasktube_task SET state = 'r', {life_left}, attempts = attempts - 1, {unheld} WHERE id = ANY(:ids)

-- --------------------------------------------------------------------------- Transitions by id, and of many tasks

-- name: buried
-- A READY task holds its sub-queue if it is the head. A DELAYED one goes on with it.
state = '!', holds = CASE WHEN blocked THEN FALSE WHEN state = 'r' THEN {is_held} ELSE holds END,
  event_at = CASE WHEN {waits} THEN {whole_life} ELSE expires_at END,
  expires_at = CASE WHEN {waits} THEN {whole_life} ELSE expires_at END, blocked = false, buried_count = buried_count + 1

-- name: bury_unheld
UPDATE tasktube_task SET {buried} {in_state}

-- name: bury_unheld_failed
UPDATE tasktube_task SET {buried}, error_type = :error_type, error_message = :error_message,
  error_trace = :error_trace, failure = :failure, failed_at = {time} {in_state} AND {waits}

-- name: dug
state = 'r', attempts = 0, blocked = (utube IS NOT NULL), holds = FALSE

-- name: dig
UPDATE tasktube_task SET {dug} {in_state}

-- name: delete
DELETE FROM tasktube_task WHERE id = :id AND {in_tube}

-- name: kick
UPDATE tasktube_task SET {dug} WHERE id = ANY(:ids)

-- name: let_go
-- The next task of the sub-queue follows, as if the one that failed had not held it.
UPDATE tasktube_task SET holds = FALSE WHERE tube_id = :tube AND utube = :utube AND {holding}

-- name: lock_holding
SELECT id FROM tasktube_task WHERE tube_id = :tube AND state <> 'r' AND state IN ('~', '!') AND holds ORDER BY id FOR UPDATE

-- name: let_all_go
UPDATE tasktube_task SET holds = FALSE WHERE id = ANY(:ids)

-- name: mark
-- Runs only after a change in the same transaction; the schema gives the reason.
INSERT INTO tasktube_dirty (tube_id, utube) VALUES (:tube, :utube)

-- ---------------------------------------------------------------------------------------------- Cancel and progress

-- name: state_of
SELECT id, state FROM tasktube_task WHERE id = :id AND {in_tube}

-- name: lock_unheld
-- Waits for one that deletes it, or takes it.
SELECT id, state FROM tasktube_task WHERE id = :id AND {in_tube} AND state <> 't' FOR UPDATE

-- name: delete_unheld
DELETE FROM tasktube_task WHERE id = :id AND {in_tube} AND state <> 't'

-- name: ask_holder
-- A second call changes nothing.
INSERT INTO tasktube_progress (task_id, cancels, cancelled_by, reason, cancelled_at)
SELECT CAST(:id AS bigint), TRUE, :by, :reason, {time} {unless_asked}

-- name: forget_cancel
-- Of a task that a REPLACE has put anew since.
DELETE FROM tasktube_progress c WHERE task_id = :id AND cancels = TRUE AND NOT {still_counts}

-- name: cancelled
SELECT task_id FROM tasktube_progress c WHERE cancels = TRUE AND {still_counts}

-- name: lock_cancelled
-- Tasks that were released while the call to cancel them had not committed.
SELECT id FROM tasktube_task WHERE id = ANY(:ids) AND state <> 't' AND state <> '-'
AND (expires_at IS NULL OR expires_at > {time}) AND {is_cancelled} FOR UPDATE SKIP LOCKED

-- name: expire_cancelled
UPDATE tasktube_task SET event_at = {time}, expires_at = {time} WHERE id = ANY(:ids)

-- name: progress_of
SELECT task_id, max(done), max(total), max(note), max(at), max(cancelled_by), max(reason), max(cancelled_at)
FROM tasktube_progress c WHERE task_id = ANY(:ids) AND {still_counts} GROUP BY task_id

-- name: remove_progress
DELETE FROM tasktube_progress c WHERE NOT {still_counts}

-- name: still_counts
(EXISTS (SELECT 1 FROM tasktube_task t WHERE {goes_on}) OR EXISTS (SELECT 1 FROM tasktube_temporary t WHERE {goes_on}))

-- name: goes_on
-- What was said of a former put, or of a former taking, does not count. A cancelled task also waits for its removal.
t.id = c.task_id AND (c.cancels = TRUE AND t.created_at <= c.cancelled_at
  OR c.cancels = FALSE AND t.state = 't' AND t.taken_at <= c.at)

-- ----------------------------------------------------------------------------------------------------------- After

-- name: waits
-- A DELAYED task without a deadline waits for others. An expression that no index serves: H2 would read all tasks that
-- have no deadline.
state || '' = '~' AND CASE WHEN event_at IS NULL THEN 1 ELSE 0 END = 1

-- name: whole_life
-- A task has its whole ttl after the wait.
({time} + (expires_at - created_at))

-- name: is_gone
NOT EXISTS (SELECT 1 FROM tasktube_task p WHERE p.id = e.parent_id)
AND NOT EXISTS (SELECT 1 FROM tasktube_temporary p WHERE p.id = e.parent_id)

-- name: follow
UPDATE tasktube_task SET followed = TRUE WHERE id = ANY(:ids) AND NOT followed AND state <> '-'

-- name: hold_back
-- A task that its transaction has put, and for which another one of it is to come first.
UPDATE tasktube_task SET state = '~', event_at = NULL, blocked = FALSE WHERE id = ANY(:ids) AND state = 'r'

-- name: lock_waiting
-- A child that another transaction has locked is looked at again, later: nobody waits for that transaction.
SELECT id FROM tasktube_task WHERE id = ANY(:ids) AND {waits} ORDER BY id FOR UPDATE SKIP LOCKED

-- name: waiting
SELECT id FROM tasktube_task WHERE id = ANY(:ids) AND {waits}

-- name: add_after
INSERT INTO tasktube_after (parent_id, child_id, tube_id, any_end)
SELECT p.id, c.id, CAST(:tube AS integer), CAST(:any_end AS boolean)
FROM UNNEST(CAST(:parents AS bigint ARRAY)) p(id), UNNEST(CAST(:children AS bigint ARRAY)) c(id)

-- name: add_before
-- The new parent is as the others are.
INSERT INTO tasktube_after (parent_id, child_id, tube_id, any_end)
SELECT p.id, CAST(:child AS bigint), CAST(:tube AS integer), COALESCE((
  SELECT any_end FROM tasktube_after WHERE child_id = :child FETCH FIRST 1 ROW ONLY), FALSE)
FROM UNNEST(CAST(:parents AS bigint ARRAY)) p(id)

-- name: lock_open_parent
-- No other transaction ends it before this one.
SELECT parent_id FROM tasktube_after WHERE parent_id = ANY(:parents) AND child_id = :child AND NOT ended FOR UPDATE

-- name: end_parents
UPDATE tasktube_after SET ended = TRUE WHERE parent_id = ANY(:ids) AND NOT ended

-- name: lock_parents
-- Waits for a delivery that adds another one. What follows sees that one.
SELECT parent_id FROM tasktube_after WHERE child_id = :old FOR UPDATE

-- name: lock_waits
-- A wait that another transaction has locked is looked at again, later: nobody waits for that transaction.
SELECT parent_id, child_id FROM tasktube_after WHERE parent_id = ANY(:parents) AND child_id = ANY(:children)
FOR UPDATE SKIP LOCKED

-- name: end_wait
UPDATE tasktube_after SET ended = TRUE WHERE parent_id = :parent AND child_id = :child AND NOT ended

-- name: remove_wait
DELETE FROM tasktube_after WHERE parent_id = :parent AND child_id = :child

-- name: gone
SELECT parent_id, child_id, tube_id, any_end FROM tasktube_after e
WHERE parent_id = ANY(:ids) AND NOT ended AND {is_gone}

-- name: children
SELECT parent_id, child_id FROM tasktube_after WHERE parent_id = ANY(:ids)

-- name: make_due
-- The sweep makes the tasks READY.
UPDATE tasktube_task t SET event_at = {time}, expires_at = {whole_life}
WHERE id = ANY(:ids) AND {waits} AND NOT EXISTS (SELECT 1 FROM tasktube_after e WHERE e.child_id = t.id AND NOT e.ended)

-- name: move_parents
-- An edited form of a task is in its place.
UPDATE tasktube_after SET child_id = :id, tube_id = :tube WHERE child_id = :old

-- name: move_children
UPDATE tasktube_after SET parent_id = :id WHERE parent_id = :old AND NOT ended

-- name: look
-- The next waits by their key.
SELECT parent_id, child_id, ended FROM tasktube_after
WHERE parent_id >= :parent AND (parent_id > :parent OR child_id > :child)
ORDER BY parent_id, child_id FETCH FIRST :max ROWS ONLY

-- name: open
SELECT DISTINCT child_id FROM tasktube_after WHERE child_id = ANY(:ids) AND NOT ended

-- name: parents_of
SELECT e.id, u.name, COALESCE(t.state, p.state) AS state, e.ended OR e.any_end AND t.id IS NULL AND p.id IS NULL FROM (
  SELECT parent_id AS id, ended, any_end FROM tasktube_after WHERE child_id = :id
  ORDER BY ended, parent_id FETCH FIRST :max ROWS ONLY) e {of_both_tables} ORDER BY e.ended, e.id

-- name: children_of
SELECT e.id, u.name, COALESCE(t.state, p.state) AS state, e.ended FROM (
  SELECT child_id AS id, ended FROM tasktube_after WHERE parent_id = :id
  ORDER BY child_id FETCH FIRST :max ROWS ONLY) e {of_both_tables} ORDER BY e.id

-- name: of_both_tables
LEFT JOIN tasktube_task t ON t.id = e.id LEFT JOIN tasktube_temporary p ON p.id = e.id
LEFT JOIN tasktube_tube u ON u.id = COALESCE(t.tube_id, p.tube_id)

-- name: count_parents
SELECT count(*), COALESCE(SUM(CASE WHEN ended THEN 0 ELSE 1 END), 0) FROM tasktube_after WHERE child_id = :id

-- name: any_after
SELECT child_id FROM tasktube_after FETCH FIRST 1 ROW ONLY

-- name: before
SELECT parent_id, child_id FROM tasktube_after WHERE child_id = :child AND NOT ended

-- ----------------------------------------------------------------------------------------------------------- Sweep

-- name: deadline_to_ready
-- The end of a ttr or of a delay.
UPDATE tasktube_task SET state = 'r', {life_left}, blocked = (utube IS NOT NULL AND state = '~'), holds = FALSE,
  {unheld}
WHERE id = ANY(:ids)

-- name: deadline_to_gone
-- The end of a ttl.
DELETE FROM tasktube_task WHERE id = ANY(:ids)

-- ----------------------------------------------------------------------------------------------------------- Reads

-- name: now
SELECT {time}

-- name: tasks
SELECT {task_columns} FROM tasktube_task WHERE id = ANY(:ids) AND {in_tube}

-- name: holder
SELECT session FROM tasktube_task WHERE id = :id AND {in_tube} AND session IS NOT NULL

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

-- name: situation
SELECT {situation_columns} FROM tasktube_task t WHERE id = :id AND {in_tube}

-- name: living
(expires_at IS NULL OR expires_at > {time})

-- name: beginnings
SELECT id, content_type, SUBSTRING(data FROM 1 FOR CAST(:bytes AS integer)) FROM tasktube_task WHERE id = ANY(:ids)

-- name: last_id
SELECT id FROM tasktube_task ORDER BY id DESC FETCH FIRST 1 ROW ONLY

-- ------------------------------------------------------------------------------------------------ Searchable fields

-- name: changed_columns
strict_order, max_taken, max_rate, rate_ms, pri, ttl_ms, ttr_ms, delay_ms, history, history_ms, changes, searchable, index_id, index_since

-- name: new_index
-- Other searchable fields are a new index, which has to read all tasks. The rows of the former one belong to no tube.
searchable = COALESCE(CAST(:searchable AS varchar), searchable),
  index_id = CASE WHEN CAST(:searchable AS varchar) IS NULL THEN index_id WHEN CAST(:searchable AS varchar) = '' THEN 0
    ELSE {next_number} END,
  index_since = CASE WHEN CAST(:searchable AS varchar) IS NULL THEN index_since WHEN CAST(:searchable AS varchar) = ''
    THEN NULL ELSE {time} END,
  index_upto = CASE WHEN CAST(:searchable AS varchar) IS NULL THEN index_upto ELSE 0 END,
  index_place = CASE WHEN CAST(:searchable AS varchar) IS NULL THEN index_place ELSE 0 END

-- name: add_fields
-- The rows of tasks that have just been put, which are not there.
INSERT INTO tasktube_field (index_id, hash, task_id) SELECT :index, n.hash, n.task_id
FROM UNNEST(CAST(:hashes AS bigint ARRAY), CAST(:tasks AS bigint ARRAY)) n(hash, task_id)

-- name: unfinished_index
-- A server is at work on it for the time of the transaction; the others pass over it. index_upto is 0 until a server has
-- seen the declaration, then -1 until all have, and below that until the transactions that were open then have ended.
SELECT index_upto, index_place FROM tasktube_tube WHERE id = :tube AND index_id = :index AND index_since IS NOT NULL
FOR UPDATE SKIP LOCKED

-- name: see_index
-- The time counts from here: the transaction of the declaration may have been long.
UPDATE tasktube_tube SET index_since = {time}, index_upto = -1 WHERE id = :tube AND index_id = :index

-- name: all_know_index
-- All servers have learned of the declaration: there is only one, or it was seen long enough ago.
SELECT id FROM tasktube_tube WHERE id = :tube
AND index_since <= ({time} + -CAST(CASE WHEN (SELECT count(*) FROM tasktube_node WHERE NOT dead) > 1 THEN :margin ELSE 0 END
  AS bigint) * INTERVAL '0.001' SECOND)

-- name: begin_index
UPDATE tasktube_tube SET index_upto = :upto WHERE id = :tube AND index_id = :index

-- name: go_on_with_index
UPDATE tasktube_tube SET index_place = :place WHERE id = :tube AND index_id = :index

-- name: end_index
-- The change of the tube tells the other servers.
UPDATE tasktube_tube SET index_since = NULL, changes = changes + 1 WHERE id = :tube AND index_id = :index

-- name: remove_field
DELETE FROM tasktube_field WHERE index_id = :index AND hash = :hash AND task_id = :task

-- name: data_of_tasks
SELECT id, content_type, data FROM tasktube_task WHERE id = ANY(:ids)

-- name: lock_data
SELECT id, content_type, data FROM tasktube_task WHERE id = ANY(:ids) FOR UPDATE

-- -------------------------------------------------------------------------------------------------- Kinds of failures

-- name: existing_kinds
SELECT fingerprint FROM tasktube_failure WHERE fingerprint = ANY(:ids)

-- name: kinds
SELECT fingerprint, type, cause, frame, message FROM tasktube_failure WHERE fingerprint = ANY(:ids)

-- name: failure_of_kind
SELECT error_type, error_message, error_trace, (SELECT min(failed_at) FROM tasktube_task WHERE failure = :failure)
FROM tasktube_task WHERE failure = :failure FETCH FIRST 1 ROW ONLY

-- name: lock_kinds
-- Two servers that check at once do not wait for each other.
SELECT fingerprint FROM tasktube_failure WHERE fingerprint = ANY(:ids) FOR UPDATE SKIP LOCKED

-- name: mark_unused
UPDATE tasktube_failure SET unused_since = {time} WHERE fingerprint = ANY(:ids)

-- name: mark_used
UPDATE tasktube_failure SET unused_since = NULL WHERE fingerprint = ANY(:ids)

-- --------------------------------------------------------------------------------------------------------- Servers

-- name: seen
UPDATE tasktube_node SET seen_at = {time}, work = COALESCE(CAST(:work AS varchar), work)
WHERE id = :node AND name = :name AND NOT dead

-- name: peer_columns
id, name, seen_at, seen_at < ({time}
  + -(CASE WHEN name = :name THEN CAST(:own_timeout AS bigint) ELSE CAST(:timeout AS bigint) END)
    * INTERVAL '0.001' SECOND) AS overdue, dead, work, released_at, released

-- name: peers
SELECT {peer_columns} FROM tasktube_node WHERE released_at IS NULL

-- name: others_than_beat
-- Also those that have died during the last day, unless somebody has dismissed that.
SELECT {peer_columns}, FALSE FROM tasktube_node WHERE (id <> :node OR dead)
AND (released_at IS NULL OR NOT stopped AND NOT dismissed AND {is_recent})

-- name: is_recent
released_at > ({time} + -INTERVAL '1' DAY)

-- name: news_columns
-- Whether the time of a session is over, and a text that is another one when a tube was created, changed or dropped. Only
-- the creation of a tube and its own drop cancel out. A heartbeat reads no such tables, because it waits for no lock of
-- them.
(SELECT count(*) FROM tasktube_session WHERE expires_at <= {time}) > 0,
(SELECT count(*) || ' ' || COALESCE(sum(id), 0) || ' ' || COALESCE(sum(changes), 0) || ' '
  || COALESCE(sum({mode_micros}), 0) FROM tasktube_tube)

-- name: news
SELECT {news_columns}

-- name: mark_dead
UPDATE tasktube_node SET dead = TRUE WHERE id = :node AND seen_at = :seen_at AND NOT dead

-- name: leave
UPDATE tasktube_node SET dead = TRUE, stopped = TRUE WHERE id = :node

-- name: dead_nodes
-- Also those whose row is gone, and that have registered a session since, by a call that was under way.
SELECT id FROM tasktube_node WHERE dead AND released_at IS NULL
UNION
SELECT s.node FROM tasktube_session s WHERE s.node <> 0
AND NOT EXISTS (SELECT 1 FROM tasktube_node n WHERE n.id = s.node AND n.released_at IS NULL)
ORDER BY 1

-- name: released_of_node
-- Of a server that stops, the servers that are up learn from its row that it has: they end the release.
UPDATE tasktube_node SET released = released + :released, released_at = CASE WHEN :is_all
  AND NOT EXISTS (SELECT 1 FROM tasktube_session s WHERE s.node = :node)
  AND NOT (:is_own AND EXISTS (SELECT 1 FROM tasktube_node n WHERE NOT n.dead)) THEN {time} END
WHERE id = :node AND dead AND released_at IS NULL

-- name: forget_nodes
DELETE FROM tasktube_node WHERE released_at IS NOT NULL AND NOT {is_recent}

-- name: dismiss_node
UPDATE tasktube_node SET dismissed = TRUE WHERE id = :node AND released_at IS NOT NULL AND NOT dismissed

-- name: taken_by_session
{taken} AND t.session = :session

-- name: lock_taken
SELECT id, token FROM tasktube_task WHERE id = ANY(:ids) AND token IS NOT NULL ORDER BY id FOR UPDATE SKIP LOCKED

-- name: release_taken
UPDATE tasktube_task SET state = 'r', {life_left}, {unheld} WHERE id = ANY(:ids)

-- -------------------------------------------------------------------------------------------------------- Sessions

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
VALUES (:session, 0, ({time} + CAST(:ttr AS bigint) * INTERVAL '0.001' SECOND),
  CAST(:kept AS bigint), CAST(:owner AS varchar))

-- name: expired_sessions
SELECT session FROM tasktube_session WHERE expires_at <= {time}

-- name: expire_session
-- Only if the time of the session is still over.
DELETE FROM tasktube_session WHERE session = :session AND node = 0 AND expires_at <= {time}

-- ---------------------------------------------------------------------------------------------------------- Schema

-- name: schema_version
SELECT version FROM tasktube_schema

-- ----------------------------------------------------------------------------------------------------- Flow of tasks

-- name: names_of_tubes
SELECT id, name FROM tasktube_tube ORDER BY name

-- ----------------------------------------------------------------------------------------------------------- Audit

-- name: add_audit
INSERT INTO tasktube_audit (done_at, who, needs, act, tube, task, filter_text, amount, reason, status, address, server)
VALUES ({time}, :who, :needs, :act, CAST(:tube AS varchar), CAST(:task AS varchar), CAST(:filter AS varchar),
  CAST(:amount AS bigint), CAST(:reason AS varchar), :status, CAST(:address AS varchar), :server)

-- name: audit_columns
id, done_at, who, needs, act, tube, task, filter_text, amount, reason, status, address, server

-- name: audit_rest
-- A CASE, of which the planner takes half of the rows to fit: otherwise it would expect few, and sort all for a page.
CASE WHEN (CAST(:task AS varchar) IS NULL OR task = CAST(:task AS varchar))
  AND (CAST(:since AS timestamp(6) with time zone) IS NULL OR done_at >= CAST(:since AS timestamp(6) with time zone))
  AND (CAST(:until AS timestamp(6) with time zone) IS NULL OR done_at < CAST(:until AS timestamp(6) with time zone))
THEN TRUE ELSE FALSE END

-- name: audit
SELECT {audit_columns} FROM tasktube_audit WHERE id < :before
AND {audit_rest}
ORDER BY id DESC FETCH FIRST :max ROWS ONLY

-- name: audit_of_tube
SELECT {audit_columns} FROM tasktube_audit WHERE tube = :tube AND id < :before
AND (CAST(:who AS varchar) IS NULL OR who = CAST(:who AS varchar))
AND (CAST(:act AS varchar) IS NULL OR act = CAST(:act AS varchar))
AND {audit_rest}
ORDER BY tube DESC, id DESC FETCH FIRST :max ROWS ONLY

-- name: audit_of_user
SELECT {audit_columns} FROM tasktube_audit WHERE who = :who AND id < :before
AND (CAST(:act AS varchar) IS NULL OR act = CAST(:act AS varchar))
AND {audit_rest}
ORDER BY who DESC, id DESC FETCH FIRST :max ROWS ONLY

-- name: audit_of_act
SELECT {audit_columns} FROM tasktube_audit WHERE act = :act AND id < :before
AND {audit_rest}
ORDER BY act DESC, id DESC FETCH FIRST :max ROWS ONLY

-- name: old_audit
-- Reads the oldest rows only, so that its cost does not grow with the table. Rows that a clock ahead of this one
-- wrote are passed over: they would hide all later ones.
SELECT id FROM (
  SELECT id, done_at FROM tasktube_audit WHERE done_at <= {time} ORDER BY id FETCH FIRST :max ROWS ONLY) oldest
WHERE done_at < {time} + -CAST(:retention AS bigint) * INTERVAL '0.001' SECOND

-- name: lock_audit
SELECT id FROM tasktube_audit WHERE id = ANY(:ids) FOR UPDATE SKIP LOCKED

-- name: remove_audit
DELETE FROM tasktube_audit WHERE id = ANY(:ids)

-- --------------------------------------------------------------------------------------------------- Console reads

-- name: server_names
SELECT id, name FROM tasktube_node

-- name: whole_task
SELECT {situation_columns}, token, data, headers, error_trace, outcome, result_type, result, result_ttl_ms,
  failed_at, k.type AS kind_type, k.cause AS kind_cause, k.frame AS kind_frame, k.message AS kind_message
FROM tasktube_task t LEFT JOIN tasktube_failure k ON k.fingerprint = t.failure WHERE id = :id AND {in_tube}

-- ------------------------------------------------------------------------------------------------------ Operations

-- name: operation_columns
id, act, filter, reason, created_by, state, created_at, started_at, ended_at, expected, is_least, up_to, looked,
changed, skipped, place, deferred, server, cancelled_by, cancel_reason, error

-- name: add_operation
INSERT INTO tasktube_operation (id, act, filter, reason, created_by, created_at, expected, is_least, up_to)
VALUES (:id, :act, :filter, :reason, :by, {time}, :expected, :is_least, :up_to)

-- name: operation
SELECT {operation_columns} FROM tasktube_operation WHERE id = :id

-- name: operations
SELECT {operation_columns} FROM tasktube_operation WHERE id < :before ORDER BY id DESC FETCH FIRST :max ROWS ONLY

-- name: take_operation
-- The one that runs goes first, and then the earliest: its start may have committed later. Fails by the unique column if
-- another server takes another one at this moment. A server that is gone or dead, or made no batch for a minute, has
-- left its operation.
UPDATE tasktube_operation SET state = 'r', running = true, started_at = COALESCE(started_at, {time}), node = :node,
  node_until = {node_until}, server = :server
WHERE {operation_to_take}

-- name: operation_to_take
id = (SELECT id FROM tasktube_operation WHERE ended_at IS NULL ORDER BY running NULLS LAST, id FETCH FIRST 1 ROW ONLY)
AND ended_at IS NULL AND (node IS NULL OR node = :node OR node_until < {time}
  OR NOT EXISTS (SELECT 1 FROM tasktube_node n WHERE n.id = tasktube_operation.node AND NOT n.dead))

-- name: can_take_operation
-- The one that was to be taken may have ended while the statement waited for its row. Another one may follow it.
SELECT id FROM tasktube_operation WHERE {operation_to_take}

-- name: node_until
{time} + INTERVAL '60' SECOND

-- name: taken_operation
SELECT id FROM tasktube_operation WHERE running AND node = :node

-- name: progress_of_operation
UPDATE tasktube_operation SET looked = looked + :looked, changed = changed + :changed, skipped = skipped + :skipped,
  place = :place, deferred = :deferred, node_until = {node_until} WHERE id = :id

-- name: end_operation
UPDATE tasktube_operation SET state = :state, running = NULL, ended_at = {time},
  cancelled_by = CAST(:by AS varchar), cancel_reason = CAST(:why AS varchar), error = CAST(:error AS varchar)
WHERE id = :id AND ended_at IS NULL AND (CAST(:node AS integer) IS NULL OR node = :node)

-- name: old_operations
SELECT id FROM tasktube_operation
WHERE ended_at < {time} + -CAST(:retention AS bigint) * INTERVAL '0.001' SECOND ORDER BY id FETCH FIRST :max ROWS ONLY

-- name: remove_operations
DELETE FROM tasktube_operation WHERE id = ANY(:ids)

-- name: lock_for_operation
-- The tasks in the state that the operation has not changed yet, and that no other transaction has locked. The further
-- columns show whether a task has changed since it was read.
SELECT id, created_at, taken_count, buried_count FROM tasktube_task
WHERE id = ANY(:ids) AND {in_tube} AND state || '' = :from AND operation IS DISTINCT FROM :operation
ORDER BY id FOR UPDATE SKIP LOCKED

-- name: left_by_operation
SELECT id, state, operation = :operation FROM tasktube_task WHERE id = ANY(:ids) AND {in_tube}

-- name: kick_by_operation
UPDATE tasktube_task SET {dug}, operation = :operation
WHERE id = ANY(:ids) AND state || '' = :from

-- name: delete_by_operation
DELETE FROM tasktube_task WHERE id = ANY(:ids) AND state || '' = :from

-- name: bury_unheld_by_operation
UPDATE tasktube_task SET {buried}, operation = :operation WHERE id = ANY(:ids) AND state || '' = :from

-- name: release_all_by_operation
UPDATE tasktube_task SET state = 'r', {life_left}, {unheld}, operation = :operation
WHERE id = ANY(:ids) AND state || '' = :from

-- ------------------------------------------------------------------------------------------------- Histories of tasks

-- name: holder_columns
session, server, bean, made_by

-- name: holder_values
CAST(:session AS uuid), CAST(:server AS varchar), CAST(:bean AS varchar), CAST(:made_by AS varchar)

-- name: put_move_columns
put_event, put_at, put_until, put_by, put_server

-- name: history_columns
tube_id, task_id, at, event, from_state, attempt, until_at, {holder_columns}, failure, error_type, error_message,
  error_trace, parent_tube, parent_task

-- name: history_values
{holder_values}, CAST(:failure AS bigint), CAST(:error_type AS varchar), CAST(:error_message AS varchar),
  CAST(:error_trace AS varchar), CAST(:parent_tube AS integer), CAST(:parent_task AS bigint)

-- name: keeps
-- Whether the history of a tube has a move, as its row says now: another server may have changed that.
(t.history = 'a' AND CAST(:keep_all AS boolean) OR t.history = 'f' AND CAST(:keep_failures AS boolean))

-- name: keep_tasks
-- Adds a move to the histories of tasks that a statement before has changed or put, in the same transaction.
INSERT INTO tasktube_history ({history_columns})
SELECT k.tube_id, k.id, {time}, :event, CAST(:from_state AS char(1)), k.attempts, k.event_at, {history_values}
FROM tasktube_task k JOIN tasktube_tube t ON t.id = k.tube_id AND {keeps} WHERE k.id = ANY(:ids)

-- name: history_of_task
-- The order names all columns of the index, so that a plan for few rows uses it.
SELECT id, at, event, from_state, attempt, server, bean, session, made_by, until_at, failure, error_type, error_message,
  error_trace
FROM tasktube_history WHERE task_id = :task AND id > :after AND tube_id = :tube
ORDER BY task_id, id FETCH FIRST :max ROWS ONLY

-- name: gone_of_key
-- The last move of a task that is gone has the key of its put.
SELECT tube_id, task_id, event, at FROM tasktube_history WHERE put_key = :key
ORDER BY put_key DESC, id DESC FETCH FIRST :max ROWS ONLY

-- name: first_move
SELECT parent_tube, parent_task FROM tasktube_history WHERE task_id = :task AND tube_id = :tube
ORDER BY task_id, id FETCH FIRST 1 ROW ONLY

-- name: put_is_shown
-- Until it is older than the retention.
(put_at >= {time} + -({history_retention}) * INTERVAL '0.001' SECOND)

-- name: put_in_task
-- The put as the task's row has it. All columns are null if the row has none. No row means that the task is gone.
SELECT {put_move_columns}, {put_is_shown} AS shown FROM tasktube_task WHERE id = :task AND {in_tube}

-- name: puts_of_task
SELECT tube_id, task_id, at FROM tasktube_history WHERE parent_task = :task AND parent_tube = :tube
ORDER BY parent_task, id FETCH FIRST :max ROWS ONLY

-- name: next_history
-- The tube with the next number that has a history.
SELECT tube_id FROM tasktube_history WHERE tube_id > :after ORDER BY tube_id, id FETCH FIRST 1 ROW ONLY

-- name: history_retention
SELECT history_ms FROM tasktube_tube WHERE id = :tube

-- name: old_history
-- Of the first moves of a tube, the last one that is older than the retention. Moves that a clock ahead of this
-- one wrote are passed over: they would hide all later ones.
SELECT max(id), count(*) FROM (
  SELECT id, at FROM tasktube_history WHERE tube_id = :tube AND at <= greatest({time},
    {time} + -CAST(:retention AS bigint) * INTERVAL '0.001' SECOND)
  ORDER BY tube_id, id FETCH FIRST :max ROWS ONLY) moves
WHERE at < {time} + -CAST(:retention AS bigint) * INTERVAL '0.001' SECOND

-- name: remove_history
DELETE FROM tasktube_history WHERE tube_id = :tube AND id <= :upto
AND at < {time} + -CAST(:retention AS bigint) * INTERVAL '0.001' SECOND

-- name: add_changed
INSERT INTO tasktube_changed (operation_id, tube_id, ids) VALUES (:operation, :tube, :ids)

-- name: changed
SELECT c.id, c.tube_id, t.name, c.ids FROM tasktube_changed c LEFT JOIN tasktube_tube t ON t.id = c.tube_id
WHERE c.operation_id = :operation AND c.id > :after ORDER BY c.operation_id, c.id FETCH FIRST :max ROWS ONLY

-- ------------------------------------------------------------------------------------------------ Logs of deliveries

-- name: add_log
INSERT INTO tasktube_log (task_id, tube_id, attempt, server, at, lines)
VALUES (:task, :tube, :attempt, :server, {time}, :lines)

-- name: remove_further_logs
DELETE FROM tasktube_log WHERE task_id = :task AND id < (
  SELECT min(id) FROM (SELECT id FROM tasktube_log WHERE task_id = :task ORDER BY task_id DESC, id DESC
    FETCH FIRST :most ROWS ONLY) last)

-- name: logs
SELECT attempt, server, at, lines FROM tasktube_log WHERE task_id = :task AND tube_id = :tube ORDER BY task_id, id

-- name: old_logs
SELECT task_id, id FROM tasktube_log WHERE at < {time} + -CAST(:retention AS bigint) * INTERVAL '0.001' SECOND
ORDER BY at FETCH FIRST :max ROWS ONLY

-- name: remove_log
DELETE FROM tasktube_log WHERE task_id = :task AND id = :id

-- ---------------------------------------------------------------------------------------------------------- Logins

-- name: login_columns
login_key, who, address, server, begun_at, seen_at

-- name: login_is_valid
begun_at > ({time} + -CAST(:longest AS bigint) * INTERVAL '0.001' SECOND)
AND seen_at > ({time} + -CAST(:idle AS bigint) * INTERVAL '0.001' SECOND)

-- name: add_login
INSERT INTO tasktube_login ({login_columns}) VALUES (:key, :who, :address, :server, {time}, {time})

-- name: use_login
UPDATE tasktube_login SET seen_at = {time}, server = :server WHERE login_key = :key AND {login_is_valid}

-- name: login
SELECT {login_columns} FROM tasktube_login WHERE login_key = :key

-- name: end_login
DELETE FROM tasktube_login WHERE login_key = :key

-- name: logins
SELECT {login_columns} FROM tasktube_login WHERE {login_is_valid} ORDER BY begun_at DESC, login_key

-- name: remove_old_logins
DELETE FROM tasktube_login WHERE NOT ({login_is_valid})

-- name: remove_further_logins
DELETE FROM tasktube_login WHERE who = :who AND login_key <> :key AND login_key NOT IN (
  SELECT login_key FROM tasktube_login WHERE who = :who ORDER BY begun_at DESC, login_key FETCH FIRST :most ROWS ONLY)

-- ------------------------------------------------------------------------------------------------------- Schedules

-- name: schedule_columns
name, cron, zone, period_ms, tube, pri, ttl_ms, ttr_ms, delay_ms, utube, urgent, headers, content_type, data, overlap,
late_ms, next_at, last_at, last_task, fires, skipped, skip_reason, skip_at, paused_by, paused_at, paused_why

-- name: add_schedule
INSERT INTO tasktube_schedule (name, digest, cron, zone, period_ms, tube, pri, ttl_ms, ttr_ms, delay_ms, utube, urgent,
  headers, content_type, data, overlap, late_ms, next_at)
SELECT CAST(:name AS varchar), CAST(:digest AS varchar), CAST(:cron AS varchar), CAST(:zone AS varchar),
  CAST(:period AS bigint), CAST(:tube AS varchar), CAST(:pri AS integer), CAST(:ttl AS bigint), CAST(:ttr AS bigint),
  CAST(:delay AS bigint), CAST(:utube AS varchar), CAST(:urgent AS boolean), CAST(:headers AS varchar),
  CAST(:content_type AS varchar), CAST(:data AS {bytes}), CAST(:overlap AS boolean), CAST(:late AS bigint),
  CAST(:next AS timestamp(6) with time zone)
{unless_scheduled}

-- name: change_schedule
-- The next fire stays if the times do. A pause stays in any case.
UPDATE tasktube_schedule SET digest = :digest,
  next_at = CASE WHEN cron IS NOT DISTINCT FROM CAST(:cron AS varchar) AND zone = :zone
    AND period_ms IS NOT DISTINCT FROM CAST(:period AS bigint) THEN next_at
    ELSE CAST(:next AS timestamp(6) with time zone) END,
  cron = CAST(:cron AS varchar), zone = :zone, period_ms = CAST(:period AS bigint), tube = :tube,
  pri = CAST(:pri AS integer), ttl_ms = CAST(:ttl AS bigint), ttr_ms = CAST(:ttr AS bigint),
  delay_ms = CAST(:delay AS bigint), utube = CAST(:utube AS varchar), urgent = :urgent,
  headers = CAST(:headers AS varchar), content_type = :content_type, data = :data, overlap = :overlap,
  late_ms = CAST(:late AS bigint)
WHERE name = :name AND digest <> :digest

-- name: remove_schedule
DELETE FROM tasktube_schedule WHERE name = :name

-- name: schedules
SELECT {schedule_columns}, {time} FROM tasktube_schedule ORDER BY name

-- name: schedule
SELECT {schedule_columns}, {time} FROM tasktube_schedule WHERE name = :name

-- name: next_fire
SELECT next_at, {time} FROM tasktube_schedule WHERE paused_at IS NULL ORDER BY next_at FETCH FIRST 1 ROW ONLY

-- name: lock_due_schedules
SELECT {schedule_columns}, {time} FROM tasktube_schedule WHERE next_at <= {time} AND paused_at IS NULL
ORDER BY next_at FETCH FIRST :max ROWS ONLY FOR UPDATE SKIP LOCKED

-- name: schedule_fired
UPDATE tasktube_schedule SET next_at = :next, last_at = :fire, last_task = :task, fires = fires + 1 WHERE name = :name

-- name: schedule_skipped
UPDATE tasktube_schedule SET next_at = :next, skipped = skipped + 1, skip_reason = :reason, skip_at = :fire
WHERE name = :name

-- name: postpone_schedule
-- The fire comes again in a minute, and counts as one of then.
UPDATE tasktube_schedule SET next_at = {time} + INTERVAL '60' SECOND WHERE name = :name AND next_at <= {time}

-- name: pause_schedule
UPDATE tasktube_schedule SET paused_by = :who, paused_at = {time}, paused_why = :reason WHERE name = :name

-- name: resume_schedule
UPDATE tasktube_schedule SET paused_by = NULL, paused_at = NULL, paused_why = NULL, next_at = :next
WHERE name = :name AND paused_at IS NOT NULL
