package org.tasktube.itest.shards;

import jakarta.annotation.PostConstruct;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import java.time.Duration;
import org.tasktube.TubeConnection;
import org.tasktube.TubeDefinition;

/** Makes the tube in each database. */
@Startup
@Singleton
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class Opening {

    @Inject
    private Shards shards;

    @PostConstruct
    void open() {
        shards.all().forEach(Opening::open);
    }

    private static void open(Shard shard) {
        try (TubeConnection connection = shard.tubes().getConnection()) {
            if (!connection.awaitRunning(Duration.ofMinutes(1))) {
                throw new IllegalStateException("TaskTube of the shard " + shard.name() + " is " + connection.state());
            }
            connection.createTubeIfNotExists(TubeDefinition.fifottl(Desk.TUBE).searchable("tenant"));
        }
    }
}
