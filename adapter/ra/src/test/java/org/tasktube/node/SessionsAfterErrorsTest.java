package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.RefusingDataSource;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A statement about a session fails by an Error, as of a driver that was redeployed. */
@Tag("full")
@Timeout(60)
class SessionsAfterErrorsTest {

    private static final int SESSIONS = 4;
    private static final String REGISTERS = "INTO tasktube_session";
    private static final String LEAVES = "DELETE FROM tasktube_session";

    /** Counts the statements on the way to the one that fails: none does at 0. */
    private final AtomicInteger untilFailure = new AtomicInteger();

    private volatile Consumer<Integer> before = left -> {};
    private volatile Predicate<Thread> isCounted = thread -> true;

    private DataSource failing(DataSource database, String words) {
        return HookedDataSource.of(database, sql -> {
            if (sql.contains(words) && isCounted.test(Thread.currentThread())) {
                int left = untilFailure.getAndUpdate(each -> Math.max(0, each - 1));
                before.accept(left);
                if (left == 1) {
                    throw new InternalError("of the test");
                }
            }
        });
    }

    private static void takeForDead(RunningNode server, Sql sql) {
        int former = server.node().number();
        try {
            sql.execute("UPDATE tasktube_node SET dead = TRUE WHERE id = " + former);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        Eventually.holds(() -> server.node().number() != former, "it has another number");
    }

    private static long number(Sql sql, String query) {
        try {
            return sql.number(query);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void the_transaction_of_the_maintenance_that_ends_a_session_ends_too(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode running = new RunningNode(failing(database, LEAVES), "one")) {
            Sql sql = new Sql(database);
            ClientConnection client = new ClientConnection();
            Tube tube = running.newTube(client, TubeDefinition.FIFO);
            running.node().identify(client, Duration.ofMillis(300));
            tube.put("a");
            assertThat(tube.take(Duration.ZERO)).isPresent();
            running.node().close(client);
            untilFailure.set(1);
            Eventually.holds(
                    () -> number(sql, "SELECT count(*) FROM tasktube_task WHERE state = 'r'") == 1,
                    "the task is READY");
            assertThat(untilFailure).as("the first end has failed").hasValue(0);
            assertThat(number(sql, "SELECT count(*) FROM tasktube_session")).isZero();
            running.node().identify(new ClientConnection());
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_server_with_a_new_number_registers_all_its_sessions(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode running = new RunningNode(failing(database, REGISTERS), "one")) {
            Sql sql = new Sql(database);
            for (int i = 0; i < SESSIONS; i++) {
                running.node().identify(new ClientConnection());
            }
            untilFailure.set(SESSIONS / 2);
            takeForDead(running, sql);
            awaitRegistered(running, sql, "", SESSIONS);
            assertThat(untilFailure).hasValue(0);
        }
    }

    /** H2 has one lock for all of that, so a server gets no number while another thread publishes a session. */
    @Test
    void a_session_whose_server_gets_a_new_number_as_it_is_published_is_registered_by_that() {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                RunningNode running = new RunningNode(failing(database, REGISTERS), "one")) {
            Sql sql = new Sql(database);
            before = left -> {
                if (left == 2) {
                    takeForDead(running, sql);
                }
            };
            // The maintenance may register it as well
            isCounted = Thread.currentThread()::equals;
            untilFailure.set(2);
            ClientConnection client = new ClientConnection();
            assertThatThrownBy(() -> running.node().identify(client)).isInstanceOf(InternalError.class);
            UUID session = running.node().identify(client);
            awaitRegistered(running, sql, " AND session = '" + session + "'", 1);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_session_that_cannot_be_registered_is_tried_again_by_one_piece_of_maintenance(TestDatabase kind)
            throws Exception {
        try (HikariDataSource database = kind.create()) {
            RefusingDataSource refusing = new RefusingDataSource(database);
            try (RunningNode running = new RunningNode(refusing, "one")) {
                running.node().identify(new ClientConnection());
                refusing.refuse(REGISTERS);
                new Sql(database).execute("DELETE FROM tasktube_session");
                HolderCheck check = running.node().parts().holderCheck();
                for (int i = 0; i < 10; i++) {
                    check.check(running.node().registry(), running.node().number());
                }
                int before = refusing.refused();
                long begun = System.nanoTime();
                Eventually.holds(() -> refusing.refused() >= before + 6, "it is tried six times more");
                assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofSeconds(2));
                refusing.refuse(null);
                awaitRegistered(running, new Sql(database), "", 1);
            }
        }
    }

    private static void awaitRegistered(RunningNode server, Sql sql, String which, int count) {
        String rows = "SELECT count(*) FROM tasktube_session WHERE node = ";
        Eventually.holds(
                () -> number(sql, rows + server.node().number() + which) == count, count + " rows of the server");
    }
}
