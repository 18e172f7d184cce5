package org.tasktube.itest.orders;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import jakarta.inject.Inject;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;

/** Takes orders: a row in one database, and a task in the other. */
@Stateless
public class Desk {

    static final String TUBE = "orders";

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    @Inject
    private Rows rows;

    public String order(long number) {
        try (TubeConnection connection = tubes.getConnection()) {
            rows.ordered(number);
            connection.createTubeIfNotExists(TubeDefinition.fifo(TUBE)).put(Long.toString(number));
            return "ordered";
        }
    }
}
