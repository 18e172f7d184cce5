package org.tasktube.itest.app;

import jakarta.ejb.Stateless;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;

/** The application's own table, in the caller's transaction. */
@Stateless
public class Rows {

    @PersistenceContext
    private EntityManager entities;

    public void add(String text) {
        entities.persist(new Row(text));
        entities.flush();
    }

    public long count(String text) {
        return entities.createQuery("SELECT count(r) FROM Row r WHERE r.text = :text", Long.class)
                .setParameter("text", text)
                .getSingleResult();
    }
}
