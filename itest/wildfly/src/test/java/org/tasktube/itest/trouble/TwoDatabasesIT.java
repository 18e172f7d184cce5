package org.tasktube.itest.trouble;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    private static final CommitCrash CRASH = new CommitCrash(DIRECTORY);

    private final BitSet answered = new BitSet();
    private int next;

    @BeforeAll
    static void startDatabases() {
        TASKS.start();
        ORDERS.start();
        ORDERS.execute("CREATE TABLE ordered (number bigint); CREATE TABLE shipped (number bigint)");
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
            assertThat(ORDERS.rows("SELECT number FROM ordered WHERE number = -1"))
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
                Path armed = CRASH.armed(crash % CommitCrash.PLACES.size());
                Files.createFile(armed);
                Eventually.holds(() -> !order(orders) && !server.isRunning(), "the server has died");
                Files.delete(armed);
                // None, if it was the last branch of a transaction that committed just then
                Set<String> prepared = prepared();
                inDoubt += prepared.size();
                server.start();
                Eventually.holds(
                        Duration.ofSeconds(60),
                        () -> prepared().stream().noneMatch(prepared::contains),
                        () -> "all is recovered of " + prepared);
                Eventually.holds(() -> order(orders), "orders are taken again");
            }
            Eventually.holds(() -> TASKS.rows("SELECT id FROM tasktube_task").isEmpty(), "all is shipped");
            assertThat(inDoubt).isGreaterThanOrEqualTo(CRASHES / 2);
            System.out.println(CRASHES + " crashes left " + inDoubt + " prepared transactions");
        }
        List<String> ordered = ORDERS.rows("SELECT number FROM ordered ORDER BY number");
        List<String> shipped = ORDERS.rows("SELECT number FROM shipped ORDER BY number");
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

    /** With an xa-data-source for the tasks, and another one for the orders. */
    private static WildFly configured() throws IOException {
        WildFly server = new WildFly(ConfiguredHome.POSTGRESQL.copyTo(DIRECTORY), CRASH.options());
        List<String> commands = new ArrayList<>();
        commands.add("/subsystem=datasources/data-source=ExampleDS:remove");
        commands.addAll(Servers.xaDatasource("ExampleDS", TASKS));
        commands.addAll(Servers.xaDatasource("OrdersDS", ORDERS));
        server.cli(commands.toArray(String[]::new));
        return server;
    }

    private static Set<String> prepared() {
        Set<String> all = new TreeSet<>(TASKS.rows("SELECT gid FROM pg_prepared_xacts"));
        all.addAll(ORDERS.rows("SELECT gid FROM pg_prepared_xacts"));
        return all;
    }
}
