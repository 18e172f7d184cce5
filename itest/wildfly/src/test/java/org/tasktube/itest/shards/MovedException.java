package org.tasktube.itest.shards;

import jakarta.ejb.ApplicationException;

/** The tenant is not in this database, or not any more. Its transaction rolls back; the next try looks where it is. */
@ApplicationException(rollback = true)
public class MovedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    MovedException(String tenant, Shard shard) {
        super(tenant + " is not in the shard " + shard.name());
    }
}
