package org.tasktube.test;

import jakarta.persistence.EntityManager;
import jakarta.resource.ResourceException;
import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeNotFoundException;
import org.tasktube.admin.BeanStatus;
import org.tasktube.admin.ScheduleStatus;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.inflow.TaskActivationSpec;

/**
 * TaskTube in a JUnit test of an application, without a server: the adapter itself, on an H2 in memory, with Narayana's
 * transactions, in which the application's own rows commit together with its tasks.
 *
 * <pre>{@code
 * @RegisterExtension final TubeKit kit = new TubeKit(Letter.class);
 *
 * @Test
 * void a_letter_is_sent() {
 *     PostOffice office = kit.inject(new PostOffice());
 *     long id = kit.inTransaction(() -> office.post("ann@shop.org"));
 *     kit.deliver(kit.inject(new Sender()));
 *     assertTrue(kit.inTransaction(() -> kit.entities().find(Letter.class, id).sent));
 * }
 * }</pre>
 *
 * <p>As a field of the test's instance it has a new database for each test. As a static field it has one for the class,
 * whose rows and tasks are kept from test to test.
 *
 * <p>Nothing is delivered by itself: a bean gets tasks while {@link #deliver} runs. The time of the database goes on as
 * usual, and {@link #advance} puts it forward for all kits of the virtual machine, until the last of them has ended; so
 * tests that call it do not run at the same time as others.
 */
public final class TubeKit implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long LOOK_NANOS = 1_000_000;
    private static final int PAGE = 1000;
    private static final int MOST_FIRES = 10_000;

    private final Class<?>[] types;
    private final Map<String, Long> seen = new HashMap<>();
    private int shared;
    private KitServer server;
    private KitEntities entities;
    private KitBeans beans;

    /** @param entities the application's JPA entities; their tables are created */
    public TubeKit(Class<?>... entities) {
        this.types = entities.clone();
    }

    @Override
    public void beforeAll(ExtensionContext context) throws SQLException, ResourceException {
        // Also called for each nested class
        shared++;
        if (shared == 1) {
            start();
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) throws SQLException, ResourceException {
        if (shared == 0) {
            start();
        }
        seen.clear();
        beans = new KitBeans(List.of(tubes(), database(), entities()));
        try (TubeConnection connection = tubes().getConnection()) {
            connection.tubes().forEach(each -> puts(each.name()));
        }
    }

    @Override
    public void afterEach(ExtensionContext context) throws SQLException {
        if (shared == 0) {
            stop();
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws SQLException {
        shared--;
        if (shared == 0) {
            stop();
        }
    }

    private void start() throws SQLException, ResourceException {
        server = new KitServer();
        entities = new KitEntities(server.database(), types);
    }

    /** Also follows a start that has failed. */
    private void stop() throws SQLException {
        try {
            if (entities != null) {
                entities.close();
            }
        } finally {
            entities = null;
            KitServer ended = server;
            server = null;
            if (ended != null) {
                ended.stop();
            }
        }
    }

    private KitServer server() {
        if (server == null) {
            throw new IllegalStateException("the kit runs during tests only; let JUnit start it by @RegisterExtension");
        }
        return server;
    }

    /** Returns the connection factory, which a server has as {@code java:/TaskTube}. */
    public TubeConnectionFactory tubes() {
        return server().tubes();
    }

    /** Returns the datasource of TaskTube and of the application's own rows. */
    public DataSource database() {
        return server().database();
    }

    /**
     * Returns an entity manager as a container injects it: each transaction has a persistence context of its own, which
     * is flushed by the commit. Outside of a transaction its calls fail.
     */
    public EntityManager entities() {
        server();
        return entities.manager();
    }

    /**
     * Sets the fields of a bean that a container would set: those with {@code @Resource}, {@code @PersistenceContext},
     * {@code @Inject} or {@code @EJB}, also the private ones and those of its superclasses. They get one of the others
     * that are given, {@link #tubes}, {@link #database} or {@link #entities}, by their type. A field of any other class
     * gets a bean that is created by its constructor without parameters, injected in the same way, and kept for the
     * fields of that class in this test. Then their method with {@code @PostConstruct} is called. There are no
     * qualifiers and no interceptors: call what needs a transaction in {@link #inTransaction}.
     *
     * @param others other beans or resources of the application, such as a fake of a mail server
     * @return the bean
     * @throws IllegalArgumentException if a field with such an annotation is of an interface or of a class that cannot
     *     be created
     */
    public <T> T inject(T bean, Object... others) {
        server();
        return beans.inject(bean, others);
    }

    /**
     * Runs work in a transaction, and commits it. Work that throws is rolled back. Inside another transaction this
     * joins it.
     *
     * @return what the work returns
     * @throws IllegalStateException if the transaction was rolled back at its commit; the cause says why
     */
    public <T> T inTransaction(Callable<T> work) {
        try {
            return KitServer.TRANSACTIONS.getStatus() == Status.STATUS_NO_TRANSACTION
                    ? inNewTransaction(work)
                    : work.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs work in a transaction, as {@link #inTransaction(Callable)} does. */
    public void inTransaction(Runnable work) {
        inTransaction(() -> {
            work.run();
            return true;
        });
    }

    private static <T> T inNewTransaction(Callable<T> work) throws Exception {
        KitServer.TRANSACTIONS.begin();
        boolean done = false;
        try {
            T result = work.call();
            done = true;
            return result;
        } finally {
            if (done) {
                // Throws if the work has only marked it for rollback
                KitServer.TRANSACTIONS.commit();
            } else if (KitServer.TRANSACTIONS.getStatus() != Status.STATUS_NO_TRANSACTION) {
                KitServer.TRANSACTIONS.rollback();
            }
        }
    }

    /**
     * Returns the tasks that were put into a tube since the last call of this in this test, in the order of their puts:
     * those whose transaction has committed, and that are still there. None if the tube does not exist.
     */
    public List<Task> puts(String tube) {
        checkNoTransaction("puts");
        try (TubeConnection connection = tubes().getConnection()) {
            long last = seen.getOrDefault(tube, 0L);
            List<Task> puts = connection.findTube(tube).stream()
                    .flatMap(found -> Stream.of(TaskState.values()).flatMap(state -> tasks(found, state, last)))
                    .sorted(Comparator.comparingLong(Task::id))
                    .toList();
            puts.forEach(put -> seen.put(tube, put.id()));
            return puts;
        }
    }

    private static Stream<Task> tasks(Tube tube, TaskState state, long after) {
        return Stream.iterate(
                        tube.tasks(state, after, PAGE),
                        page -> !page.isEmpty(),
                        page -> tube.tasks(state, page.get(page.size() - 1).id(), PAGE))
                .flatMap(List::stream);
    }

    /**
     * Delivers the READY tasks of the tube that the bean's annotation names, as {@link #deliver(Object, String)} does.
     *
     * @throws IllegalArgumentException if the bean has no {@code @MessageDriven}, or an unknown property
     */
    public int deliver(Object bean) {
        KitBean delivered = new KitBean(bean);
        return deliver(delivered, delivered.spec());
    }

    /**
     * Delivers all READY tasks of a tube to a bean, one after the other, also those that become READY by that. The
     * adapter does so as in a server, on a thread of its own, by the properties of the bean's annotation except
     * {@code maxSession}. Returns when no task is READY.
     *
     * @return the number of deliveries
     * @throws RuntimeException what the bean has thrown. Its task then has the state that it has in a server, such as
     *     DELAYED for its next attempt, and the tasks after it stay READY
     * @throws Error what the bean has thrown
     * @throws IllegalStateException if the bean has thrown a checked exception, which is the cause; if its transaction
     *     was rolled back; if the tube is PAUSED; or if tasks are READY and none was delivered for 30 s
     * @throws TubeNotFoundException if there is no such tube, and the bean does not declare it
     */
    public int deliver(Object bean, String tube) {
        KitBean delivered = new KitBean(bean);
        return deliver(delivered, delivered.spec(tube));
    }

    private static void checkNoTransaction(String call) {
        try {
            if (KitServer.TRANSACTIONS.getStatus() != Status.STATUS_NO_TRANSACTION) {
                throw new IllegalStateException(
                        "this thread has a transaction, whose work no other sees; end it before " + call);
            }
        } catch (SystemException e) {
            throw new IllegalStateException(e);
        }
    }

    private int deliver(KitBean bean, TaskActivationSpec spec) {
        checkNoTransaction("deliver");
        try (TubeConnection connection = tubes().getConnection()) {
            boolean declares = !spec.getTubeType().equals(new TaskActivationSpec().getTubeType());
            if (!declares && connection.findTube(spec.getTube()).isEmpty()) {
                throw new TubeNotFoundException(spec.getTube());
            }
            TaskAdmin admin = connection.unwrap(TaskAdmin.class);
            // Those that the test itself holds
            long held = taken(connection.findTube(spec.getTube()));
            do {
                server().adapter().endpointActivation(bean, spec);
                try {
                    awaitQuiet(bean, spec, held, connection, admin);
                } finally {
                    // Waits for what has begun
                    server().adapter().endpointDeactivation(bean, spec);
                }
                bean.anyFailure().ifPresent(TubeKit::rethrow);
            } while (isReady(connection.tube(spec.getTube())));
        }
        return bean.calls();
    }

    private static void awaitQuiet(
            KitBean bean, TaskActivationSpec spec, long held, TubeConnection connection, TaskAdmin admin) {
        String tube = spec.getTube();
        long moved = System.nanoTime();
        int calls = bean.calls();
        while (bean.failure().isEmpty() && !isQuiet(spec, held, connection, admin)) {
            boolean isBusy = admin.beans().stream().anyMatch(each -> each.busy() > 0);
            if (isBusy || bean.calls() != calls) {
                calls = bean.calls();
                moved = System.nanoTime();
            }
            if (System.nanoTime() - moved > PATIENCE.toNanos()) {
                throw new IllegalStateException("nothing was delivered of tube '" + tube + "' for "
                        + PATIENCE.toSeconds() + " s: " + why(tube, connection, admin));
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private static String why(String tube, TubeConnection connection, TaskAdmin admin) {
        return Stream.concat(
                        admin.beans().stream()
                                .flatMap(each -> each.hindrance().stream())
                                .map(BeanStatus.Hindrance::text),
                        connection.findTube(tube).flatMap(Tube::peekReady).stream()
                                .map(task -> admin.whyWaiting(tube, task.id()).toString()))
                .collect(Collectors.joining("; "));
    }

    /** Returns whether the bean has nothing to do. */
    private static boolean isQuiet(TaskActivationSpec spec, long held, TubeConnection connection, TaskAdmin admin) {
        BeanStatus status = admin.beans().stream()
                .filter(each -> each.tube().equals(spec.getTube()) || isHindered(each, BeanStatus.Reason.REFUSED))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the adapter has refused the bean; the log has why"));
        status.hindrance().filter(TubeKit::isForGood).ifPresent(hindrance -> {
            throw new IllegalStateException(hindrance.text());
        });
        Optional<Tube> found = connection.findTube(spec.getTube());
        boolean fails = isHindered(status, BeanStatus.Reason.DATABASE_REFUSES);
        // In this order: a claim makes a READY task a TAKEN one, and its bean may not know of it yet
        return found.isPresent() && !fails && status.busy() == 0 && !isReady(found.get()) && taken(found) <= held;
    }

    private static boolean isHindered(BeanStatus bean, BeanStatus.Reason reason) {
        return bean.hindrance()
                .filter(hindrance -> hindrance.reason() == reason)
                .isPresent();
    }

    private static boolean isForGood(BeanStatus.Hindrance hindrance) {
        return hindrance.reason() == BeanStatus.Reason.REFUSED || hindrance.reason() == BeanStatus.Reason.TUBE_PAUSED;
    }

    private static long taken(Optional<Tube> tube) {
        return tube.map(found -> found.statistics().taken()).orElse(0L);
    }

    private static boolean isReady(Tube tube) {
        return tube.peekReady().isPresent();
    }

    private static void rethrow(Throwable thrown) {
        if (thrown instanceof RuntimeException unchecked) {
            throw unchecked;
        } else if (thrown instanceof Error error) {
            throw error;
        }
        throw new IllegalStateException(thrown);
    }

    /**
     * Puts TaskTube's time forward, and lets all happen that is due by then: delays, ttl and ttr that expire, and each
     * fire of a schedule at its own time. The database's own {@code CURRENT_TIMESTAMP} stays the system's.
     *
     * @throws IllegalArgumentException if the time is negative, or if schedules fire more than 10,000 times in it
     */
    public void advance(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("time is " + time + "; a clock goes forward only");
        }
        checkNoTransaction("advance");
        try (TubeConnection connection = tubes().getConnection()) {
            TaskAdmin admin = connection.unwrap(TaskAdmin.class);
            Instant target = KitClock.now().plus(time);
            for (int fires = 0; fires < MOST_FIRES; fires++) {
                Optional<Instant> fire = nextFire(admin).filter(next -> next.isBefore(target));
                to(fire.orElse(target), connection);
                if (fire.isEmpty()) {
                    return;
                }
            }
        }
        throw new IllegalArgumentException(
                "schedules fire more than " + MOST_FIRES + " times in " + time + "; advance by a shorter time");
    }

    private static Optional<Instant> nextFire(TaskAdmin admin) {
        Instant now = KitClock.now();
        return admin.schedules().stream()
                .filter(schedule -> schedule.pause().isEmpty())
                .map(ScheduleStatus::next)
                .filter(next -> next.isAfter(now))
                .min(Comparator.naturalOrder());
    }

    private static void to(Instant time, TubeConnection connection) {
        Duration left = Duration.between(KitClock.now(), time);
        if (!left.isNegative()) {
            KitClock.advance(left);
        }
        while (connection.sweep().isZero()) {
            // More is due than one sweep does
        }
    }
}
