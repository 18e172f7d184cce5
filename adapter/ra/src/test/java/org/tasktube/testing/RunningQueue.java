package org.tasktube.testing;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.tasktube.AdapterState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.queue.Client;
import org.tasktube.queue.Queue;
import org.tasktube.queue.Settings;
import org.tasktube.store.Transactions;
import org.tasktube.store.jpa.JpaStores;
import org.tasktube.store.memory.MemoryTaskStore;

/** A queue on a database, kept up by a thread of its own, without a server. */
public final class RunningQueue implements AutoCloseable {

    public static final Duration POLL = Duration.ofMillis(100);
    public static final Duration NODE_TIMEOUT = Duration.ofSeconds(1);

    private final Queue queue;
    private final Thread upkeep;
    private boolean temporary;

    public RunningQueue(HikariDataSource database) {
        this(database, "test");
    }

    public RunningQueue(HikariDataSource database, String node) {
        this(database, node, Duration.ZERO);
    }

    public RunningQueue(HikariDataSource database, String node, Duration sessionTtr) {
        this(database, Transactions.NONE, new Settings(node, 1 << 20, POLL, NODE_TIMEOUT, sessionTtr));
    }

    public RunningQueue(DataSource database, Transactions transactions, Settings settings) {
        queue = new Queue(
                settings,
                transactions,
                new MemoryTaskStore(transactions, 100_000, 64 << 20, InstantSource.system()),
                onFailure -> JpaStores.open(database, true, onFailure));
        queue.fallBackTo(new ThreadTimer(queue::sweepSoon));
        upkeep = new Thread(queue.upkeep(), "upkeep-" + settings.nodeName());
        upkeep.start();
        awaitState(AdapterState.RUNNING);
    }

    public Queue queue() {
        return queue;
    }

    /** Has new tubes in memory from now on. */
    public RunningQueue inMemory() {
        temporary = true;
        return this;
    }

    /** A tube of a name that no other has. */
    public Tube newTube(Client session, String type) {
        TubeDefinition definition = TubeDefinition.of(newName(), type);
        return queue.createTube(session, temporary ? definition.asTemporary() : definition);
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
