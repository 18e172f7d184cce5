-- From a version of tests, which MigrationTest makes of the present one.
ALTER TABLE tasktube_node ADD COLUMN IF NOT EXISTS work varchar NOT NULL DEFAULT '';
CREATE INDEX IF NOT EXISTS tasktube_audit_act ON tasktube_audit (act DESC, id DESC);
ALTER TABLE tasktube_task DROP COLUMN IF EXISTS novelty;
