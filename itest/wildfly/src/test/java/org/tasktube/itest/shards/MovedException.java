package org.tasktube.itest.shards;

import jakarta.ejb.ApplicationException;

/** The tenant is not in this database, or it moves. The transaction rolls back; the next try looks where it is. */
@ApplicationException(rollback = true)
public class MovedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    MovedException(String tenant, Shard shard) {
        super(tenant + " is not in the shard " + shard.name() + ", or it moves; try again");
    }

    MovedException(String tenant) {
        super(tenant + " is in no shard, or it moves; try again");
    }
}
