-- TaskTube, schema version 1, for PostgreSQL 13 and newer.
-- If the tables are missing, the adapter runs this file, unless its property createTables is false. The folder migration
-- has the steps from older tables.

CREATE TABLE tasktube_schema (
  version integer NOT NULL PRIMARY KEY
);

CREATE TABLE tasktube_tube (
  id       integer     GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name     varchar(32) NOT NULL UNIQUE,
  type     varchar(32) NOT NULL,
  pri      integer     NOT NULL CHECK (pri >= 0),
  ttl_ms   bigint      CHECK (ttl_ms > 0),
  ttr_ms   bigint      CHECK (ttr_ms > 0),
  delay_ms bigint      NOT NULL CHECK (delay_ms >= 0),
  capacity integer     CHECK (capacity > 0),
  temporary   boolean  NOT NULL,
  sub_queues  boolean  NOT NULL,
  mode        char(1)      NOT NULL DEFAULT 'o',
  mode_by     varchar(255) NOT NULL DEFAULT '',
  mode_at     timestamp(6) with time zone NOT NULL DEFAULT statement_timestamp(),
  mode_reason varchar(255) NOT NULL DEFAULT '',
  history     char(1)  NOT NULL DEFAULT 'o',
  history_ms  bigint   NOT NULL DEFAULT 604800000,
  strict_order boolean NOT NULL DEFAULT false,
  max_taken   integer  CHECK (max_taken > 0),
  max_rate    integer  CHECK (max_rate > 0),
  rate_ms     bigint   CHECK (rate_ms > 0),
  changes     integer  NOT NULL DEFAULT 0,
  searchable  varchar(1000) NOT NULL DEFAULT '',
  index_id    bigint   NOT NULL DEFAULT 0,
  index_since timestamp(6) with time zone,
  index_upto  bigint   NOT NULL DEFAULT 0,
  index_place bigint   NOT NULL DEFAULT 0,
  marks_from  bigint   NOT NULL DEFAULT 0,
  marks_upto  bigint   NOT NULL DEFAULT 0,
  marks_end   xid8,
  CONSTRAINT tasktube_tube_history CHECK (history IN ('o', 'f', 'a') AND history_ms BETWEEN 60000 AND 315360000000),
  CONSTRAINT tasktube_tube_rate CHECK ((max_rate IS NULL) = (rate_ms IS NULL)),
  CONSTRAINT tasktube_tube_mode CHECK (mode IN ('o', 'p', 'd') AND (mode = 'o') = (mode_reason = '') AND (mode = 'o' OR mode_by <> ''))
);

-- One row per live server. If a row no longer changes, its server has died: another server marks it as dead, and releases
-- its tasks. A server that stops marks its own row. If a server finds its own row dead, it continues under a new number.
-- When nothing is left to release, the row has released_at and the number of released tasks, and stays for a day so that
-- operators see it.
CREATE TABLE tasktube_node (
  id      integer      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name    varchar(255) NOT NULL,
  seen_at timestamp(6) with time zone NOT NULL,
  dead    boolean      NOT NULL DEFAULT false,
  work    text         NOT NULL DEFAULT '',
  stopped boolean      NOT NULL DEFAULT false,
  released    bigint   NOT NULL DEFAULT 0,
  released_at timestamp(6) with time zone,
  dismissed   boolean  NOT NULL DEFAULT false
) WITH (fillfactor = 50);

-- Registered sessions, which other servers may join: one row per session and server that has connections of it. A row
-- of node 0 means that no connection is left. Until expires_at, a server may join the session again. All rows of a
-- session have the same kept_ms, its own time without a connection, and the same owner.
CREATE TABLE tasktube_session (
  session    uuid    NOT NULL,
  node       integer NOT NULL,
  expires_at timestamp(6) with time zone,
  kept_ms    bigint,
  owner      varchar(255),
  PRIMARY KEY (session, node),
  CONSTRAINT tasktube_session_expiry CHECK ((node = 0) = (expires_at IS NOT NULL))
);

-- One row per free slot of a tube with a capacity. A put removes a row, and the removal of a task adds one.
CREATE TABLE tasktube_slot (
  tube_id integer NOT NULL,
  id      bigint  GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (tube_id, id)
) WITH (vacuum_truncate = false);

-- Seats: a tube with a limit of TAKEN tasks has a row of the kind t for each, and one with a limit of takes in a time a row
-- of the kind r for each. A take locks free seats, takes as many tasks, and writes them into the seats, in one
-- transaction. A seat of t is in use while its task is TAKEN by that token, one of r until its take is longer ago than
-- the period. Seats above a limit that was lowered stay.
CREATE TABLE tasktube_seat (
  tube_id integer NOT NULL,
  kind    char(1) NOT NULL,
  n       integer NOT NULL,
  task_id bigint,
  token   bigint  NOT NULL DEFAULT 0,
  used_at timestamp(6) with time zone,
  PRIMARY KEY (tube_id, kind, n)
) WITH (fillfactor = 50);

-- Unique keys that stay taken for a time: a row per key, until until_at. task_id is the task that was put with it.
CREATE TABLE tasktube_key (
  tube_id    integer      NOT NULL,
  unique_key varchar(255) COLLATE "C" NOT NULL,
  task_id    bigint,
  until_at   timestamp(6) with time zone NOT NULL,
  PRIMARY KEY (tube_id, unique_key)
);
CREATE INDEX tasktube_key_until ON tasktube_key (until_at);

-- Tasks that wait for others: a row per parent and child. tube_id is the child's. The parent has followed, by which its
-- ack ends the row in the same transaction. A parent that is gone while its row has not ended was not acked.
CREATE TABLE tasktube_after (
  parent_id bigint  NOT NULL,
  child_id  bigint  NOT NULL,
  tube_id   integer NOT NULL,
  any_end   boolean NOT NULL,
  ended     boolean NOT NULL DEFAULT false,
  PRIMARY KEY (parent_id, child_id)
) WITH (vacuum_truncate = false);
CREATE INDEX tasktube_after_child ON tasktube_after (child_id, ended);

-- Calls to the holders of tasks to end them, and how far they are: a row per task for each of the two, until some time
-- after its taking. No columns of the task, which its holder's transaction may have locked. Not one row for both, which
-- the transaction of a call locks until its end.
CREATE TABLE tasktube_progress (
  task_id      bigint       NOT NULL,
  cancels      boolean      NOT NULL,
  done         bigint       NOT NULL DEFAULT 0,
  total        bigint       NOT NULL DEFAULT 0,
  note         varchar(255) NOT NULL DEFAULT '',
  at           timestamp(6) with time zone,
  cancelled_by varchar(255),
  reason       varchar(255),
  cancelled_at timestamp(6) with time zone,
  PRIMARY KEY (task_id, cancels)
) WITH (fillfactor = 50);

-- Dirty marks: tasks of these sub-queues have changed, so that another task may be the head now. The transaction that
-- changes a task adds the mark after the change. So the transaction has its number before the mark has its id. A take
-- reads the marks first.
CREATE TABLE tasktube_dirty (
  tube_id integer      NOT NULL,
  id      bigint       GENERATED ALWAYS AS IDENTITY,
  utube   varchar(255) COLLATE "C" NOT NULL,
  PRIMARY KEY (tube_id, id)
) WITH (vacuum_truncate = false);

-- Parked sub-queues: their heads cannot be promoted before the end of another transaction, which has locked a task.
-- There is at most one row per sub-queue. A promotion tries the sub-queue again when the task is no longer locked, or
-- no longer exists.
CREATE TABLE tasktube_parked (
  tube_id integer      NOT NULL,
  utube   varchar(255) COLLATE "C" NOT NULL,
  task_id bigint       NOT NULL,
  PRIMARY KEY (tube_id, utube)
);

-- The kinds of failures: one row per fingerprint. A failed delivery writes the row before the task, if its server does
-- not know that row. If a task has a kind without a row, the next check adds the row again. No foreign key, because it
-- would lock the kind's row with each failure. unused_since is the time when a check found no task of the kind.
CREATE TABLE tasktube_failure (
  fingerprint  bigint       NOT NULL PRIMARY KEY,
  type         varchar(250) NOT NULL,
  cause        varchar(250) NOT NULL,
  frame        varchar(250) NOT NULL,
  message      varchar(500) NOT NULL,
  first_at     timestamp(6) with time zone NOT NULL,
  unused_since timestamp(6) with time zone
);

-- Gives ids, and the order of put. It is the one object that all producers share, and it is never rolled back or
-- locked.
CREATE SEQUENCE tasktube_task_seq AS bigint;

-- No foreign key to tasktube_tube: it would lock the tube's row with each put.
CREATE TABLE tasktube_task (
  id            bigint       NOT NULL PRIMARY KEY,
  tube_id       integer      NOT NULL,
  state         char(1)      NOT NULL,
  pri           integer      NOT NULL,
  ord           bigint       NOT NULL,
  created_at    timestamp(6) with time zone NOT NULL,
  event_at      timestamp(6) with time zone,
  expires_at    timestamp(6) with time zone,
  ttr_ms        bigint,
  session       uuid,
  token         bigint,
  node          integer,
  taken_at      timestamp(6) with time zone,
  attempts      integer      NOT NULL DEFAULT 0,
  taken_count   integer      NOT NULL DEFAULT 0,
  buried_count  integer      NOT NULL DEFAULT 0,
  utube         varchar(255) COLLATE "C",
  blocked       boolean      NOT NULL DEFAULT false,
  sole_member   boolean      NOT NULL DEFAULT false,
  holds         boolean      NOT NULL DEFAULT false,
  followed      boolean      NOT NULL DEFAULT false,
  live_key      varchar(255) COLLATE "C",
  content_type  varchar(100) NOT NULL,
  data          bytea        NOT NULL,
  headers       text,
  error_type    varchar(250),
  error_message varchar(1000),
  error_trace   varchar(4000),
  failure       bigint,
  failed_at     timestamp(6) with time zone,
  operation     bigint,
  put_event     varchar(20),
  put_at        timestamp(6) with time zone,
  put_until     timestamp(6) with time zone,
  put_by        varchar(255),
  put_server    varchar(255),
  put_key       varchar(255) COLLATE "C",
  outcome       char(1),
  result_ttl_ms bigint,
  result_type   varchar(100),
  result        bytea
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.1,
  vacuum_truncate = false);

-- Gives the table pages from the start, which stay because vacuum_truncate is false. PostgreSQL plans a statement by
-- the number of pages at its first uses, and keeps that plan while the table grows. If the first plans were made
-- without pages, each ack would read the whole table, even one with a million tasks.
INSERT INTO tasktube_task (id, tube_id, state, pri, ord, created_at, content_type, data)
  SELECT -n, 0, 'r', 0, 0, statement_timestamp(), 'none', decode(repeat('00', 1000), 'hex') FROM generate_series(1, 1000) n;
DELETE FROM tasktube_task;
-- Free slots and marks have the same danger: all of a tube would be read for each put, and for each poll.
INSERT INTO tasktube_slot (tube_id) SELECT 0 FROM generate_series(1, 10000) n;
DELETE FROM tasktube_slot;
INSERT INTO tasktube_dirty (tube_id, utube) SELECT 0, '' FROM generate_series(1, 10000) n;
DELETE FROM tasktube_dirty;
INSERT INTO tasktube_after (parent_id, child_id, tube_id, any_end) SELECT n, n, 0, false FROM generate_series(1, 10000) n;
DELETE FROM tasktube_after;

-- After a burst of tasks, PostgreSQL expects one task in many pages. If it knows that the tasks of a tube lie side by side,
-- it charges a read in order for all pages of the tube. It charges a sort for one task. By that plan each take would sort
-- all tasks of the next burst. Without statistics of its first column, PostgreSQL assumes no such order for an index.
ALTER TABLE tasktube_task ALTER COLUMN tube_id SET STATISTICS 0;
ALTER TABLE tasktube_task ALTER COLUMN id SET STATISTICS 0;
ALTER TABLE tasktube_slot ALTER COLUMN tube_id SET STATISTICS 0;
ALTER TABLE tasktube_dirty ALTER COLUMN tube_id SET STATISTICS 0;

-- The index of take has only tasks that can be taken, so that the cost of take does not depend on other tasks.
CREATE INDEX tasktube_task_ready ON tasktube_task (tube_id, pri, ord, id) WHERE state = 'r' AND NOT blocked;
-- The blocked tasks of each sub-queue, in order.
CREATE INDEX tasktube_task_sub_queue ON tasktube_task (tube_id, utube, pri, ord, id) WHERE blocked;
-- At most one task per sub-queue can be taken or is taken: its head.
CREATE UNIQUE INDEX tasktube_task_head ON tasktube_task (tube_id, utube)
  WHERE utube IS NOT NULL AND state IN ('r', 't') AND NOT blocked;
-- In a tube of strict order, the head can be a task that has failed.
CREATE INDEX tasktube_task_holding ON tasktube_task (tube_id, utube) WHERE holds;
CREATE UNIQUE INDEX tasktube_task_key ON tasktube_task (tube_id, live_key) WHERE live_key IS NOT NULL;
-- All states except READY, for kick, peek, releaseAll and lists.
CREATE INDEX tasktube_task_other ON tasktube_task (tube_id, state, pri, ord, id) WHERE state <> 'r';
-- All deadlines of all tubes, for the one sweep.
CREATE INDEX tasktube_task_event ON tasktube_task (event_at, id) WHERE event_at IS NOT NULL;
-- The failed tasks of each kind, with all columns by which they are counted. The id gives searches their order.
CREATE INDEX tasktube_task_failure ON tasktube_task (failure, state, id) INCLUDE (tube_id, failed_at)
  WHERE failure IS NOT NULL;

-- Returns its argument. A condition on the first column of an index that compares it with this function makes PostgreSQL
-- read the index in its order, and end at the LIMIT. Otherwise a plan for a tube that had few tasks reads all of its
-- tasks and sorts them, also when it has a million. Such a plan also reads each removed task until vacuum, because only a
-- read in order marks these. PostgreSQL charges the cost of the function once for a read in order, and per task for all
-- other plans.
CREATE FUNCTION tasktube_in_order(value anyelement) RETURNS anyelement LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000 AS $$
BEGIN
  RETURN value;
END $$;

-- Returns whether a tube exists and no drop of it has begun. If it returns true, none can begin until the end of the
-- caller's transaction.
--
-- The function tries the lock and does not wait. A later statement reads the tube, so that its snapshot shows a drop
-- that has ended. Functions are costly to PostgreSQL, so it calls this one for the one tube only, and not for each row
-- that it reads. If an application has set another isolation for its transaction, all reads are by one snapshot. Then
-- only a lock of the row fails for a dropped tube.
CREATE FUNCTION tasktube_open(wanted integer) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock_shared('tasktube_tube'::regclass::oid::integer, wanted) THEN
    RETURN false;
  END IF;
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    PERFORM id FROM tasktube_tube WHERE id = wanted FOR KEY SHARE;
  END IF;
  RETURN (SELECT id FROM tasktube_tube WHERE id = wanted) IS NOT NULL;
END $$;

-- Prevents puts into a tube until the end of the caller's transaction. Returns false if the puts that have begun do not
-- end in time. While the function waits for these, no other put begins. If there is always an open put, tries without a
-- wait would never find a moment without one.
-- The wait is at most one second, or half of the statement timeout of the caller's datasource if that is shorter.
CREATE FUNCTION tasktube_close(wanted integer) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '1s' SET search_path FROM CURRENT AS $$
DECLARE
  patience CONSTANT interval := least(interval '1s', nullif(current_setting('statement_timeout')::interval, interval '0') / 2);
BEGIN
  PERFORM set_config('lock_timeout', ceil(extract(epoch FROM patience) * 1000) || 'ms', true);
  PERFORM pg_advisory_xact_lock('tasktube_tube'::regclass::oid::integer, wanted);
  RETURN true;
EXCEPTION WHEN lock_not_available THEN
  RETURN false;
END $$;

-- Promotes the heads of sub-queues: makes the first task of each dirty sub-queue the head. If another task has
-- overtaken a head, blocks that head. Returns true if marks or parked sub-queues are left unread and too few tasks are
-- ready. One transaction reads some thousand marks at most, so that no limit of time can stop promotions for ever. It
-- ends earlier if enough tasks are ready for any take.
-- The first task becomes the head also if its ttl is over: the sweep removes it, which leaves a mark. If the clock
-- decided here, a step of it could leave a sub-queue without a head and without a mark, for ever. Such a head does not
-- count among the ready tasks.
-- If no blocked task follows a head, the head is the sole member of its sub-queue: its removal leaves no mark. The
-- promotion that reads the mark of a later task clears that flag.
--
-- One transaction at a time promotes heads of a tube. Each step is a statement after the lock, because only such a
-- statement sees all changes of the promotion before. The function waits for that lock, up to its patience. It waits
-- for no row, and for a lock of a whole table as any statement does. If another transaction keeps the lock, or drops
-- the tube, nothing is promoted. The patience is one second, or half of the statement timeout of the caller's
-- datasource if that is shorter. When it is over, the promotion ends after its current batch.
-- If another transaction has locked the task that must change, the sub-queue is parked until that task is no longer
-- locked.
--
-- A removed mark stays in the index until vacuum, thousands of entries per second. So the column marks_from of the
-- tube's row says from which id on marks can exist. DirtyMarksModelTest checks the rule by which it moves:
-- 1. A transaction changes a task, which gives the transaction its number. Only then it takes an id for the mark, from
--    a sequence without cache.
-- 2. A promotion reads the latest id, and only then gets its own number. Each transaction with an id up to the latest
--    has a lower number than that. The promotion writes both down, as marks_upto and marks_end.
-- 3. If a later promotion's snapshot has no open transaction below marks_end, it sees every mark up to marks_upto. When
--    it has removed these, marks_from moves behind them.
-- A promotion that had a number before it read the latest id writes nothing down. If no transaction has had the number
-- marks_end here yet, the database was restored: the transactions that left those marks ended in the former database.
--
-- With these settings, each plan uses an index, independent of the content of the tables when PostgreSQL made the plan.
-- It uses the right index, because there is only one to use. LATERAL with LIMIT is one index lookup per sub-queue,
-- where EXISTS or a join may read all tasks of the tube. A search by id has no condition that a partial index knows.
-- A range of marks is read as a range: for an array of ids PostgreSQL 16 and older read all marks of the tube.
-- As one plan fits all tables, it is made once per connection: plans for the values of each call took PostgreSQL twice
-- as long as the promotion of a head itself.
CREATE FUNCTION tasktube_promote_heads(wanted integer) RETURNS boolean LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
  SET plan_cache_mode = force_generic_plan SET search_path FROM CURRENT AS $$
DECLARE
  step CONSTANT integer := 5000;
  batch CONSTANT integer := 1000;
  most CONSTANT integer := 5000;
  callers_lock_timeout CONSTANT text := current_setting('lock_timeout');
  patience interval;
  has_marks boolean;
  has_parked boolean;
  marks_before bigint;
  known bigint;
  ended bigint;
  next bigint;
  latest bigint;
  in_strict_order boolean;
  numbered boolean;
  upto bigint;
  found integer;
  freed varchar[];
  parked_left boolean := false;
  dirty_utubes varchar[];
  found_utubes varchar[];
  heads bigint[];
  firsts bigint[];
  rows_at tid[];
  sole boolean[];
  changes boolean[];
  with_head integer;
  promoted integer;
  living integer;
  ready integer := 0;
  looked integer := 0;
BEGIN
  SELECT (SELECT n.id FROM tasktube_tube t CROSS JOIN LATERAL (
      SELECT id FROM tasktube_dirty WHERE tube_id = t.id AND id >= t.marks_from ORDER BY tube_id, id LIMIT 1) n
    WHERE t.id = wanted) IS NOT NULL,
    (SELECT task_id FROM tasktube_parked WHERE tube_id = wanted ORDER BY tube_id, utube LIMIT 1) IS NOT NULL
  INTO has_marks, has_parked;
  IF NOT has_marks AND NOT has_parked THEN
    RETURN false;
  END IF;
  patience := least(interval '1s', nullif(current_setting('statement_timeout')::interval, interval '0') / 2);
  IF NOT pg_try_advisory_xact_lock('tasktube_dirty'::regclass::oid::integer, wanted) THEN
    IF NOT pg_try_advisory_xact_lock_shared('tasktube_tube'::regclass::oid::integer, wanted) THEN
      RETURN false;
    END IF;
    BEGIN
      PERFORM set_config('lock_timeout', ceil(extract(epoch FROM patience) * 1000) || 'ms', true);
      PERFORM pg_advisory_xact_lock('tasktube_dirty'::regclass::oid::integer, wanted);
      PERFORM set_config('lock_timeout', callers_lock_timeout, true);
      has_parked := true;
    EXCEPTION WHEN lock_not_available THEN
      RETURN false;
    END;
  END IF;
  SELECT marks_from, marks_upto, CASE WHEN marks_end <= pg_snapshot_xmin(pg_current_snapshot())
      OR marks_end >= pg_snapshot_xmax(pg_current_snapshot()) THEN marks_upto END,
    (SELECT id FROM tasktube_dirty WHERE tube_id = wanted ORDER BY tube_id DESC, id DESC LIMIT 1), strict_order
  INTO marks_before, known, ended, latest, in_strict_order FROM tasktube_tube WHERE id = wanted;
  next := marks_before;
  numbered := pg_current_xact_id_if_assigned() IS NOT NULL;

  IF has_parked THEN
    WITH free AS (
      DELETE FROM tasktube_parked WHERE tube_id = wanted AND utube = ANY(ARRAY(
        SELECT utube FROM tasktube_parked p WHERE tube_id = wanted
        AND ((SELECT id FROM tasktube_task WHERE id = p.task_id FOR UPDATE SKIP LOCKED) IS NOT NULL
          OR (SELECT id FROM tasktube_task WHERE id = p.task_id) IS NULL)
        ORDER BY tube_id, utube LIMIT batch)) RETURNING utube)
    SELECT array_agg(utube), count(*) = batch INTO freed, parked_left FROM free;
  END IF;
  LOOP
    WITH dirty AS (
      DELETE FROM tasktube_dirty WHERE tube_id = wanted AND id BETWEEN next AND (SELECT max(id) FROM (
        SELECT id FROM tasktube_dirty WHERE tube_id = wanted AND id BETWEEN next AND latest ORDER BY tube_id, id LIMIT batch)
        first)
      RETURNING id, utube)
    SELECT max(n.id), count(n.id), array_agg(DISTINCT n.utube) INTO upto, found, dirty_utubes
    FROM (SELECT id, utube FROM dirty UNION ALL SELECT NULL, unnest(freed)) n;
    EXIT WHEN dirty_utubes IS NULL;
    freed := NULL;

    SELECT array_agg(dirty.utube), array_agg(h.id), array_agg(f.ids[1]), array_agg(f.rows_at[1]),
      array_agg(h.id IS NULL AND cardinality(f.ids) = 1),
      array_agg(h.id IS NULL OR h.state = 'r' AND (h.pri, h.ord, h.id) > (f.pris[1], f.ords[1], f.ids[1]))
    INTO found_utubes, heads, firsts, rows_at, sole, changes FROM unnest(dirty_utubes) dirty(utube)
    LEFT JOIN LATERAL (
      SELECT id, pri, ord, state, sole_member FROM tasktube_task
      WHERE tube_id = wanted AND utube = dirty.utube AND state IN ('r', 't') AND NOT blocked
      UNION ALL SELECT id, pri, ord, state, sole_member FROM tasktube_task
      WHERE in_strict_order AND tube_id = wanted AND utube = dirty.utube AND holds LIMIT 1) h ON true
    CROSS JOIN LATERAL (
      SELECT array_agg(id) AS ids, array_agg(pri) AS pris, array_agg(ord) AS ords, array_agg(ctid) AS rows_at FROM (
        SELECT id, pri, ord, ctid FROM tasktube_task
        WHERE (h.id IS NULL OR h.state = 'r' OR h.sole_member) AND tube_id = wanted AND utube = dirty.utube AND blocked
        ORDER BY pri, ord, id LIMIT 2) first_two) f
    WHERE f.ids IS NOT NULL AND (h.id IS NULL OR h.sole_member OR (h.pri, h.ord, h.id) > (f.pris[1], f.ords[1], f.ids[1]));
    IF firsts IS NOT NULL THEN
      with_head := cardinality(array_remove(heads, NULL));
      IF with_head > 0 THEN
        UPDATE tasktube_task SET sole_member = false,
          blocked = state = 'r' AND id = ANY(ARRAY(
            SELECT h.id FROM unnest(heads, changes) h(id, changes) WHERE h.changes AND h.id IS NOT NULL))
        WHERE id = ANY(ARRAY(SELECT id FROM tasktube_task WHERE id = ANY(heads) AND NOT blocked AND utube IS NOT NULL
          FOR UPDATE SKIP LOCKED));
      END IF;
      WITH made AS (UPDATE tasktube_task t SET blocked = false, sole_member = f.sole FROM (
        SELECT t.row_at, f.sole FROM unnest(rows_at, heads, sole, changes) f(row_at, head, sole, changes)
        CROSS JOIN LATERAL (
          SELECT ctid AS row_at FROM tasktube_task WHERE ctid = f.row_at AND state = 'r' LIMIT 1 FOR UPDATE SKIP LOCKED) t
        WHERE f.changes AND (f.head IS NULL OR (SELECT blocked FROM tasktube_task WHERE id = f.head))) f
      WHERE t.ctid = f.row_at RETURNING t.expires_at)
      SELECT count(*), count(*) FILTER (WHERE expires_at IS NULL OR expires_at > statement_timestamp())
      INTO promoted, living FROM made;
      ready := ready + living;
      IF promoted < cardinality(firsts) OR with_head > 0 THEN
        INSERT INTO tasktube_parked (tube_id, utube, task_id)
        SELECT wanted, f.utube,
          CASE WHEN f.changes AND (f.head IS NULL OR (SELECT blocked FROM tasktube_task WHERE id = f.head))
            THEN f.id ELSE f.head END
        FROM unnest(found_utubes, heads, firsts, changes) f(utube, head, id, changes)
        WHERE CASE WHEN f.changes THEN (SELECT blocked FROM tasktube_task WHERE id = f.id)
          ELSE (SELECT sole_member FROM tasktube_task WHERE id = f.head) IS DISTINCT FROM false END
        ON CONFLICT (tube_id, utube) DO UPDATE SET task_id = EXCLUDED.task_id;
      END IF;
    END IF;
    next := COALESCE(upto + 1, next);
    looked := looked + found;
    EXIT WHEN found < batch OR ready >= batch OR looked >= most OR clock_timestamp() > statement_timestamp() + patience;
  END LOOP;

  IF ended >= next THEN
    ended := next - 1;
  END IF;
  IF marks_before <= ended - step THEN
    UPDATE tasktube_tube SET marks_from = ended + 1 WHERE id = (
      SELECT id FROM tasktube_tube WHERE id = wanted AND marks_from <= ended - step FOR NO KEY UPDATE SKIP LOCKED);
  END IF;
  IF NOT numbered AND latest > known + step THEN
    UPDATE tasktube_tube SET marks_upto = latest, marks_end = pg_current_xact_id() WHERE id = (
      SELECT id FROM tasktube_tube WHERE id = wanted AND marks_from > marks_upto - step FOR NO KEY UPDATE SKIP LOCKED);
  END IF;
  RETURN (found = batch OR parked_left) AND ready < batch;
END $$;

-- The search indexes: one row per task and searchable field, by a hash of the field and its value. Each declaration of
-- searchable fields begins an index of its own number, index_id of the tube. While index_since of the tube is not null,
-- the index lacks tasks: index_upto is the greatest id that has to be read, or not above 0 before the index begins, and
-- index_place the last one that was read. A row is written with its task, and removed some time after it. So a search
-- decides by the task itself.
CREATE TABLE tasktube_field (
  index_id bigint NOT NULL,
  hash     bigint NOT NULL,
  task_id  bigint NOT NULL,
  PRIMARY KEY (index_id, hash, task_id)
);

-- One row per 5 minutes, tube and server: tasks that were put, tasks that ended, and takes that failed. The bucket is the
-- number of 5 minutes since 1970 in UTC. A server adds its numbers at the end of each. Rows are kept for 25 hours.
CREATE TABLE tasktube_flow (
  bucket   bigint  NOT NULL,
  tube_id  integer NOT NULL,
  node     integer NOT NULL,
  puts     bigint  NOT NULL,
  ends     bigint  NOT NULL,
  failures bigint  NOT NULL,
  PRIMARY KEY (bucket, tube_id, node)
);

-- The audit: one row per act of a user by the console, also a refused one. The pages of the audit read the newest rows
-- first.
CREATE TABLE tasktube_audit (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  done_at     timestamp(6) with time zone NOT NULL,
  who         varchar(255) NOT NULL,
  needs       varchar(16)  NOT NULL,
  act         varchar(100) NOT NULL,
  tube        varchar(100),
  task        varchar(100),
  filter_text varchar(2000),
  amount      bigint,
  reason      varchar(255),
  status      integer      NOT NULL,
  server      varchar(255) NOT NULL,
  address     varchar(100)
);
CREATE INDEX tasktube_audit_tube ON tasktube_audit (tube, id) WHERE tube IS NOT NULL;
CREATE INDEX tasktube_audit_user ON tasktube_audit (who, id);
CREATE INDEX tasktube_audit_act ON tasktube_audit (act, id);

-- The logins of users at the console. The key is the SHA-256 of what the browser keeps. Rows that are over go with the
-- next login.
CREATE TABLE tasktube_login (
  login_key varchar(64)  NOT NULL PRIMARY KEY,
  who       varchar(255) NOT NULL,
  address   varchar(100) NOT NULL,
  server    varchar(255) NOT NULL,
  begun_at  timestamp(6) with time zone NOT NULL,
  seen_at   timestamp(6) with time zone NOT NULL
);

-- Acts on many tasks: one row per operation. Its id is of the sequence of tasks, and those of smaller ids are its tasks.
-- At most one operation is RUNNING: the column running is unique, and null in all other states. The server of the number
-- in node runs it, until node_until, and each batch sets that anew. The next batch begins at place. The ids in deferred
-- are of tasks that another transaction had locked, for a second try at the end.
CREATE TABLE tasktube_operation (
  id           bigint       NOT NULL PRIMARY KEY,
  act          varchar(10)  NOT NULL,
  filter       varchar(2000) NOT NULL,
  reason       varchar(255) NOT NULL,
  created_by   varchar(255) NOT NULL,
  state        char(1)      NOT NULL DEFAULT 'w',
  running      boolean      UNIQUE,
  created_at   timestamp(6) with time zone NOT NULL,
  started_at   timestamp(6) with time zone,
  ended_at     timestamp(6) with time zone,
  expected     bigint       NOT NULL,
  is_least     boolean      NOT NULL,
  up_to        bigint       NOT NULL,
  looked       bigint       NOT NULL DEFAULT 0,
  changed      bigint       NOT NULL DEFAULT 0,
  skipped      bigint       NOT NULL DEFAULT 0,
  place        varchar(2000) NOT NULL DEFAULT '',
  deferred     text   NOT NULL DEFAULT '',
  node         integer,
  node_until   timestamp(6) with time zone,
  server       varchar(255),
  cancelled_by varchar(255),
  cancel_reason text,
  error        varchar(1000),
  CONSTRAINT tasktube_operation_state CHECK (state IN ('w', 'r', 'd', 'c', 'f', 's') AND (state = 'r') = (running IS NOT NULL)
    AND (state IN ('w', 'r')) = (ended_at IS NULL) AND (state = 'c') = (cancelled_by IS NOT NULL) AND (state = 'f') = (error IS NOT NULL)),
  CONSTRAINT tasktube_operation_counts CHECK (looked >= changed + skipped)
);
-- The operations that have not ended, for the order in which they run.
CREATE INDEX tasktube_operation_open ON tasktube_operation (id) WHERE ended_at IS NULL;

-- What was logged during deliveries, if the adapter's property deliveryLogLines is above 0: a row per delivery that has
-- logged something. Rows stay for 7 days, and the last 20 of a task.
CREATE TABLE tasktube_log (
  task_id bigint       NOT NULL,
  id      bigint       GENERATED ALWAYS AS IDENTITY,
  tube_id integer      NOT NULL,
  attempt integer      NOT NULL,
  server  varchar(255) NOT NULL,
  at      timestamp(6) with time zone NOT NULL,
  lines   text         NOT NULL,
  PRIMARY KEY (task_id, id)
);
CREATE INDEX tasktube_log_at ON tasktube_log (at);

-- Schedules: one row each, which its fires lock, so that each fire is one task over all servers. The digest is that of all
-- columns up to late_ms: a deployment that makes an equal schedule changes nothing. next_at is the next fire.
CREATE TABLE tasktube_schedule (
  name         varchar(255) NOT NULL PRIMARY KEY,
  digest       varchar(64)  NOT NULL,
  cron         varchar(255),
  zone         varchar(64)  NOT NULL,
  period_ms    bigint,
  tube         varchar(32)  NOT NULL,
  pri          integer,
  ttl_ms       bigint,
  ttr_ms       bigint,
  delay_ms     bigint,
  utube        varchar(255),
  urgent       boolean      NOT NULL,
  headers      varchar,
  content_type varchar(100) NOT NULL,
  data         bytea NOT NULL,
  overlap      boolean      NOT NULL,
  late_ms      bigint,
  next_at      timestamp(6) with time zone NOT NULL,
  last_at      timestamp(6) with time zone,
  last_task    bigint,
  fires        bigint       NOT NULL DEFAULT 0,
  skipped      bigint       NOT NULL DEFAULT 0,
  skip_reason  varchar(20),
  skip_at      timestamp(6) with time zone,
  paused_by    varchar(255),
  paused_at    timestamp(6) with time zone,
  paused_why   varchar(255)
);

CREATE INDEX tasktube_schedule_next ON tasktube_schedule (next_at);

-- The tasks that operations have changed, also those that are gone and have no history: a row per batch, tube and state,
-- with ids and ranges of ids.
CREATE TABLE tasktube_changed (
  operation_id bigint  NOT NULL,
  id           bigint  GENERATED ALWAYS AS IDENTITY,
  tube_id      integer NOT NULL,
  ids          text    NOT NULL,
  PRIMARY KEY (operation_id, id),
  CONSTRAINT tasktube_changed_operation FOREIGN KEY (operation_id) REFERENCES tasktube_operation (id) ON DELETE CASCADE
);

-- -------------------------------------------------------------------------------------------- The histories of tasks

-- One row per move of a task, in tubes with a history. The transaction of the move writes it. Rows are never changed. The
-- put of a task has no row, unless another task's delivery made it. Its values are in the task's row, and in the row of
-- the move that removed the task. Number 1 is for such puts, so ids begin with 2. Rows stay when the task is gone, and
-- the maintenance removes them when they are older than the retention of the tube. No foreign key: it would lock the
-- tube's row with each move. Tasks have ids that no other task has, so the index of a task's moves needs no tube.
CREATE TABLE tasktube_history (
  tube_id       integer      NOT NULL,
  id            bigint       GENERATED ALWAYS AS IDENTITY (START WITH 2),
  task_id       bigint       NOT NULL,
  at            timestamp(6) with time zone NOT NULL,
  event         varchar(20)  NOT NULL,
  from_state    char(1),
  attempt       integer      NOT NULL,
  until_at      timestamp(6) with time zone,
  session       uuid,
  server        varchar(255),
  bean          varchar(250),
  made_by       varchar(255),
  failure       bigint,
  error_type    varchar(250),
  error_message varchar(1000),
  error_trace   varchar(4000),
  parent_tube   integer,
  parent_task   bigint,
  put_event     varchar(20),
  put_at        timestamp(6) with time zone,
  put_until     timestamp(6) with time zone,
  put_by        varchar(255),
  put_server    varchar(255),
  put_key       varchar(255) COLLATE "C",
  PRIMARY KEY (tube_id, id)
);
CREATE INDEX tasktube_history_task ON tasktube_history (task_id, id);
-- The tasks that a delivery put.
CREATE INDEX tasktube_history_parent ON tasktube_history (parent_task, id) WHERE parent_task IS NOT NULL;
-- The tasks of a unique key that are gone.
CREATE INDEX tasktube_history_key ON tasktube_history (put_key, id) WHERE put_key IS NOT NULL;

INSERT INTO tasktube_schema (version) VALUES (1);
