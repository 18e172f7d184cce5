package org.tasktube.simulation;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.tasktube.AdapterState;
import org.tasktube.node.Node;
import org.tasktube.node.Settings;
import org.tasktube.node.admin.Administration;
import org.tasktube.spi.DeadlineTimer;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.testing.ConnectionSource;
import org.tasktube.testing.Proxies;
import org.tasktube.testing.TestDatabase;
import org.tasktube.tracing.ServerTracing;

/** A server of a history: a node, and a store whose calls can fail, take time, or lose their answers. */
final class SimulatedServer {

    static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** So long that a wake that is lost is not made up for by a poll. */
    private static final Duration POLL = Duration.ofSeconds(60);

    /** The state of a lost connection. */
    private static final String LOST = "08006";

    private final String name;
    private final SimulatedTransactions transactions;
    private final OpenStore store;
    private Scheduler scheduler;
    private Life life;
    private int lives;
    private boolean cut;
    private double trouble;

    /** Opens the store, which serves all histories: to open it takes longer than a history. */
    SimulatedServer(String name, DataSource database) throws StoreUnavailableException {
        this.name = name;
        this.transactions = new SimulatedTransactions(database);
        this.store = new SqlStores(TestDatabase.SETTINGS, transactions)
                .open((ConnectionSource) () -> connection(transactions.dataSource()), () -> life.onFailure.run());
    }

    /** A wait for a lock is a wait of the thread, which has the turn: it fails at once. */
    private static OpenStore staysOpen(OpenStore real) {
        return new OpenStore(
                real.registry(),
                real.tasks(),
                real.temporary(),
                real.audit(),
                real.logins(),
                real.deliveryLogs(),
                real.flow(),
                real.schedules(),
                real.afters(),
                real.progress(),
                real.operations(),
                real.notices(),
                real.roundTrips(),
                real.database(),
                (locks, answers) -> real.onOwnConnection(Duration.ofMillis(1), TIMEOUT),
                () -> {});
    }

    private Connection connection(DataSource database) throws SQLException {
        if (scheduler == null) {
            return database.getConnection();
        }
        failIfAway("before it gives a connection");
        return new Line(database.getConnection()).connection();
    }

    private void failIfAway(String when) throws SQLException {
        if (cut || life.over) {
            throw new SQLException("the database is away, " + when, LOST);
        }
    }

    private void takeTime() {
        if (scheduler.random().nextInt(8) == 0) {
            scheduler.sleep(Duration.ofMillis(scheduler.random().nextInt(20)));
        }
    }

    /** A connection each of whose statements and commits can fail, take time, or lose its answer with the connection. */
    private final class Line {

        private final Connection real;
        private boolean broken;

        Line(Connection real) {
            this.real = real;
        }

        Connection connection() {
            return Proxies.of(Connection.class, (method, arguments) -> {
                switch (method.getName()) {
                    case "commit" -> {
                        return sent("a commit", () -> Proxies.call(real, method, arguments));
                    }
                    case "prepareStatement" -> {
                        checkWhole();
                        PreparedStatement statement = (PreparedStatement) Proxies.call(real, method, arguments);
                        return statement(statement);
                    }
                    case "isValid" -> {
                        return !broken && (boolean) Proxies.call(real, method, arguments);
                    }
                    case "rollback", "setAutoCommit" -> checkWhole();
                    default -> {
                        // Asks the database for nothing
                    }
                }
                return Proxies.call(real, method, arguments);
            });
        }

        private PreparedStatement statement(PreparedStatement statement) {
            return Proxies.of(
                    PreparedStatement.class,
                    (method, arguments) -> method.getName().startsWith("execute")
                            ? sent("a statement", () -> Proxies.call(statement, method, arguments))
                            : Proxies.call(statement, method, arguments));
        }

        private void checkWhole() throws SQLException {
            if (broken) {
                throw new SQLException("the connection is closed", LOST);
            }
        }

        private Object sent(String what, Sent call) throws Throwable {
            checkWhole();
            takeTime();
            failByChance("before " + what);
            Object answer = call.run();
            takeTime();
            failByChance("after " + what);
            return answer;
        }

        /** A failure of the database, or an Error, as of a driver or of a stack that is full. */
        private void failByChance(String when) throws SQLException {
            boolean fails = scheduler.random().nextDouble() < trouble / 4;
            if (fails && scheduler.random().nextInt(10) == 0) {
                scheduler.note(life.group + " has an Error " + when);
                throw new InternalError("an Error " + when);
            }
            if (fails) {
                scheduler.note(life.group + " loses its connection " + when);
                lose();
                throw new SQLException("the connection was lost " + when, LOST);
            }
            if (cut || life.over) {
                lose();
            }
            failIfAway(when);
        }

        /** The database rolls back what is not committed. */
        private void lose() throws SQLException {
            broken = true;
            if (!real.getAutoCommit()) {
                real.rollback();
                real.setAutoCommit(true);
            }
        }
    }

    @FunctionalInterface
    private interface Sent {
        Object run() throws Throwable;
    }

    SimulatedTransactions transactions() {
        return transactions;
    }

    Node node() {
        return life.node;
    }

    boolean isRunning() {
        return node().state() == AdapterState.RUNNING;
    }

    /** Returns the name of this life of the server. */
    String group() {
        return life.group;
    }

    /** Begins with a history. */
    void start(Scheduler by) {
        scheduler = by;
        lives = 0;
        calm();
        startAgain();
    }

    /** Starts a node, whose actors run when they are chosen. */
    void startAgain() {
        life = new Life(name + "-" + ++lives);
    }

    void kill() throws SQLException {
        life.over = true;
        scheduler.kill(life.group);
        transactions.kill();
    }

    /** Its calls fail from now on, or no more. */
    void cut(boolean value) {
        cut = value;
    }

    /** Sets how many of its calls fail, or lose their answers. */
    void trouble(double share) {
        trouble = share;
    }

    void calm() {
        cut = false;
        trouble = 0;
    }

    /** Has its loops end. */
    void end() {
        node().stop();
    }

    /** From a start to a kill. */
    private final class Life {

        private final String group;
        private final Node node;
        private Runnable onFailure = () -> {};
        private boolean over;

        Life(String group) {
            this.group = group;
            node = new Node(
                    new Settings(name, 1 << 20, POLL, TIMEOUT, Duration.ZERO),
                    transactions,
                    this::open,
                    ServerTracing.NONE,
                    Administration::new);
            node.fallBackTo(new Timer());
            node.threads()
                    .forEach(loop ->
                            scheduler.start(group + " " + loop.getClass().getSimpleName(), group, loop));
        }

        private OpenStore open(Runnable failed) throws StoreUnavailableException {
            if (cut || over) {
                throw new StoreUnavailableException("the database is away");
            }
            onFailure = failed;
            return staysOpen(store);
        }

        /** Runs the last sweep that was asked for, as an actor of its own. */
        private final class Timer implements DeadlineTimer {

            private int armed;

            @Override
            public void arm(Duration delay, Runnable sweep) {
                int mine = ++armed;
                scheduler.start(group + " timer", group, () -> {
                    scheduler.sleep(delay);
                    if (mine == armed) {
                        sweep.run();
                    }
                });
            }
        }
    }
}
