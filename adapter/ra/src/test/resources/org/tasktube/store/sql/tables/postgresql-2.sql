-- The tables of version 2, as they were at 0d97ae2.
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
  notes_from  bigint   NOT NULL DEFAULT 0,
  notes_upto  bigint   NOT NULL DEFAULT 0,
  notes_end   xid8
);
CREATE TABLE tasktube_node (
  id      integer      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name    varchar(255) NOT NULL,
  seen_at timestamp(6) with time zone NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE tasktube_session (
  session    uuid    NOT NULL,
  node       integer NOT NULL,
  expires_at timestamp(6) with time zone,
  PRIMARY KEY (session, node),
  CONSTRAINT tasktube_session_expiry CHECK ((node = 0) = (expires_at IS NOT NULL))
);
CREATE TABLE tasktube_place (
  tube_id integer NOT NULL,
  id      bigint  GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (tube_id, id)
);
CREATE TABLE tasktube_note (
  tube_id integer      NOT NULL,
  id      bigint       GENERATED ALWAYS AS IDENTITY,
  utube   varchar(255) COLLATE "C" NOT NULL,
  PRIMARY KEY (tube_id, id)
);
CREATE SEQUENCE tasktube_task_seq AS bigint;
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
  behind        boolean      NOT NULL DEFAULT false,
  alone         boolean      NOT NULL DEFAULT false,
  live_key      varchar(255) COLLATE "C",
  content_type  varchar(100) NOT NULL,
  data          bytea        NOT NULL,
  error_type    varchar(250),
  error_message varchar(1000),
  error_trace   varchar(4000),
  outcome       char(1),
  result_ttl_ms bigint,
  result_type   varchar(100),
  result        bytea,
  CONSTRAINT tasktube_task_state CHECK (state IN ('r', '~', 't', '!', '-')),
  CONSTRAINT tasktube_task_taken CHECK ((state = 't') = (session IS NOT NULL AND token IS NOT NULL AND node IS NOT NULL AND taken_at IS NOT NULL)),
  CONSTRAINT tasktube_task_delayed CHECK (state <> '~' OR event_at IS NOT NULL),
  CONSTRAINT tasktube_task_behind CHECK (NOT behind OR (utube IS NOT NULL AND state = 'r')),
  CONSTRAINT tasktube_task_done CHECK ((state = '-') = (outcome IS NOT NULL) AND (outcome IS NULL) = (result IS NULL) AND (outcome IS NULL OR live_key IS NULL)),
  CONSTRAINT tasktube_task_counts CHECK (attempts >= 0 AND taken_count >= attempts AND buried_count >= 0)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.1,
  vacuum_truncate = false);
INSERT INTO tasktube_task (id, tube_id, state, pri, ord, created_at, content_type, data)
  SELECT -n, 0, 'r', 0, 0, statement_timestamp(), 'none', decode(repeat('00', 1000), 'hex') FROM generate_series(1, 1000) n;
DELETE FROM tasktube_task;
CREATE INDEX tasktube_task_ready ON tasktube_task (tube_id, pri, ord) WHERE state = 'r' AND NOT behind;
CREATE INDEX tasktube_task_lane ON tasktube_task (tube_id, utube, pri, ord) WHERE behind;
CREATE UNIQUE INDEX tasktube_task_head ON tasktube_task (tube_id, utube)
  WHERE utube IS NOT NULL AND state IN ('r', 't') AND NOT behind;
CREATE UNIQUE INDEX tasktube_task_key ON tasktube_task (tube_id, live_key) WHERE live_key IS NOT NULL;
CREATE INDEX tasktube_task_other ON tasktube_task (tube_id, state, pri, ord) WHERE state <> 'r';
CREATE INDEX tasktube_task_event ON tasktube_task (event_at) WHERE event_at IS NOT NULL;
CREATE FUNCTION tasktube_settle(settled integer) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
  step CONSTANT integer := 5000;
  known bigint;
  ended bigint;
  next bigint;
  latest bigint;
  upto bigint;
  found integer;
  utubes varchar[];
  lanes varchar[];
  heads bigint[];
  firsts bigint[];
  places tid[];
  lonely boolean[];
  changes boolean[];
  with_head integer;
  moved integer;
  ready integer := 0;
BEGIN
  IF (SELECT n.id FROM tasktube_tube t CROSS JOIN LATERAL (
      SELECT id FROM tasktube_note WHERE tube_id = t.id AND id >= t.notes_from ORDER BY tube_id, id LIMIT 1) n
    WHERE t.id = settled) IS NULL THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('tasktube_settle'), settled);
  SELECT notes_from, notes_upto, CASE WHEN notes_end <= pg_snapshot_xmin(pg_current_snapshot())
      OR notes_end > pg_snapshot_xmax(pg_current_snapshot()) THEN notes_upto END,
    (SELECT id FROM tasktube_note WHERE tube_id = settled ORDER BY tube_id DESC, id DESC LIMIT 1)
  INTO next, known, ended, latest FROM tasktube_tube WHERE id = settled;
  LOOP
    SELECT max(id), count(*) INTO upto, found FROM (
      SELECT id FROM tasktube_note WHERE tube_id = settled AND id BETWEEN next AND latest ORDER BY tube_id, id LIMIT 1000) n;
    EXIT WHEN found = 0;
    WITH noted AS (
      DELETE FROM tasktube_note WHERE tube_id = settled AND id BETWEEN next AND upto RETURNING utube)
    SELECT array_agg(DISTINCT utube) INTO utubes FROM noted;
    SELECT array_agg(noted.utube), array_agg(h.id), array_agg(f.ids[1]), array_agg(f.places[1]),
      array_agg(h.id IS NULL AND cardinality(f.ids) = 1),
      array_agg(h.id IS NULL OR h.state = 'r' AND (h.pri, h.ord) > (f.pris[1], f.ords[1]))
    INTO lanes, heads, firsts, places, lonely, changes FROM unnest(utubes) noted(utube)
    LEFT JOIN LATERAL (
      SELECT id, pri, ord, state, alone FROM tasktube_task
      WHERE tube_id = settled AND utube = noted.utube AND state IN ('r', 't') AND NOT behind LIMIT 1) h ON true
    CROSS JOIN LATERAL (
      SELECT array_agg(id) AS ids, array_agg(pri) AS pris, array_agg(ord) AS ords, array_agg(ctid) AS places FROM (
        SELECT id, pri, ord, ctid FROM tasktube_task
        WHERE (h.id IS NULL OR h.state = 'r' OR h.alone) AND tube_id = settled AND utube = noted.utube AND behind
        AND (expires_at IS NULL OR expires_at > statement_timestamp())
        ORDER BY pri, ord LIMIT 2) first_two) f
    WHERE f.ids IS NOT NULL AND (h.id IS NULL OR h.alone OR (h.pri, h.ord) > (f.pris[1], f.ords[1]));
    IF firsts IS NOT NULL THEN
      with_head := cardinality(array_remove(heads, NULL));
      IF with_head > 0 THEN
        UPDATE tasktube_task SET alone = false,
          behind = state = 'r' AND id = ANY(ARRAY(
            SELECT h.id FROM unnest(heads, changes) h(id, changes) WHERE h.changes AND h.id IS NOT NULL))
        WHERE id = ANY(ARRAY(SELECT id FROM tasktube_task WHERE id = ANY(heads) AND NOT behind FOR UPDATE SKIP LOCKED));
      END IF;
      UPDATE tasktube_task t SET behind = false, alone = f.lonely FROM (
        SELECT t.place, f.lonely FROM unnest(places, heads, lonely, changes) f(place, head, lonely, changes)
        CROSS JOIN LATERAL (
          SELECT ctid AS place FROM tasktube_task WHERE ctid = f.place AND state = 'r' LIMIT 1 FOR UPDATE SKIP LOCKED) t
        WHERE f.changes AND (f.head IS NULL OR (SELECT behind FROM tasktube_task WHERE id = f.head))) f
      WHERE t.ctid = f.place;
      GET DIAGNOSTICS moved = ROW_COUNT;
      ready := ready + moved;
      IF moved < cardinality(firsts) OR with_head > 0 THEN
        INSERT INTO tasktube_note (tube_id, utube)
        SELECT settled, f.utube FROM unnest(lanes, heads, firsts, changes) f(utube, head, id, changes)
        WHERE CASE WHEN f.changes THEN (SELECT behind FROM tasktube_task WHERE id = f.id)
          ELSE (SELECT alone FROM tasktube_task WHERE id = f.head) IS DISTINCT FROM false END;
      END IF;
    END IF;
    next := upto + 1;
    EXIT WHEN found < 1000 OR ready >= 1000;
  END LOOP;
  IF ended >= next THEN
    ended := next - 1;
  END IF;
  UPDATE tasktube_tube SET notes_from = ended + 1 WHERE id = (
    SELECT id FROM tasktube_tube WHERE id = settled AND notes_from <= ended - step FOR NO KEY UPDATE SKIP LOCKED);
  IF latest > known + step THEN
    UPDATE tasktube_tube SET notes_upto = latest, notes_end = pg_snapshot_xmax(pg_current_snapshot()) WHERE id = (
      SELECT id FROM tasktube_tube WHERE id = settled AND notes_from > notes_upto - step FOR NO KEY UPDATE SKIP LOCKED);
  END IF;
END $$;
INSERT INTO tasktube_schema (version) VALUES (2);
