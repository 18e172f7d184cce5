package org.tasktube.store.sql;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import java.sql.Connection;
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
 * @param own lends the connection to use instead, for a thread that keeps one
 * @param atClose closes the factory, or the thread's connection
 */
record Entities(EntityManagerFactory factory, CallersTransaction caller, Optional<Jdbc> own, Runnable atClose) {

    Entities(EntityManagerFactory factory, CallersTransaction caller) {
        this(factory, caller, Optional.empty(), factory::close);
    }

    Entities on(Jdbc jdbc, OwnConnection connection) {
        return new Entities(factory, CallersTransaction.NONE, Optional.of(jdbc), connection::close);
    }

    <T> T query(Function<EntityManager, T> query) {
        StackRoom.checkForDriver();
        return own.isPresent() ? own.get().atomic("answer", on -> queryOn(on.connection(), query)) : queryHere(query);
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
        } catch (PersistenceException | IllegalStateException e) {
            // A closed factory throws the last one, while the store is opened again
            caller.checkNotEnded(e);
            if (reachedDatabase(e)) {
                caller.fail();
            }
            throw failed(e);
        }
    }

    private <T> T queryOn(Connection connection, Function<EntityManager, T> query) {
        try (EntityManager em = factory.unwrap(SessionFactory.class)
                .withOptions()
                .connection(connection)
                .openSession()) {
            return query.apply(em);
        } catch (PersistenceException | IllegalStateException e) {
            throw failed(e);
        }
    }

    private static StoreException failed(RuntimeException e) {
        return new StoreException("the database failed to answer: " + e.getMessage(), e, SqlStates.isAway(e));
    }

    void close() {
        atClose.run();
    }
}
