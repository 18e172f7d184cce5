-- From version 11 to 12: rows of the audit have the address of the client. Functions are created anew after the last
-- step, and keep the schema in which they are: an application may set another one on its connection.
ALTER TABLE tasktube_audit ADD COLUMN address varchar(100);
