package org.tasktube.metrics;

import com.codahale.metrics.graphite.Graphite;
import com.codahale.metrics.graphite.GraphiteSender;
import com.codahale.metrics.graphite.GraphiteUDP;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.tasktube.TubeEvent;
import org.tasktube.TubeMode;
import org.tasktube.TubeStatistics;

/**
 * Sends the statistics of all tubes to Graphite at an interval, on a thread of its own. It only reads counters. Each
 * transmission ends within a limit. Unsent numbers are dropped, and the next transmission has its own.
 */
public final class GraphitePush implements Runnable {

    /** The limit of a transmission. A Graphite that needs longer for some kilobytes counts as unavailable. */
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final GraphiteSettings settings;
    private final Supplier<List<TubeStatistics>> statistics;
    private final InstantSource clock;
    private final LimitedSockets sockets;
    private final GraphiteSender graphite;
    private final CountDownLatch toEnd = new CountDownLatch(1);
    private boolean away;

    public GraphitePush(GraphiteSettings settings, Supplier<List<TubeStatistics>> statistics) {
        this(settings, statistics, InstantSource.system(), LIMIT);
    }

    GraphitePush(
            GraphiteSettings settings, Supplier<List<TubeStatistics>> statistics, InstantSource clock, Duration limit) {
        this.settings = settings;
        this.statistics = statistics;
        this.clock = clock;
        this.sockets = new LimitedSockets(limit);
        this.graphite = switch (settings.protocol()) {
            case TCP -> new Graphite(settings.host(), settings.port(), sockets);
            case UDP -> new GraphiteUDP(settings.host(), settings.port());
        };
    }

    /** Sends until {@link #end()}. */
    @Override
    public void run() {
        long begun = System.nanoTime();
        try {
            while (!toEnd.await(untilNext(begun), TimeUnit.NANOSECONDS)) {
                push();
            }
        } catch (InterruptedException e) {
            end();
        }
    }

    /**
     * Returns the time to the next multiple of the interval, so that Graphite gets one number per interval. Missed ones
     * are left out.
     */
    private long untilNext(long begun) {
        long interval = settings.interval().toNanos();
        return interval - (System.nanoTime() - begun) % interval;
    }

    /** Ends the current and all further transmissions at once, without waiting. */
    public void end() {
        toEnd.countDown();
        try {
            sockets.end();
        } catch (IOException e) {
            // The socket is closed nevertheless
        }
    }

    /** Sends the current numbers. An Error must not end the push either. */
    void push() {
        try {
            send(statistics.get());
            tellBack();
        } catch (IOException | RuntimeException | Error e) {
            tellAway(e);
        }
    }

    /** Sends without the library's reporter, which would log each failure with its trace. */
    private void send(List<TubeStatistics> tubes) throws IOException {
        long now = clock.instant().getEpochSecond();
        try (graphite) {
            graphite.connect();
            for (TubeStatistics tube : tubes) {
                send(tube, now);
            }
            graphite.flush();
        }
    }

    private void send(TubeStatistics tube, long now) throws IOException {
        String name = settings.prefix() + ".tube." + tube.tube() + ".";
        send(name + "ready", tube.ready(), now);
        send(name + "delayed", tube.delayed(), now);
        send(name + "taken", tube.taken(), now);
        send(name + "buried", tube.buried(), now);
        send(name + "results", tube.results(), now);
        send(name + "done", tube.endedSinceStart(), now);
        send(name + "total", tube.total(), now);
        send(name + "paused", tube.mode() == TubeMode.PAUSED ? 1 : 0, now);
        send(name + "draining", tube.mode() == TubeMode.DRAINING ? 1 : 0, now);
        for (Map.Entry<TubeEvent, Long> call : tube.events().entrySet()) {
            send(name + "calls." + call.getKey().name().toLowerCase(Locale.ROOT), call.getValue(), now);
        }
    }

    private void send(String name, long value, long now) throws IOException {
        graphite.send(name, Long.toString(value), now);
    }

    private void tellBack() {
        if (away) {
            away = false;
            Log.LOG.back(settings.address());
        }
    }

    private void tellAway(Throwable why) {
        boolean ending = toEnd.getCount() == 0;
        if (!away && !ending) {
            away = true;
            Log.LOG.away(settings.address(), settings.interval(), why.toString());
        }
    }
}
