-- From version 14 to 15: a kind of failures has the class of the exception and that of its root cause. An older row has
-- one of them, until it is removed. An operation changes at most the number of tasks that its user confirmed. Older ones
-- had no bound, and their tasks were all of smaller ids. A server shows the others its work in its row.
ALTER TABLE tasktube_node ADD COLUMN IF NOT EXISTS work varchar DEFAULT '' NOT NULL;
ALTER TABLE tasktube_failure ADD COLUMN IF NOT EXISTS cause varchar(250) DEFAULT '' NOT NULL;
ALTER TABLE tasktube_failure ALTER COLUMN cause DROP DEFAULT;
ALTER TABLE tasktube_operation ADD COLUMN IF NOT EXISTS is_least boolean DEFAULT true NOT NULL;
ALTER TABLE tasktube_operation ADD COLUMN IF NOT EXISTS up_to bigint DEFAULT 0 NOT NULL;
UPDATE tasktube_operation SET up_to = id WHERE up_to = 0;
ALTER TABLE tasktube_operation ALTER COLUMN is_least DROP DEFAULT;
ALTER TABLE tasktube_operation ALTER COLUMN up_to DROP DEFAULT;
ALTER TABLE tasktube_operation DROP CONSTRAINT IF EXISTS tasktube_operation_state;
ALTER TABLE tasktube_operation ADD CONSTRAINT tasktube_operation_state CHECK (state IN ('w', 'r', 'd', 'c', 'f', 's') AND (state = 'r') = (running IS NOT NULL)
    AND (state IN ('w', 'r')) = (ended_at IS NULL) AND (state = 'c') = (cancelled_by IS NOT NULL) AND (state = 'f') = (error IS NOT NULL));
