package org.tasktube.store.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import java.util.function.Function;
import org.tasktube.StoreException;

/** Looks by JPA, on the connection that the datasource gives: in a transaction, that transaction's own. */
record Entities(EntityManagerFactory factory) {

    <T> T look(Function<EntityManager, T> query) {
        try (EntityManager em = factory.createEntityManager()) {
            return query.apply(em);
        } catch (PersistenceException e) {
            throw new StoreException("the database failed to answer: " + e.getMessage(), e);
        }
    }

    void close() {
        factory.close();
    }
}
