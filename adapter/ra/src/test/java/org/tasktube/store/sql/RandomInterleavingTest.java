package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tasktube.StoreException;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeInUseException;
import org.tasktube.itest.watchdog.FullRun;
import org.tasktube.spi.Position;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.NewTask;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Put;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Sweep;
import org.tasktube.testing.Calls;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Threads that do anything at random, in transactions and outside, commit and roll back. After each phase, when none
 * is open, everything must be as the rules say. Promotion goes by small batches, so that its corners are met often.
 *
 * <p>{@code -Drandom.seed=} plays the same operations again, though the threads may meet otherwise;
 * {@code -Drandom.minutes=60} plays for that long.
 */
@Tag("full")
class RandomInterleavingTest {

    private static final int OPERATIONS = FullRun.steps(5_000, 25_000);
    private static final int THREADS = 6;
    private static final int OPERATIONS_OF_A_PHASE = 60;
    private static final int SUB_QUEUES = 3;
    private static final int CAPACITY = 30;
    private static final int PHASES_OF_A_TUBE = 10;

    /** In how many calls at most all marks of a phase are promoted. */
    private static final int MOST_PROMOTIONS = 2_000;

    private static final long SEED = Long.getLong("random.seed", System.nanoTime());
    private static final Duration TIME = Duration.ofMinutes(Long.getLong("random.minutes", 0));

    @ParameterizedTest
    @CsvSource({"H2, false", "POSTGRESQL, false", "H2, true", "POSTGRESQL, true"})
    void nothing_is_lost_stuck_or_doubled_in_whatever_order(TestDatabase kind, boolean capacity) throws Exception {
        System.out.println(
                "random.seed=" + SEED + " for " + kind + (capacity ? " with a capacity" : " with sub-queues"));
        Tally tally = new Tally();
        long end = System.nanoTime() + TIME.dividedBy(4).toNanos();
        int phase = 0;
        while (tally.operations.get() < OPERATIONS || System.nanoTime() - end < 0) {
            try (HikariDataSource pool = kind.create();
                    Play play = new Play(pool, kind, capacity, tally)) {
                while (!play.h2Broken && (tally.operations.get() < OPERATIONS || System.nanoTime() - end < 0)) {
                    play.phase(phase);
                    if (!play.h2Broken) {
                        play.check(phase);
                    }
                    phase++;
                }
                if (play.h2Broken) {
                    tally.refused("a database that H2 broke");
                }
            }
        }
        System.out.println(
                tally.operations + " operations, drops beside others: " + tally.drops + ", refused: " + tally.refused);
    }

    /** What was done, in all databases that a run needed. */
    private static final class Tally {

        private final AtomicLong operations = new AtomicLong();
        private final AtomicLong drops = new AtomicLong();
        private final Map<String, AtomicLong> refused = new ConcurrentHashMap<>();

        void refused(String state) {
            refused.computeIfAbsent(state, s -> new AtomicLong()).incrementAndGet();
        }
    }

    /** One tube, and those who play with it. */
    private static final class Play implements AutoCloseable {

        private final HikariDataSource pool;
        private final boolean h2;
        private final boolean capacity;
        private final OpenStore open;
        private final ThreadTransactions transactions;
        private final Entities entities;
        private final TaskStore store;
        private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        private final List<Player> players = new ArrayList<>();
        private final Set<Long> put = ConcurrentHashMap.newKeySet();
        private final Set<Long> removed = ConcurrentHashMap.newKeySet();
        private final Tally tally;

        /** A transaction that H2 itself can neither commit nor roll back any more holds its rows for ever. */
        private volatile boolean h2Broken;

        /** An error that no rule allows; in a database that H2 broke it says nothing. */
        private final AtomicReference<AssertionError> unexpected = new AtomicReference<>();

        /** Whether a player dropped the tube while the others continued. */
        private volatile boolean dropped;

        private StoredTube tube;

        Play(HikariDataSource pool, TestDatabase kind, boolean capacity, Tally tally) throws Exception {
            this.pool = pool;
            this.tally = tally;
            this.h2 = kind == TestDatabase.H2;
            this.capacity = capacity;
            open = SqlStores.open(pool, true, () -> {});
            if (!h2) {
                promoteInSmallSteps();
            }
            transactions = new ThreadTransactions(pool);
            Dialect dialect =
                    h2 ? new H2(SchemaName.OF_THE_CONNECTION, 2) : new PostgreSql(SchemaName.OF_THE_CONNECTION);
            entities = new Entities(
                    new PersistenceUnit(transactions.dataSource(), SchemaName.of(h2 ? "PUBLIC" : "public")).open(),
                    CallersTransaction.NONE);
            store = new TaskStore(
                    new Jdbc(
                            Connections.of(transactions.dataSource(), CallersTransaction.NONE),
                            () -> {},
                            CallersTransaction.NONE,
                            dialect.limitsTime(),
                            new LongAdder()),
                    new Tables(dialect, dialect),
                    false,
                    entities,
                    new KnownKinds(),
                    new KnownTubes());
            newTube();
            for (int i = 0; i < THREADS; i++) {
                players.add(new Player(this, i));
            }
        }

        private void promoteInSmallSteps() throws SQLException {
            String function = text("SELECT pg_get_functiondef('tasktube_promote_heads'::regproc)")
                    .replace("step CONSTANT integer := 5000", "step CONSTANT integer := 3")
                    .replace("batch CONSTANT integer := 1000", "batch CONSTANT integer := 2")
                    .replace("most CONSTANT integer := 5000", "most CONSTANT integer := 6");
            assertThat(function).contains("step CONSTANT integer := 3", ":= 2", ":= 6");
            execute(function);
        }

        private void newTube() {
            tube = open.registry()
                    .createTube(
                            capacity
                                    ? TubeDefinition.limfifottl("random", CAPACITY)
                                    : TubeDefinition.of("random", TubeDefinition.UTUBETTL),
                            !capacity)
                    .orElseThrow();
            put.clear();
            removed.clear();
            dropped = false;
        }

        void phase(int phase) throws Exception {
            List<Future<?>> played = new ArrayList<>();
            for (Player player : players) {
                Random random = new Random(SEED * 1_000_003 + phase * 31L + player.number);
                played.add(threads.submit(() -> {
                    player.play(random, dropsAfter(phase, player));
                    return null;
                }));
            }
            for (Future<?> one : played) {
                one.get();
            }
            if (unexpected.get() != null && !h2Broken) {
                throw unexpected.get();
            }
        }

        /**
         * After how many operations a player drops the tube, the others going on; each second tube ends in this way.
         */
        private static int dropsAfter(int phase, Player player) {
            boolean drops = phase % (2 * PHASES_OF_A_TUBE) == PHASES_OF_A_TUBE - 1 && player.number == 0;
            return drops ? OPERATIONS_OF_A_PHASE / 2 : Integer.MAX_VALUE;
        }

        /** As an operator does it: outside the others' transactions, which may keep it from the tube for a while. */
        private void dropBesideOthers() {
            try {
                open.registry().dropTube(tube);
                dropped = true;
                tally.drops.incrementAndGet();
            } catch (TubeInUseException e) {
                tally.refused("in use");
            } catch (StoreException e) {
                players.get(0).refused(e);
            }
        }

        void check(int phase) throws SQLException {
            String what = "phase " + phase + " of -Drandom.seed=" + SEED;
            if (dropped) {
                // H2 has no lock by which a drop could wait for puts: the maintenance thread removes
                // what these leave
                store.removeOrphans();
                checkNothingIsLeft(what);
                players.forEach(player -> player.mine.clear());
                newTube();
                return;
            }
            if (!capacity) {
                // Not until nothing is left: that a call with nothing open promotes what is marked is the rule
                for (int i = 0; i < MOST_PROMOTIONS && number("SELECT count(*) FROM tasktube_dirty") > 0; i++) {
                    store.promoteHeads(tube);
                }
                store.promoteHeads(tube);
                checkSubQueues(what);
            } else {
                assertThat(number("SELECT (SELECT count(*) FROM tasktube_task) + (SELECT count(*) FROM tasktube_slot)"))
                        .as("tasks and free slots, " + what)
                        .isEqualTo(CAPACITY);
            }
            Set<String> held = new TreeSet<>();
            players.forEach(player -> player.mine.forEach(task -> held.add(task.id() + " " + task.token())));
            assertThat(held)
                    .as("each TAKEN task has a holder, " + what)
                    .containsAll(rows("SELECT id, token FROM tasktube_task WHERE state = 't'"));
            assertThat(rows("SELECT id FROM tasktube_task"))
                    .as("what was put and not removed, " + what)
                    .containsExactlyInAnyOrderElementsOf(put.stream()
                            .filter(id -> !removed.contains(id))
                            .map(String::valueOf)
                            .toList());
            if (phase % PHASES_OF_A_TUBE == PHASES_OF_A_TUBE - 1) {
                dropTube(what);
            }
        }

        private void checkSubQueues(String what) throws SQLException {
            String live =
                    "(t.expires_at IS NULL OR t.expires_at > " + (h2 ? "tasktube_now()" : "clock_timestamp()") + ")";
            String ofHead = "t.utube = h.utube AND t.blocked AND " + live;
            assertThat(rows("SELECT t.id, t.utube FROM tasktube_task t WHERE blocked AND " + live
                            + " AND NOT EXISTS (SELECT 1 FROM tasktube_task h"
                            + " WHERE h.utube = t.utube AND h.state IN ('r', 't') AND NOT h.blocked)"))
                    .as("wait without a head, " + what)
                    .isEmpty();
            assertThat(rows("SELECT utube, count(*) FROM tasktube_task WHERE utube IS NOT NULL"
                            + " AND state IN ('r', 't') AND NOT blocked GROUP BY utube HAVING count(*) > 1"))
                    .as("more than one head, " + what)
                    .isEmpty();
            assertThat(rows(
                            "SELECT h.id, t.id FROM tasktube_task h, tasktube_task t WHERE h.state = 'r' AND NOT h.blocked"
                                    + " AND (t.pri, t.ord) < (h.pri, h.ord) AND " + ofHead))
                    .as("head before its turn, " + what)
                    .isEmpty();
            assertThat(rows("SELECT utube FROM tasktube_dirty UNION SELECT utube FROM tasktube_parked"))
                    .as("marks that are left, " + what)
                    .isEmpty();
            if (!h2) {
                assertThat(rows("SELECT h.id, t.id FROM tasktube_task h, tasktube_task t"
                                + " WHERE h.state IN ('r', 't') AND NOT h.blocked AND h.sole_member AND " + ofHead))
                        .as("said to be the sole member, " + what)
                        .isEmpty();
            }
        }

        private void dropTube(String what) throws SQLException {
            open.registry().dropTube(tube);
            checkNothingIsLeft(what);
            players.forEach(player -> player.mine.clear());
            newTube();
        }

        private void checkNothingIsLeft(String what) throws SQLException {
            for (String table : List.of("task", "dirty", "parked", "slot")) {
                assertThat(number("SELECT count(*) FROM tasktube_" + table))
                        .as("tasktube_" + table + " of a dropped tube, " + what)
                        .isZero();
            }
        }

        private Set<String> rows(String query) throws SQLException {
            Set<String> all = new TreeSet<>();
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(query)) {
                int columns = rows.getMetaData().getColumnCount();
                while (rows.next()) {
                    List<String> row = new ArrayList<>();
                    for (int i = 1; i <= columns; i++) {
                        row.add(rows.getString(i));
                    }
                    all.add(String.join(" ", row));
                }
            }
            return all;
        }

        private String text(String query) throws SQLException {
            return rows(query).iterator().next();
        }

        private long number(String query) throws SQLException {
            return Long.parseLong(text(query));
        }

        private void execute(String sql) throws SQLException {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        }

        @Override
        public void close() {
            threads.shutdownNow();
            entities.close();
            open.close();
        }
    }

    /** One thread, with what it holds. */
    private static final class Player {

        private static final int KINDS = 22;

        /**
         * How H2 2.2.224 fails if it chose a transaction to end a deadlock that had just ended: by its code 103, a
         * transaction in an illegal state, with different words. It neither commits nor rolls back that one: its rows
         * stay locked until the database is closed.
         */
        private static final String H2_DEADLOCK = "[2.2.224/103]";

        /** Two that wait for each other, and what waited for too long. */
        private static final Set<String> EXPECTED = Set.of("40P01", "40001", "HYT00", "55P03");

        /** How a put fails that waits for a drop, which waits for a row that the put's transaction has locked. */
        private static final String BESIDE_A_DROP = "nothing was put: a transaction that drops tube";

        private final Play play;
        private final int number;
        private final Holder me = new Holder(UUID.randomUUID(), 1);
        private final List<Task> mine = new ArrayList<>();
        private final List<Long> put = new ArrayList<>();
        private final List<Long> removed = new ArrayList<>();
        private Random random = new Random();

        Player(Play play, int number) {
            this.play = play;
            this.number = number;
        }

        void play(Random chosen, int dropsAfter) throws SQLException {
            random = chosen;
            boolean drops = true;
            for (int done = 0; done < OPERATIONS_OF_A_PHASE && !play.h2Broken; ) {
                done += chance(70) ? inTransaction() : outside();
                if (drops && done >= dropsAfter) {
                    play.dropBesideOthers();
                    drops = false;
                }
            }
        }

        private int outside() {
            List<Task> before = List.copyOf(mine);
            try {
                operation();
                end(true, before);
            } catch (StoreException e) {
                refused(e);
                end(false, before);
            }
            return 1;
        }

        private int inTransaction() throws SQLException {
            List<Task> before = List.copyOf(mine);
            int operations = 1 + random.nextInt(4);
            boolean commits = chance(65);
            if (chance(50)) {
                promote();
            }
            play.transactions.begin();
            boolean ends = false;
            try {
                for (int i = 0; i < operations; i++) {
                    operation();
                }
                ends = commits;
            } catch (StoreException e) {
                refused(e);
            } finally {
                play.transactions.end(ends);
            }
            end(ends, before);
            return operations;
        }

        private void promote() {
            try {
                play.store.promoteHeads(play.tube);
            } catch (StoreException e) {
                refused(e);
            }
        }

        /** What the transaction did to memory, or did not. */
        private void end(boolean committed, List<Task> before) {
            if (committed) {
                play.put.addAll(put);
                play.removed.addAll(removed);
            } else {
                mine.clear();
                mine.addAll(before);
            }
            put.clear();
            removed.clear();
        }

        private void refused(StoreException e) {
            String state = e.getCause() instanceof SQLException cause ? cause.getSQLState() : e.getMessage();
            if (play.h2 && e.getMessage().contains(H2_DEADLOCK)) {
                play.h2Broken = true;
            } else if (e.getMessage().startsWith(BESIDE_A_DROP)) {
                state = BESIDE_A_DROP;
            } else if (!EXPECTED.contains(state)) {
                play.unexpected.compareAndSet(null, new AssertionError(e.getMessage(), e));
            }
            play.tally.refused(state);
        }

        private void operation() {
            play.tally.operations.incrementAndGet();
            switch (random.nextInt(KINDS)) {
                case 0, 1, 2 -> put(List.of(task(Optional.empty())));
                case 3 -> put(List.of(task(Optional.empty()), task(Optional.empty()), task(Optional.empty())));
                case 4 -> putUnique();
                case 5, 6, 7, 8 -> take();
                case 9, 10, 11 -> one().ifPresent(task -> removed(Calls.ack(play.store, play.tube, me, task), task));
                case 12 -> one().ifPresent(task -> Calls.release(play.store, play.tube, me, task));
                case 13 -> one().ifPresent(this::releaseForLater);
                case 14 -> one().ifPresent(task -> Calls.requeue(play.store, play.tube, me, task));
                case 15 -> one().ifPresentOrElse(task -> Calls.bury(play.store, play.tube, me, task), this::buryUnheld);
                case 16 -> Calls.kick(play.store, play.tube, 2);
                case 17 -> delete();
                case 18 -> ackAll();
                case 19 ->
                    one().ifPresent(task -> Calls.done(
                            play.store,
                            play.tube,
                            me,
                            task,
                            new TaskResult(TaskResult.Outcome.COMPLETED, TaskData.of("r"), Duration.ofMillis(30))));
                case 20 -> returnUnstarted();
                default -> rarely();
            }
        }

        private void rarely() {
            switch (random.nextInt(8)) {
                case 0 -> Calls.releaseAll(play.store, play.tube);
                case 1 -> Calls.truncateReturningTasks(play.store, play.tube).forEach(task -> removed.add(task.id()));
                case 2 ->
                    Calls.releaseSession(
                            play.store,
                            play.tube,
                            me.session(),
                            mine.stream().map(Task::id).toList());
                default -> sweep();
            }
        }

        private void put(List<NewTask> tasks) {
            put.addAll(play.store.put(play.tube, tasks).ids());
        }

        private void putUnique() {
            NewTask task = task(Optional.of("k" + random.nextInt(4)));
            Put done = play.store.put(play.tube, List.of(task));
            if (done.outcome() == Put.Outcome.DONE) {
                put.addAll(done.ids());
            } else if (done.outcome() == Put.Outcome.EXISTS
                    && play.store
                            .replace(play.tube, done.id(), TaskState.READY, task)
                            .isEmpty()) {
                play.store.replace(play.tube, done.id(), TaskState.DELAYED, task);
            }
        }

        private void take() {
            play.store.claim(play.tube, me, OrderKey.START, 1 + random.nextInt(3)).stream()
                    .map(ClaimedTask::task)
                    .forEach(mine::add);
        }

        private void releaseForLater(Task task) {
            Calls.release(
                    play.store, play.tube, me, task, Duration.ofMillis(1L + random.nextInt(10)), Optional.empty());
        }

        private void buryUnheld() {
            play.store
                    .reads()
                    .first(play.tube, TaskState.READY)
                    .ifPresent(task -> Calls.buryUnheld(play.store, play.tube, task.id(), TaskState.READY));
        }

        private void delete() {
            List<Task> page = play.store.reads().page(play.tube, TaskState.READY, 0, 20);
            if (!page.isEmpty()) {
                Task task = page.get(random.nextInt(page.size()));
                removed(Calls.delete(play.store, play.tube, task.id()).isPresent(), task);
            }
        }

        private void ackAll() {
            List<Task> all = List.copyOf(mine);
            if (!all.isEmpty() && Calls.ackAll(play.store, play.tube, me, all)) {
                all.forEach(task -> removed(true, task));
                mine.clear();
            }
        }

        private void returnUnstarted() {
            Calls.returnUnstarted(play.store, play.tube, me, List.copyOf(mine));
            mine.clear();
        }

        private void sweep() {
            for (Sweep.Swept swept : play.store.sweep(any -> false).swept()) {
                if (swept.done().from() != TaskState.TAKEN && swept.done().from() != TaskState.DELAYED) {
                    removed.addAll(swept.done().ids());
                }
            }
        }

        private void removed(boolean done, Task task) {
            if (done) {
                removed.add(task.id());
            }
        }

        private Optional<Task> one() {
            return mine.isEmpty() ? Optional.empty() : Optional.of(mine.remove(random.nextInt(mine.size())));
        }

        private NewTask task(Optional<String> key) {
            boolean delayed = chance(16);
            Optional<Duration> delay = delayed ? Optional.of(millis(20)) : Optional.empty();
            Optional<Duration> life =
                    chance(12) ? Optional.of(millis(60).plus(delay.orElse(Duration.ZERO))) : Optional.empty();
            return new NewTask(
                    delayed ? TaskState.DELAYED : TaskState.READY,
                    random.nextInt(3),
                    chance(16) ? Position.first() : Position.last(),
                    delayed ? delay : life,
                    life,
                    chance(20) ? Optional.of(Duration.ofMillis(20)) : Optional.empty(),
                    play.capacity || chance(8) ? Optional.empty() : Optional.of("u" + random.nextInt(SUB_QUEUES)),
                    key,
                    Map.of(),
                    TaskData.of("x"));
        }

        private Duration millis(int most) {
            return Duration.ofMillis(1L + random.nextInt(most));
        }

        private boolean chance(int percent) {
            return random.nextInt(100) < percent;
        }
    }
}
