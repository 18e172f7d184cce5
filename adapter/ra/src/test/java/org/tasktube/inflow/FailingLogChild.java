package org.tasktube.inflow;

import java.time.Duration;
import org.tasktube.AdapterState;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.spi.DeadlineTimer;
import org.tasktube.testing.FailingLog;
import org.tasktube.testing.TestDatabase;

/** A server in a process of its own, whose log fails while the database refuses, and while it is away. */
final class FailingLogChild {

    static final String SURVIVED = "all threads have survived";

    private FailingLogChild() {}

    /**
     * Says whether all threads have survived.
     *
     * @param arguments the URL and the user of the database
     */
    public static void main(String[] arguments) {
        try {
            RunningAdapter adapter = new RunningAdapter(TestDatabase.connect(arguments[0], arguments[1]));
            adapter.activate(new Bean(task -> {}), spec -> spec.setHandOver("false"));
            adapter.awaitRemoved(adapter.tube().put("at first"));
            refuseClaims(adapter);
            failTimer(adapter);
            goAway(adapter, "Heartbeat");
            goAway(adapter, "Maintenance");
            System.out.println(SURVIVED);
        } catch (InterruptedException | RuntimeException | Error e) {
            e.printStackTrace(System.out);
        }
        // Without a close: a failed server would not end
        Runtime.getRuntime().halt(0);
    }

    private static void refuseClaims(RunningAdapter adapter) throws InterruptedException {
        adapter.execute("ALTER TABLE tasktube_task ADD CONSTRAINT no_room CHECK (state <> 't')");
        Task task = adapter.tube().put("refused");
        FailingLog.failTwice("work-", () -> {});
        adapter.execute("ALTER TABLE tasktube_task DROP CONSTRAINT no_room");
        adapter.awaitRemoved(task);
    }

    /** The background thread arms the timer. */
    private static void failTimer(RunningAdapter adapter) throws InterruptedException {
        DeadlineTimer failing = (delay, sweep) -> {
            throw new OutOfMemoryError("no memory for a timer");
        };
        PutOptions later = PutOptions.defaults().delay(Duration.ofSeconds(1));
        FailingLog.failTwice("BackgroundThread", () -> {
            adapter.node().use(failing);
            adapter.tube().put("later", later);
        });
        adapter.node().use(null);
        adapter.awaitRemoved(adapter.tube().put("at its time", later));
        isAlive("BackgroundThread");
    }

    private static void goAway(RunningAdapter adapter, String thread) throws InterruptedException {
        FailingLog.failTwice(thread, () -> adapter.away(true));
        adapter.away(false);
        adapter.awaitState(AdapterState.RUNNING);
        adapter.awaitRemoved(adapter.tube().put("again"));
        isAlive(thread);
    }

    private static void isAlive(String name) {
        if (Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith(name))) {
            throw new AssertionError("the thread " + name + " has ended");
        }
    }
}
