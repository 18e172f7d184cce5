package org.tasktube.console.live;

import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.tasktube.TaskTubeException;

/** Reads the frames once per second while there are streams, and never without one. */
@ApplicationScoped
public class LiveEvents {

    private static final Logger LOG = Logger.getLogger("org.tasktube.console");

    @Resource
    private ManagedScheduledExecutorService executor;

    @Inject
    private Instance<FrameSource> sources;

    private final Streams streams = new Streams(this::frames);
    private ScheduledFuture<?> ticks;

    /**
     * Adds a client. Returns false if this server has as many streams as it can have.
     *
     * @throws java.util.concurrent.RejectedExecutionException if the server takes no work; the client is not added
     */
    public synchronized boolean add(Client client) {
        if (ticks == null) {
            // Before the client, which would wait in vain if the server refused. Without a client they end by
            // themselves
            ticks = executor.scheduleWithFixedDelay(this::tick, 0, 1, TimeUnit.SECONDS);
        }
        boolean added = streams.add(client, System.nanoTime());
        if (added && client.isLoggedOut()) {
            // Its login has ended since the request began, and has not seen it
            client.close();
        }
        return added;
    }

    /** Ends the streams of a login. */
    public void end(String login) {
        streams.end(login);
    }

    private void tick() {
        try {
            streams.tick(System.nanoTime());
        } catch (RuntimeException | Error e) {
            // A failure that leaves this method would end all further ticks
            LOG.debug("A tick of the streams of events has failed; the next one tries again", e);
        }
        stopIfEmpty();
    }

    private synchronized void stopIfEmpty() {
        if (ticks != null && streams.isEmpty()) {
            ticks.cancel(false);
            ticks = null;
        }
    }

    /** A frame that cannot be read now is missing, so that the streams stay open until it can be read again. */
    private List<Frame> frames() {
        List<Frame> frames = new ArrayList<>();
        for (FrameSource source : sources) {
            try {
                frames.add(source.frame());
            } catch (TaskTubeException e) {
                LOG.debugf(e, "A frame of the streams of events could not be read");
            }
        }
        return frames;
    }

    @PreDestroy
    synchronized void close() {
        if (ticks != null) {
            ticks.cancel(false);
        }
        streams.close();
    }
}
