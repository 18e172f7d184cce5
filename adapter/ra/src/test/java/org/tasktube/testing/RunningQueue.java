package org.tasktube.testing;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.tasktube.AdapterState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.queue.Queue;
import org.tasktube.queue.Session;
import org.tasktube.queue.Settings;
import org.tasktube.queue.Transactions;
import org.tasktube.store.jpa.JpaTaskStore;

/** A queue on a database, kept up by a thread of its own, without a server. */
public final class RunningQueue implements AutoCloseable {

    public static final Duration POLL = Duration.ofMillis(100);
    public static final Duration NODE_TIMEOUT = Duration.ofSeconds(1);

    private final Queue queue;
    private final Thread upkeep;

    public RunningQueue(HikariDataSource database) {
        this(database, "test");
    }

    public RunningQueue(HikariDataSource database, String node) {
        queue = new Queue(
                new Settings(node, 1 << 20, POLL, NODE_TIMEOUT),
                Transactions.NONE,
                () -> JpaTaskStore.open(database, true));
        queue.fallBackTo(new ThreadTimer(queue::sweepSoon));
        upkeep = new Thread(queue.upkeep(), "upkeep-" + node);
        upkeep.start();
        awaitState(AdapterState.RUNNING);
    }

    public Queue queue() {
        return queue;
    }

    /** A tube of a name that no other has. */
    public Tube newTube(Session session, String type) {
        return queue.createTube(session, TubeDefinition.of(newName(), type));
    }

    public static String newName() {
        return "t" + UUID.randomUUID().toString().replace("-", "").substring(0, 20);
    }

    public void awaitState(AdapterState state) {
        Eventually.holds(() -> queue.state() == state, "the state " + state);
    }

    /** As if the server were killed: nothing is released, nothing said. */
    public void kill() throws InterruptedException {
        upkeep.interrupt();
        upkeep.join(TimeUnit.SECONDS.toMillis(10));
    }

    @Override
    public void close() {
        queue.stop();
    }
}
