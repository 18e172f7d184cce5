package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.tasktube.Tube;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.Transactions;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

/** A server in a process of its own, which takes tasks and never ends by itself. */
final class HolderChild {

    static final int TASKS = 10;

    private HolderChild() {}

    /**
     * Takes, and says so by a line.
     *
     * @param arguments the URL and the user of the database, the name of the tube, that of the server, the timeout of
     *     silent servers in milliseconds, and what the process leaves open: "transaction" or "nothing"
     */
    @SuppressWarnings("CatchAndPrintStackTrace")
    public static void main(String[] arguments) throws Exception {
        try {
            hold(arguments);
        } catch (Throwable e) {
            // Its other threads would keep the process, for which the test waits
            e.printStackTrace(System.out);
            System.out.flush();
            Runtime.getRuntime().halt(1);
        }
    }

    @SuppressWarnings("resource")
    private static void hold(String[] arguments) throws Exception {
        HikariDataSource database = TestDatabase.connect(arguments[0], arguments[1]);
        Duration timeout = Duration.ofMillis(Long.parseLong(arguments[4]));
        RunningNode running = new RunningNode(
                database,
                Transactions.NONE,
                new Settings(arguments[3], 1 << 20, Duration.ofMillis(100), timeout, Duration.ZERO));
        Tube tube = running.node().tube(new ClientConnection(), arguments[2]);
        if (tube.take(TASKS, Duration.ZERO).size() != TASKS) {
            throw new IllegalStateException("the tube has fewer than " + TASKS + " tasks");
        }
        if (arguments[5].equals("transaction")) {
            Connection open = database.getConnection();
            open.setAutoCommit(false);
            open.createStatement()
                    .execute("UPDATE tasktube_task SET attempts = attempts WHERE node = "
                            + "(SELECT id FROM tasktube_node WHERE name = '" + arguments[3] + "')");
        }
        // One write, which no line of the log can come into the middle of
        System.out.print("\nholds\n");
        System.out.flush();
        new CountDownLatch(1).await(1, TimeUnit.HOURS);
    }
}
