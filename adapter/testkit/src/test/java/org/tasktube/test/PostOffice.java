package org.tasktube.test;

import jakarta.annotation.Resource;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;

/** As in the tutorial. */
class PostOffice {
    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    @PersistenceContext
    private EntityManager entities;

    long post(String address) {
        Letter letter = new Letter();
        letter.address = address;
        entities.persist(letter);
        entities.flush();
        try (TubeConnection connection = tubes.getConnection()) {
            connection
                    .createTubeIfNotExists(TubeDefinition.of("letters", TubeDefinition.FIFOTTL))
                    .put(letter.id);
        }
        return letter.id;
    }
}
