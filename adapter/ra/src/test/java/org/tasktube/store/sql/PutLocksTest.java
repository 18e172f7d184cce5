package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tasktube.StoreException;
import org.tasktube.TubeDefinition;
import org.tasktube.store.NewTask;
import org.tasktube.store.Put;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.StoredTube;
import org.tasktube.testing.ConnectionSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.OpenTransactions;
import org.tasktube.testing.Proxies;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The lock by which a put keeps its tube from being dropped, in PostgreSQL. */
class PutLocksTest {

    private static final int PRODUCERS = 6;

    private static final Duration WORK = Duration.ofMillis(20);

    private HikariDataSource database;
    private OpenStore open;

    @BeforeEach
    void open() throws Exception {
        database = TestDatabase.POSTGRESQL.create();
        open = SqlStores.open(database, true, () -> {});
    }

    @AfterEach
    void close() {
        open.close();
        database.close();
    }

    @Test
    void a_put_keeps_its_own_tube_from_being_dropped_and_no_other() throws Exception {
        StoredTube own = tube("own");
        StoredTube other = tube("other");
        execute("ANALYZE tasktube_tube");
        try (OpenTransactions transaction = new OpenTransactions(database)) {
            transaction.begin();
            transaction.store().put(own, List.of(plain()));
            assertThat(number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"))
                    .isEqualTo(1);
            open.registry().dropTube(other);
        }
    }

    /** The trigger has the put stand still after it has read the tube's row, and before it asks for the lock. */
    @Test
    void a_put_that_began_before_a_drop_and_ends_after_it_puts_nothing() throws Exception {
        StoredTube tube = tube("own");
        execute("CREATE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql AS"
                + " 'BEGIN PERFORM pg_advisory_xact_lock_shared(4711); RETURN NULL; END'");
        execute("CREATE TRIGGER stand_still BEFORE INSERT ON tasktube_task"
                + " FOR EACH STATEMENT EXECUTE FUNCTION stand_still()");
        CompletableFuture<Put> put;
        try (Connection gate = database.getConnection();
                Statement on = gate.createStatement()) {
            gate.setAutoCommit(false);
            on.execute("SELECT pg_advisory_xact_lock(4711)");
            put = CompletableFuture.supplyAsync(() -> open.tasks().put(tube, List.of(plain())));
            Eventually.holds(
                    () -> count("SELECT count(*) FROM pg_locks WHERE NOT granted") == 1, "the put stands still");
            open.registry().dropTube(tube);
            gate.rollback();
            gate.setAutoCommit(true);
        }
        assertThat(put.get().outcome()).isEqualTo(Put.Outcome.NO_TUBE);
        assertThat(number("SELECT count(*) FROM tasktube_task")).isZero();
    }

    /** Each of these transactions is short, and there is always one. */
    @Test
    void a_tube_is_dropped_although_producers_go_on() throws Exception {
        StoredTube tube = tube("busy");
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> producers = Stream.generate(() -> new Thread(() -> putUntil(over, tube)))
                .limit(PRODUCERS)
                .toList();
        producers.forEach(Thread::start);
        try {
            Eventually.holds(() -> count("SELECT count(*) FROM tasktube_task") > 100, "they put");
            open.registry().dropTube(tube);
        } finally {
            over.set(true);
            for (Thread producer : producers) {
                producer.join();
            }
        }
        assertThat(number("SELECT count(*) FROM tasktube_task")).isZero();
    }

    private void putUntil(AtomicBoolean over, StoredTube tube) {
        try (OpenTransactions transaction = new OpenTransactions(database)) {
            Put.Outcome last = Put.Outcome.DONE;
            while (!over.get() && last == Put.Outcome.DONE) {
                transaction.begin();
                last = transaction.store().put(tube, List.of(plain())).outcome();
                LockSupport.parkNanos(WORK.toNanos());
                transaction.commit();
            }
        } catch (SQLException | StoreUnavailableException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_put_in_a_repeatable_transaction_puts_nothing_into_a_tube_that_was_dropped_since_its_snapshot()
            throws Exception {
        StoredTube tube = tube("own");
        try (OpenTransactions transaction = new OpenTransactions(repeatable())) {
            transaction.begin();
            transaction.store().reads().find(tube, 1);
            open.registry().dropTube(tube);
            assertThatThrownBy(() -> transaction.store().put(tube, List.of(plain())))
                    .isInstanceOf(StoreException.class);
        }
        assertThat(number("SELECT count(*) FROM tasktube_task")).isZero();
    }

    /** As when an application has set another isolation on the connection of its transaction. */
    private DataSource repeatable() {
        return (ConnectionSource) () -> {
            Connection real = database.getConnection();
            return Proxies.of(Connection.class, (method, arguments) -> {
                Object result = Proxies.call(real, method, arguments);
                if (method.getName().equals("setAutoCommit") && arguments[0].equals(false)) {
                    real.createStatement().execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
                }
                return result;
            });
        };
    }

    private long count(String query) {
        try {
            return number(query);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private StoredTube tube(String name) {
        return open.registry()
                .createTube(TubeDefinition.of(name, TubeDefinition.FIFO), false)
                .orElseThrow();
    }

    private static NewTask plain() {
        return TaskToPut.of("a").build();
    }

    private void execute(String sql) throws SQLException {
        new Sql(database).execute(sql);
    }

    private long number(String query) throws SQLException {
        return new Sql(database).number(query);
    }
}
