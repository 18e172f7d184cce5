package org.tasktube.node.admin;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.tasktube.Tube;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.TaskFilter;
import org.tasktube.node.OperationStart;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

/** A server in a process of its own, which starts an operation, and is killed by the test. */
final class OperationChild {

    private OperationChild() {}

    /**
     * Starts to bury all tasks of a tube.
     *
     * @param arguments the URL and the user of the database, the name of the tube, and the number of changes after
     *     which the operation waits for a sign on the standard input
     */
    public static void main(String[] arguments) {
        try {
            run(arguments);
            new CountDownLatch(1).await();
        } catch (InterruptedException | RuntimeException | Error e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    private static void run(String... arguments) {
        RunningNode child = new RunningNode(TestDatabase.connect(arguments[0], arguments[1]), "child");
        Tube tube = child.node().tube(new ClientConnection(), arguments[2]);
        int most = Integer.parseInt(arguments[3]);
        AtomicInteger changes = new AtomicInteger();
        tube.onTaskChange(change -> {
            if (changes.incrementAndGet() == most) {
                awaitSignal();
            }
        });
        long id = OperationStart.of(
                        child.node().admin(new ClientConnection()),
                        OperationAct.BURY,
                        TaskFilter.parse("tube:" + tube.name()),
                        "child",
                        "kill")
                .id();
        System.out.println("operation " + id);
    }

    private static void awaitSignal() {
        try {
            System.in.read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
