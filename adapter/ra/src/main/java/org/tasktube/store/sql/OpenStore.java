package org.tasktube.store.sql;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

/**
 * An open database: its registry, its tasks, and the tables beside these.
 *
 * @param tasks the tasks of all tubes but the temporary ones
 * @param temporary the tasks of temporary tubes
 * @param operations the acts on many tasks
 * @param notices texts between the servers; empty if the database has none
 * @param roundTrips returns the number of statements and commits that were sent to the database
 * @param database the product and the version of the database, for logs
 * @param own opens the same store on a connection of its own; the arguments are the timeouts for locks and for answers
 * @param closing closes what the parts share
 */
public record OpenStore(
        Registry registry,
        TaskStore tasks,
        TaskStore temporary,
        AuditTrail audit,
        Logins logins,
        DeliveryLogs deliveryLogs,
        Flow flow,
        Schedules schedules,
        Afters afters,
        Progress progress,
        Operations operations,
        Optional<Notices> notices,
        LongSupplier roundTrips,
        String database,
        BiFunction<Duration, Duration, OpenStore> own,
        Runnable closing)
        implements AutoCloseable {

    /** Returns the tasks of all temporary tubes, or of all others. */
    public TaskStore tasks(boolean ofTemporary) {
        return ofTemporary ? temporary : tasks;
    }

    /** Returns the same store, with the name of the datasource in the description of its database. */
    public OpenStore at(String datasource) {
        return new OpenStore(
                registry,
                tasks,
                temporary,
                audit,
                logins,
                deliveryLogs,
                flow,
                schedules,
                afters,
                progress,
                operations,
                notices,
                roundTrips,
                database + " at " + datasource,
                own,
                closing);
    }

    /**
     * Returns the same store for one thread of the adapter, which keeps a connection for itself. Closing the returned
     * store closes that connection only.
     */
    public OpenStore onOwnConnection(Duration lockTimeout, Duration networkTimeout) {
        return own.apply(lockTimeout, networkTimeout);
    }

    @Override
    public void close() {
        closing.run();
    }
}
