package org.tasktube.console.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.CDI;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.tasktube.ConnectionException;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;

/** Reads the metrics, and shows them in a registry of Micrometer until it is closed. */
final class MicrometerReads implements MicrometerListener.Reads {

    /**
     * The number of tubes that are shown, the first ones by name. Micrometer searches all meters when one is added, so
     * the cost grows with the square of the tubes.
     */
    static final int MAX_TUBES = 200;

    private static final Logger LOG = Logger.getLogger("org.tasktube.console");

    private final TubeConnectionFactory factory;
    private final MicrometerMeters meters;
    private boolean closed;

    MicrometerReads(TubeConnectionFactory factory, MeterRegistry registry) {
        this.factory = factory;
        this.meters = new MicrometerMeters(registry);
    }

    /** Returns the reads for the registry that the server gives to this application; empty if it gives none. */
    static Optional<MicrometerListener.Reads> find(TubeConnectionFactory factory) {
        Instance<MeterRegistry> registry = CDI.current().select(MeterRegistry.class);
        return registry.isResolvable() ? Optional.of(new MicrometerReads(factory, registry.get())) : Optional.empty();
    }

    /** Reads all metrics. Numbers that cannot be read are removed: old ones would look like new ones. */
    @Override
    public void run() {
        List<Metric> metrics = metrics();
        synchronized (this) {
            if (!closed) {
                meters.show(metrics);
            }
        }
    }

    private List<Metric> metrics() {
        try (TubeConnection connection = factory.getConnection()) {
            String server = System.getProperty("jboss.node.name", "");
            return MetricList.of(ScrapeReader.read(connection, server, MAX_TUBES));
        } catch (ConnectionException e) {
            LOG.debugf(e, "The metrics for Micrometer could not be read");
            return List.of();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        meters.show(List.of());
    }
}
