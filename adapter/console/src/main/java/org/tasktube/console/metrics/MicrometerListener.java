package org.tasktube.console.metrics;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.tasktube.TubeConnectionFactory;

/**
 * Shows the metrics in the registry of Micrometer, if the server has WildFly's subsystem of that name. Without it the
 * application sees none of Micrometer's classes, and this class loads none.
 */
@WebListener
public class MicrometerListener implements ServletContextListener {

    /** The time between two reads. A registry sends its numbers less often. */
    static final Duration INTERVAL = Duration.ofSeconds(10);

    private static final String NEEDED = "io/micrometer/core/instrument/MeterRegistry.class";
    private static final Logger LOG = Logger.getLogger("org.tasktube.console");

    @Resource
    private ManagedScheduledExecutorService executor;

    @Resource(name = "tasktube")
    private TubeConnectionFactory factory;

    private Optional<Reads> reads = Optional.empty();
    private ScheduledFuture<?> schedule;

    /** One read each time that it runs. This class must not name a class that uses Micrometer in its signatures. */
    interface Reads extends Runnable {

        /** Removes all metrics. A read that runs now shows none. */
        void close();
    }

    @Override
    public void contextInitialized(ServletContextEvent event) {
        if (event.getServletContext().getClassLoader().getResource(NEEDED) == null) {
            return;
        }
        reads = MicrometerReads.find(factory);
        reads.ifPresent(found -> {
            Log.LOG.micrometer(INTERVAL);
            schedule =
                    executor.scheduleWithFixedDelay(() -> read(found), 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        });
    }

    private static void read(Reads reads) {
        try {
            reads.run();
        } catch (RuntimeException | Error e) {
            // A failure that leaves this method would end all further reads
            LOG.debug("The metrics for Micrometer could not be shown; the next read tries again", e);
        }
    }

    @Override
    public void contextDestroyed(ServletContextEvent event) {
        if (schedule != null) {
            schedule.cancel(false);
        }
        reads.ifPresent(Reads::close);
    }
}
