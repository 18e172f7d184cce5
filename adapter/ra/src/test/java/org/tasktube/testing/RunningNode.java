package org.tasktube.testing;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.tasktube.AdapterState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.node.Node;
import org.tasktube.node.Settings;
import org.tasktube.node.admin.Administration;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Transactions;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.tracing.ServerTracing;
import org.tasktube.tracing.Tracing;

/** A queue on a database, kept up by a thread of its own, without a server. */
public final class RunningNode implements AutoCloseable {

    public static final Duration POLL = Duration.ofMillis(100);
    public static final Duration NODE_TIMEOUT = Duration.ofSeconds(1);

    private final Node node;
    private final List<Thread> threads;
    private boolean temporary;

    public RunningNode(DataSource database) {
        this(database, "test");
    }

    public RunningNode(DataSource database, String node) {
        this(database, node, Duration.ZERO);
    }

    public RunningNode(DataSource database, String node, Duration sessionTtr) {
        this(database, Transactions.NONE, new Settings(node, 1 << 20, POLL, NODE_TIMEOUT, sessionTtr));
    }

    public RunningNode(DataSource database, Transactions transactions, String node) {
        this(database, transactions, new Settings(node, 1 << 20, POLL, NODE_TIMEOUT, Duration.ZERO));
    }

    public RunningNode(DataSource database, Transactions transactions, Settings settings) {
        this(database, transactions, settings, ServerTracing.NONE);
    }

    public RunningNode(DataSource database, Transactions transactions, Settings settings, Tracing tracing) {
        SqlStores stores = new SqlStores(TestDatabase.SETTINGS, transactions);
        node = new Node(
                settings, transactions, onFailure -> stores.open(database, onFailure), tracing, Administration::new);
        node.fallBackTo(new ThreadTimer());
        threads = node.threads().stream()
                .map(each -> new Thread(each, each.getClass().getSimpleName() + "-" + settings.nodeName()))
                .toList();
        threads.forEach(Thread::start);
        awaitState(AdapterState.RUNNING);
    }

    public Node node() {
        return node;
    }

    /** Has new tubes temporary from now on. */
    public RunningNode withTemporary() {
        temporary = true;
        return this;
    }

    /** A tube of a name that no other has. */
    public Tube newTube(ClientConnection session, String type) {
        TubeDefinition definition = TubeDefinition.of(newName(), type);
        return node.createTube(session, temporary ? definition.asTemporary() : definition);
    }

    public static String newName() {
        return "t" + UUID.randomUUID().toString().replace("-", "").substring(0, 20);
    }

    public void awaitState(AdapterState state) {
        Eventually.holds(() -> node.state() == state, "the state " + state);
    }

    /** As if the server were killed: nothing is released, nothing said. */
    public void kill() {
        // A thread at work takes an interrupt for one that its work left set
        Eventually.holds(
                () -> {
                    threads.forEach(Thread::interrupt);
                    return threads.stream().noneMatch(Thread::isAlive);
                },
                "its threads have ended");
    }

    @Override
    public void close() {
        node.stop();
    }
}
