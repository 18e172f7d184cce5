package org.tasktube.simulation;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import javax.sql.DataSource;
import org.tasktube.AdapterState;
import org.tasktube.StoreException;
import org.tasktube.node.Node;
import org.tasktube.node.Settings;
import org.tasktube.node.admin.Administration;
import org.tasktube.spi.DeadlineTimer;
import org.tasktube.store.OpenStore;
import org.tasktube.store.Registry;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.TaskStore;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.testing.TestDatabase;
import org.tasktube.tracing.ServerTracing;

/** A server of a history: a node, and a store whose calls can fail, take time, or lose their answers. */
final class SimulatedServer {

    static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** So long that a wake that is lost is not made up for by a poll. */
    private static final Duration POLL = Duration.ofSeconds(60);

    private static final Set<String> NO_CALLS =
            Set.of("close", "toString", "hashCode", "equals", "reads", "histories", "reports");

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
        this.store = new SqlStores(TestDatabase.SETTINGS, transactions).open(transactions.dataSource(), () -> {});
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
            return faulty(store, false);
        }

        /** A wait for a lock is a wait of the thread, which has the turn: it fails at once. */
        private OpenStore faulty(OpenStore real, boolean closes) {
            return new OpenStore(
                    faulty(Registry.class, real.registry(), closes),
                    faulty(TaskStore.class, real.tasks(), closes),
                    faulty(TaskStore.class, real.temporary(), closes),
                    real.audit(),
                    real.logins(),
                    real.deliveryLogs(),
                    real.flow(),
                    real.operations(),
                    real.notices(),
                    real.roundTrips(),
                    real.database(),
                    (locks, answers) -> faulty(store.onOwnConnection(Duration.ofMillis(1), TIMEOUT), true));
        }

        private <T> T faulty(Class<T> type, T real, boolean closes) {
            InvocationHandler handler = (proxy, method, arguments) ->
                    !closes && method.getName().equals("close") ? null : called(real, method, arguments);
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
        }

        private Object called(Object real, Method method, Object[] arguments) throws Throwable {
            if (NO_CALLS.contains(method.getName())) {
                return call(real, method, arguments);
            }
            Random random = scheduler.random();
            takeTime(random);
            failByChance(random, "before " + method.getName());
            Object answer = call(real, method, arguments);
            takeTime(random);
            failByChance(random, "after " + method.getName());
            return answer;
        }

        private static Object call(Object real, Method method, Object[] arguments) throws Throwable {
            try {
                return method.invoke(real, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }

        /** A failure of the database, or an Error, as of a driver or of a stack that is full. */
        private void failByChance(Random random, String when) {
            boolean fails = random.nextDouble() < trouble / 2;
            if (!fails && !cut && !over) {
                return;
            }
            if (transactions.active()) {
                transactions.setRollbackOnly();
            }
            if (fails && random.nextInt(10) == 0) {
                scheduler.note(group + " has an Error " + when);
                throw new InternalError("an Error " + when);
            }
            if (fails) {
                scheduler.note(group + " loses its connection " + when);
            }
            onFailure.run();
            throw new StoreException("the database is away, " + when, null, true);
        }

        private void takeTime(Random random) {
            if (random.nextInt(4) == 0) {
                scheduler.sleep(Duration.ofMillis(random.nextInt(20)));
            }
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
