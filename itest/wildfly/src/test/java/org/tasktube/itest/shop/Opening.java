package org.tasktube.itest.shop;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import java.time.Duration;
import org.tasktube.Schedule;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;

/** Opens the shop, on each of its servers alike: makes what is not there yet. */
@Startup
@Singleton
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class Opening {

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    @PostConstruct
    void open() {
        try (TubeConnection connection = tubes.getConnection()) {
            if (!connection.awaitRunning(Duration.ofMinutes(1))) {
                throw new IllegalStateException("TaskTube is " + connection.state());
            }
            connection.createTubeIfNotExists(TubeDefinition.fifottl("orders"));
            connection.createTubeIfNotExists(TubeDefinition.fifottl("prints").ttr(Duration.ofMinutes(5)));
            connection.createTubeIfNotExists(
                    TubeDefinition.utubettl("addresses").strict());
            connection.createTubeIfNotExists(TubeDefinition.fifo("mails").maxRate(5, Duration.ofSeconds(1)));
            connection.schedule(
                    Schedule.cron("nightly", "0 3 * * *", "Europe/Berlin").into("mails", "to the boss: the day"));
        }
    }
}
