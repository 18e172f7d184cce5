package org.tasktube.itest.work;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.locks.LockSupport;
import org.tasktube.AdapterState;
import org.tasktube.PutOptions;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;

/** Makes the tube of the bean, and fills tubes. */
@Singleton
@Startup
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class WorkTube {

    static final String NAME = "work";
    static final String IN_TRANSACTION = "work-tx";

    private static final int BATCH = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    /** After a kill of the server, this application starts before the adapter has looked at its database. */
    @PostConstruct
    void make() {
        long end = System.nanoTime() + PATIENCE.toNanos();
        try (TubeConnection connection = tubes.getConnection()) {
            while (connection.state() != AdapterState.RUNNING && System.nanoTime() - end < 0) {
                LockSupport.parkNanos(1_000_000);
            }
            connection.createTubeIfNotExists(TubeDefinition.fifottl(NAME));
            connection.createTubeIfNotExists(TubeDefinition.fifottl(IN_TRANSACTION));
        }
    }

    /** Puts tasks by the thousand. */
    public void put(String tube, int tasks) {
        try (TubeConnection connection = tubes.getConnection()) {
            for (int left = tasks; left > 0; left -= BATCH) {
                connection.tube(tube).putAll(Collections.nCopies(Math.min(BATCH, left), "x"), PutOptions.defaults());
            }
        }
    }
}
