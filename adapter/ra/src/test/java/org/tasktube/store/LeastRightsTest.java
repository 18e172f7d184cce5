package org.tasktube.store;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.AdapterState;
import org.tasktube.History;
import org.tasktube.OnConflict;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.AuditAct;
import org.tasktube.admin.AuditQuery;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.OperationState;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.node.OperationStart;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A server works with the rights that docs/tables.md lists, and no others. */
@Timeout(120)
class LeastRightsTest {

    private static final Path PAGE = Path.of("../../docs/tables.md");

    /** Returns the statements of the page. */
    private static String grants() throws IOException {
        String page = Files.readString(PAGE);
        String begin = "```sql\nGRANT SELECT ON tasktube_schema";
        int from = page.indexOf(begin) + "```sql\n".length();
        return page.substring(from, page.indexOf("```", from));
    }

    @Test
    void a_user_with_the_rights_of_the_page_can_do_all_work() throws Exception {
        try (HikariDataSource owner = TestDatabase.POSTGRESQL.createEmpty()) {
            SqlStores.open(owner, true, () -> {}).close();
            Sql sql = new Sql(owner);
            String user = "orders_" + UUID.randomUUID().toString().substring(0, 8);
            sql.execute("REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC");
            sql.execute("CREATE USER " + user);
            for (String grant : grants().split(";\\s*", 0)) {
                sql.execute(grant.replace("TO orders", "TO " + user));
            }
            try (HikariDataSource database = TestDatabase.connect(owner.getJdbcUrl(), user);
                    RunningNode running = new RunningNode(database, "one")) {
                assertThat(new Sql(database)
                                .number("SELECT count(*) FROM pg_roles WHERE rolname = current_user AND rolname = '"
                                        + user + "'"))
                        .isEqualTo(1);
                assertThat(running.node().state()).isEqualTo(AdapterState.RUNNING);
                work(running, TubeDefinition.utubettl("shop"));
                work(running, TubeDefinition.utubettl("passing").asTemporary());
                administer(running);
            }
        }
    }

    /** As by a script that an administrator has run with another search path. */
    @Test
    void functions_that_do_not_find_the_tables_are_named_at_the_start() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.createEmpty()) {
            SqlStores.open(database, true, () -> {}).close();
            new Sql(database).execute("ALTER FUNCTION tasktube_open(integer) SET search_path = elsewhere");
            assertThatThrownBy(() -> SqlStores.open(database, true, () -> {}))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("functions do not find its tables")
                    .hasMessageContaining("tasktube_open, search path elsewhere");
        }
    }

    private static void work(RunningNode running, TubeDefinition definition) {
        ClientConnection connection = new ClientConnection();
        Tube tube = running.node().createTube(connection, definition.history(History.ALL));
        PutOptions inSubQueue = PutOptions.defaults().utube("a");
        tube.putAll(List.of("a", "b", "c"), inSubQueue.ttr(Duration.ofMinutes(1)));
        tube.putUnique("key", "d", inSubQueue, OnConflict.KEEP);
        tube.put("e", inSubQueue.delay(Duration.ofHours(1)));
        Task taken = tube.take(Duration.ZERO).orElseThrow();
        tube.touch(taken, Duration.ofSeconds(1));
        tube.release(taken);
        tube.ack(tube.take(Duration.ZERO).orElseThrow());
        tube.bury(tube.take(Duration.ZERO).orElseThrow());
        tube.kick();
        assertThat(running.node().identify(connection)).isNotNull();
        tube.pause("test");
        tube.resume();
        Tube limited = running.node().createTube(connection, TubeDefinition.limfifottl("limited", 2));
        limited.put("x");
        limited.truncate();
        limited.drop();
        assertThat(tube.tasks(TaskState.READY, 0, 10)).isNotEmpty();
    }

    private static void administer(RunningNode running) {
        ClientConnection connection = new ClientConnection();
        TaskAdmin admin = running.node().admin(connection);
        assertThat(admin.search(TaskFilter.parse("tube:shop"), Optional.empty(), 10)
                        .tasks())
                .isNotEmpty();
        admin.record(new AuditAct(
                "anna",
                "ADMIN",
                "drop",
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                200,
                Optional.empty()));
        assertThat(admin.audit(AuditQuery.ALL, OptionalLong.empty(), 10).entries())
                .hasSize(1);
        assertThat(admin.servers()).hasSize(1);
        assertThat(admin.flow(Duration.ofHours(1))).isNotNull();
        long id = OperationStart.of(admin, OperationAct.DELETE, TaskFilter.parse("tube:shop"), "anna", "test")
                .id();
        Eventually.holds(() -> admin.operation(id).state() == OperationState.DONE, "the operation is done");
    }
}
