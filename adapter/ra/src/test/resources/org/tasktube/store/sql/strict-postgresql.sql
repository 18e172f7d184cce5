-- What each statement leaves true of a task. PostgreSQL would prepare these expressions anew for each statement, which costs
-- nearly half of a put, so only the tables of the tests have them.
ALTER TABLE tasktube_task
  ADD CONSTRAINT tasktube_task_state CHECK (state IN ('r', '~', 't', '!', '-')),
  ADD CONSTRAINT tasktube_task_taken CHECK ((state = 't') = (session IS NOT NULL AND token IS NOT NULL AND node IS NOT NULL AND taken_at IS NOT NULL)),
  ADD CONSTRAINT tasktube_task_blocked CHECK (NOT blocked OR (utube IS NOT NULL AND state = 'r')),
  ADD CONSTRAINT tasktube_task_holds CHECK (NOT holds OR (utube IS NOT NULL AND state IN ('~', '!'))),
  ADD CONSTRAINT tasktube_task_done CHECK ((state = '-') = (outcome IS NOT NULL) AND (outcome IS NULL) = (result IS NULL) AND (outcome IS NULL OR live_key IS NULL)),
  ADD CONSTRAINT tasktube_task_counts CHECK (attempts >= 0 AND taken_count >= attempts AND buried_count >= 0),
  ADD CONSTRAINT tasktube_task_failed CHECK ((failure IS NULL) = (failed_at IS NULL));
