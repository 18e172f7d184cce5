package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import jakarta.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.EditedTask;
import org.tasktube.admin.TaskRelations;
import org.tasktube.session.ClientConnection;
import org.tasktube.session.CurrentDelivery;
import org.tasktube.store.sql.Afters;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.JtaNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static java.time.Duration.ZERO;
import static org.assertj.core.api.Assertions.assertThat;

/** Tasks that wait for others, while other transactions have locked what they wait for. */
class WaitsBesideTransactionsTest {

    private final ClientConnection bean = new ClientConnection();

    private Tube tube(JtaNode one) {
        return one.running().newTube(bean, TubeDefinition.FIFOTTL);
    }

    private static List<Task> group(Tube tube, boolean anyEnd) throws Exception {
        Jta.MANAGER.begin();
        Task parent = tube.put("parent");
        PutOptions options = PutOptions.defaults();
        Task child = tube.put("child", anyEnd ? options.afterAny(parent) : options.after(parent));
        Jta.MANAGER.commit();
        return List.of(parent, child);
    }

    private static Afters afters(JtaNode one) {
        return one.node().parts().access().afters();
    }

    @ParameterizedTest
    @DatabaseSource
    void an_edited_task_waits_for_one_that_a_delivery_beside_it_adds(TestDatabase kind) throws Exception {
        HikariDataSource database = kind.create();
        try (JtaNode one = new JtaNode(database)) {
            Tube tube = tube(one);
            Task child = group(tube, false).get(1);
            Task parent = tube.take(ZERO).orElseThrow();
            Jta.MANAGER.begin();
            CurrentDelivery.begin(
                    bean, one.node().find(tube.name()).orElseThrow().stored(), List.of(parent));
            Task added = tube.put("added", PutOptions.defaults().before(child));
            CurrentDelivery.end();
            Transaction delivery = Jta.MANAGER.suspend();
            CompletableFuture<Task> edit = CompletableFuture.supplyAsync(() -> edited(one, child));
            Eventually.holds(() -> isAnyBlocked(kind, database), "the edit waits for the delivery");
            Jta.MANAGER.resume(delivery);
            Jta.MANAGER.commit();
            Task edited = edit.get(60, TimeUnit.SECONDS);
            assertThat(one.node()
                            .admin(bean)
                            .relations(tube.name(), edited.id())
                            .before())
                    .extracting(TaskRelations.Relative::id)
                    .containsExactlyInAnyOrder(parent.id(), added.id());
        }
    }

    private static boolean isAnyBlocked(TestDatabase kind, DataSource database) {
        String blocked = kind == TestDatabase.H2
                ? "SELECT count(*) FROM information_schema.sessions WHERE blocker_id IS NOT NULL"
                : "SELECT count(*) FROM pg_locks WHERE NOT granted";
        return number(database, blocked) > 0;
    }

    private Task edited(JtaNode one, Task child) {
        try {
            Jta.MANAGER.begin();
            Task edited =
                    one.node().admin(bean).retryEdited(child.tube(), child.id(), EditedTask.of(TaskData.of("edited")));
            Jta.MANAGER.commit();
            return edited;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_wait_that_a_delivery_has_locked_is_passed_over_until_its_end(TestDatabase kind) throws Exception {
        HikariDataSource database = kind.create();
        try (JtaNode one = new JtaNode(database)) {
            Tube tube = tube(one);
            List<Task> tasks = group(tube, true);
            long parent = tasks.get(0).id();
            long child = tasks.get(1).id();
            try (Connection open = locked(database, "")) {
                tube.delete(parent);
                assertThat(afters(one).settle(Set.of(parent)).again()).containsExactly(parent);
                afters(one).endAllBefore(child);
                assertThat(one.node().admin(bean).whyWaiting(tube.name(), child).sentence())
                        .contains("waits for no other task any more");
                open.rollback();
            }
            Eventually.holds(() -> tube.take(ZERO).isPresent(), "the child follows");
        }
    }

    /** Returns a connection whose transaction has locked some waits. */
    private static Connection locked(DataSource database, String which) throws SQLException {
        Connection open = database.getConnection();
        open.setAutoCommit(false);
        try (Statement statement = open.createStatement()) {
            statement.executeQuery("SELECT * FROM tasktube_after " + which + " FOR UPDATE");
        }
        return open;
    }

    private static long waits(DataSource database) {
        return number(database, "SELECT count(*) FROM tasktube_after");
    }

    private static long number(DataSource database, String query) {
        try {
            return new Sql(database).number(query);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void the_look_at_all_goes_on_past_a_wait_that_is_locked(TestDatabase kind) throws Exception {
        HikariDataSource database = kind.create();
        try (JtaNode one = new JtaNode(database)) {
            Tube tube = tube(one);
            group(tube, false);
            List<String> rows = new ArrayList<>();
            for (int i = 1; i <= 2_500; i++) {
                rows.add("(" + (i + 1_000_000) + ", " + -i + ", 1, FALSE, FALSE)");
            }
            new Sql(database)
                    .execute("INSERT INTO tasktube_after (parent_id, child_id, tube_id, any_end, ended) VALUES "
                            + String.join(", ", rows));
            try (Connection open = locked(database, "WHERE parent_id = 1000007")) {
                one.node().ordering().gone();
                Eventually.holds(() -> waits(database) == 2, "all others are removed");
                open.rollback();
            }
            one.node().ordering().gone();
            Eventually.holds(() -> waits(database) == 1, "it too");
        }
    }
}
