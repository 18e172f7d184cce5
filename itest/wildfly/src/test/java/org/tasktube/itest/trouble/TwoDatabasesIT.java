package org.tasktube.itest.trouble;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.ConfiguredHome;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.Postgres;
import org.tasktube.itest.kit.WildFly;
import org.tasktube.itest.watchdog.FullRun;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application's rows are in another database than the tasks, and the server dies within the commit of both: a row
 * and its put, or a row and its ack, are both there after the recovery, or neither is.
 */
@Tag("trouble")
@Tag("full")
class TwoDatabasesIT {

    private static final Path DIRECTORY = Servers.directory("two-databases");
    private static final int CRASHES = FullRun.size(4, 10);
    private static final Map<String, String> SETTINGS = Map.of("max_prepared_transactions", "100");
    private static final Postgres TASKS = new Postgres(DIRECTORY.resolve("tasks"), SETTINGS);
    private static final Postgres ORDERS = new Postgres(DIRECTORY.resolve("orders"), SETTINGS);

    /** Where the transaction manager is when the server dies: the place, in the language of Byteman, and what it means. */
    private static final List<String> PLACES = List.of(
            "CLASS com.arjuna.ats.internal.jta.resources.arjunacore.XAResourceRecord\nMETHOD topLevelPrepare\nAT EXIT",
            "CLASS com.arjuna.ats.arjuna.coordinator.BasicAction\nMETHOD prepare\nAT INVOKE write_committed",
            "CLASS com.arjuna.ats.arjuna.coordinator.BasicAction\nMETHOD phase2Commit\nAT ENTRY",
            "CLASS com.arjuna.ats.internal.jta.resources.arjunacore.XAResourceRecord\nMETHOD topLevelCommit\nAT EXIT");

    private final BitSet answered = new BitSet();
    private int next;

    @BeforeAll
    static void startDatabases() throws SQLException {
        TASKS.start();
        ORDERS.start();
        execute("CREATE TABLE ordered (number bigint); CREATE TABLE shipped (number bigint)");
    }

    @AfterAll
    static void stopDatabases() {
        TASKS.close();
        ORDERS.close();
    }

    @Test
    void a_datasource_that_cannot_prepare_beside_another_one_is_refused_by_both_names() throws Exception {
        try (WildFly server = Servers.onPostgres(DIRECTORY.resolve("refused"), TASKS)) {
            server.cli("/subsystem=datasources/data-source=OrdersDS:add(jndi-name=java:jboss/datasources/OrdersDS,"
                    + "driver-name=postgresql,connection-url=\"" + ORDERS.url() + "\",user-name=" + Postgres.USER
                    + ")");
            server.start();
            server.deploy(Wars.of(DIRECTORY, "orders"));
            ProbeClient orders = new ProbeClient(server, "orders");
            Eventually.holds(
                    () -> {
                        orders.tryToAsk("-1");
                        return server.log().lines().stream().anyMatch(line -> line.contains("StoreException"));
                    },
                    "the put is refused");
            assertThat(server.log().lines())
                    .anyMatch(line -> line.contains("StoreException")
                            && line.contains("java:jboss/datasources/OrdersDS")
                            && line.contains("java:jboss/datasources/ExampleDS")
                            && line.contains("docs/two-datasources.md"));
            assertThat(rows(ORDERS, "SELECT number FROM ordered WHERE number = -1"))
                    .isEmpty();
        }
    }

    @Test
    void a_server_that_dies_between_prepare_and_commit_leaves_both_or_neither() throws Exception {
        try (WildFly server = configured()) {
            ProbeClient orders = new ProbeClient(server, "orders");
            server.start();
            server.deploy(Wars.of(DIRECTORY, "orders"));
            Eventually.holds(() -> order(orders), "orders are taken");
            int inDoubt = 0;
            for (int crash = 0; crash < CRASHES; crash++) {
                for (int i = 0; i < 20; i++) {
                    assertThat(order(orders)).isTrue();
                }
                Path armed = armed(crash % PLACES.size());
                Files.createFile(armed);
                Eventually.holds(() -> !order(orders) && !server.isRunning(), "the server has died");
                Files.delete(armed);
                Set<String> prepared = prepared();
                assertThat(prepared).as(PLACES.get(crash % PLACES.size())).isNotEmpty();
                inDoubt += prepared.size();
                server.start();
                Eventually.holds(
                        Duration.ofSeconds(60),
                        () -> prepared().stream().noneMatch(prepared::contains),
                        () -> "all is recovered of " + prepared);
                Eventually.holds(() -> order(orders), "orders are taken again");
            }
            Eventually.holds(() -> rows(TASKS, "SELECT id FROM tasktube_task").isEmpty(), "all is shipped");
            System.out.println(CRASHES + " crashes left " + inDoubt + " prepared transactions");
        }
        List<String> ordered = rows(ORDERS, "SELECT number FROM ordered ORDER BY number");
        List<String> shipped = rows(ORDERS, "SELECT number FROM shipped ORDER BY number");
        assertThat(shipped).isEqualTo(ordered).doesNotHaveDuplicates();
        assertThat(ordered)
                .containsAll(answered.stream().mapToObj(String::valueOf).toList());
        assertThat(prepared()).isEmpty();
    }

    /** Whether an order was answered as taken. Another request is another order. */
    private boolean order(ProbeClient orders) {
        int number = next++;
        boolean taken = orders.tryToAsk(Integer.toString(number)).equals("ordered");
        answered.set(number, taken);
        return taken;
    }

    private static Path armed(int place) {
        return DIRECTORY.resolve("armed-" + place).toAbsolutePath();
    }

    /** With an xa-data-source for the tasks, and another one for the orders. */
    private static WildFly configured() throws IOException {
        Path rules = DIRECTORY.resolve("rules.btm").toAbsolutePath();
        StringBuilder text = new StringBuilder();
        for (int place = 0; place < PLACES.size(); place++) {
            text.append("RULE " + place + "\n" + PLACES.get(place) + "\nBIND armed = new java.io.File(\"" + armed(place)
                    + "\")\nIF armed.exists()\nDO killJVM()\nENDRULE\n");
        }
        Files.writeString(rules, text);
        String byteman = System.getProperty("byteman");
        WildFly server = new WildFly(
                ConfiguredHome.POSTGRESQL.copyTo(DIRECTORY),
                Servers.options()
                        .javaOption("-javaagent:" + byteman + "=script:" + rules + ",boot:" + byteman)
                        .javaOption("-Djboss.modules.system.pkgs=org.jboss.byteman")
                        .javaOption("-DRecoveryEnvironmentBean.periodicRecoveryPeriod=2")
                        .javaOption("-DRecoveryEnvironmentBean.recoveryBackoffPeriod=1")
                        .javaOption("-DJTAEnvironmentBean.orphanSafetyInterval=2000"));
        List<String> commands = new ArrayList<>();
        commands.add("/subsystem=datasources/data-source=ExampleDS:remove");
        commands.addAll(Servers.xaDatasource("ExampleDS", TASKS));
        commands.addAll(Servers.xaDatasource("OrdersDS", ORDERS));
        server.cli(commands.toArray(String[]::new));
        return server;
    }

    private static Set<String> prepared() {
        Set<String> all = new TreeSet<>(rows(TASKS, "SELECT gid FROM pg_prepared_xacts"));
        all.addAll(rows(ORDERS, "SELECT gid FROM pg_prepared_xacts"));
        return all;
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(ORDERS.url(), Postgres.USER, "");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<String> rows(Postgres postgres, String sql) {
        List<String> rows = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(postgres.url(), Postgres.USER, "");
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                rows.add(row.getString(1));
            }
            return rows;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }
}
