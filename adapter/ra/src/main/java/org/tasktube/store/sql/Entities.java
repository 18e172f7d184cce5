package org.tasktube.store.sql;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.tasktube.StoreException;
import org.tasktube.TaskFailure;
import org.tasktube.store.StackRoom;

/**
 * Reads by JPA, on the datasource's connection: in a transaction, that transaction's own.
 *
 * @param own the connection to use instead, for a thread that keeps one
 */
record Entities(EntityManagerFactory factory, CallersTransaction caller, Optional<OwnConnection> own) {

    Entities(EntityManagerFactory factory, CallersTransaction caller) {
        this(factory, caller, Optional.empty());
    }

    Entities on(OwnConnection connection) {
        return new Entities(factory, CallersTransaction.NONE, Optional.of(connection));
    }

    <T> T query(Function<EntityManager, T> query) {
        StackRoom.checkForDriver();
        try {
            return own.isPresent() ? queryOn(own.get(), query) : queryHere(query);
        } catch (PersistenceException | SQLException | IllegalStateException e) {
            // A closed factory throws the last one, while the store is opened again
            if (own.isEmpty()) {
                caller.checkNotEnded(e);
                if (reachedDatabase(e)) {
                    caller.fail();
                }
            }
            throw new StoreException("the database failed to answer: " + e.getMessage(), e, SqlStates.isAway(e));
        }
    }

    /** Reads in a read-only transaction, unless the caller has a transaction, or the thread has a connection. */
    <T> T reading(Dialect dialect, Function<EntityManager, T> query) {
        return query(em -> {
            if (own.isPresent() || caller.transactions().active()) {
                return query.apply(em);
            }
            em.getTransaction().begin();
            try {
                // The round trips of reads by JPA are not counted
                em.unwrap(Session.class)
                        .doWork(connection -> dialect.beginReading(new SqlConnection(connection, new LongAdder())));
                return query.apply(em);
            } finally {
                em.getTransaction().rollback();
            }
        });
    }

    /** Returns whether the database refused a statement. Failures of a pool, which has no connection, have no state. */
    private static boolean reachedDatabase(Exception failure) {
        return TaskFailure.causes(failure).stream()
                .anyMatch(cause -> cause instanceof SQLException sql && sql.getSQLState() != null);
    }

    private <T> T queryHere(Function<EntityManager, T> query) {
        try (EntityManager em = factory.createEntityManager()) {
            return query.apply(em);
        }
    }

    private <T> T queryOn(OwnConnection connection, Function<EntityManager, T> query) throws SQLException {
        return connection.lend(lent -> {
            try (EntityManager em = factory.unwrap(SessionFactory.class)
                    .withOptions()
                    .connection(lent)
                    .openSession()) {
                return query.apply(em);
            }
        });
    }

    void close() {
        if (own.isPresent()) {
            own.get().close();
        } else {
            factory.close();
        }
    }
}
