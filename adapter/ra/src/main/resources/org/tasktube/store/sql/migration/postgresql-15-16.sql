-- From version 15 to 16: fields of the data by which searches find tasks. They are none until somebody declares some.
-- A cancelled operation has the reason of that.
ALTER TABLE tasktube_tube ADD COLUMN searchable varchar(1000) DEFAULT '' NOT NULL;
ALTER TABLE tasktube_tube ADD COLUMN index_id bigint DEFAULT 0 NOT NULL;
ALTER TABLE tasktube_tube ADD COLUMN index_since timestamp(6) with time zone;
ALTER TABLE tasktube_tube ADD COLUMN index_upto bigint DEFAULT 0 NOT NULL;
ALTER TABLE tasktube_tube ADD COLUMN index_place bigint DEFAULT 0 NOT NULL;
ALTER TABLE tasktube_operation ADD COLUMN cancel_reason text;
CREATE TABLE tasktube_field (
  index_id bigint NOT NULL,
  hash     bigint NOT NULL,
  task_id  bigint NOT NULL,
  PRIMARY KEY (index_id, hash, task_id)
);
