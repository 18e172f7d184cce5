-- From version 11 to 12: rows of the audit have the address of the client.
ALTER TABLE tasktube_audit ADD COLUMN IF NOT EXISTS address varchar(100);
