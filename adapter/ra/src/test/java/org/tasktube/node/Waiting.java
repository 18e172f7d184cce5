package org.tasktube.node;

import java.util.Set;
import org.tasktube.testing.Eventually;
import org.tasktube.tube.TubeEngine;

/** Shows tests from outside which calls wait. */
public final class Waiting {

    private Waiting() {}

    /** Returns when so many wait for a task of a tube. */
    public static void forTasks(Node node, String tube, int waiters) {
        Eventually.holds(() -> at(node, tube).takers().asleep() == waiters, waiters + " wait for a task");
    }

    /** Returns when so many wait for a slot of a tube. */
    public static void forSlots(Node node, String tube, int waiters) {
        Eventually.holds(() -> at(node, tube).runtime().putters().asleep() == waiters, waiters + " wait for a slot");
    }

    /** The tasks of a tube that are watched. */
    public static Set<Long> watched(Node node, String tube) {
        return Set.copyOf(at(node, tube).runtime().watches().tasks());
    }

    /** Returns what gives the store to the parts of a server. */
    public static StoreAccess access(Node node) {
        return node.parts().access();
    }

    /** Counts all tasks of a server anew, as it does now and then. */
    public static void recount(Node node) {
        node.recount().now();
    }

    private static TubeEngine at(Node node, String tube) {
        return node.find(tube).orElseThrow();
    }

    /** Does what the maintenance does now and then. */
    public static int removeOldKeys(Node node) {
        return node.parts().access().tasks(false).removeOldKeys(Retention.BATCH);
    }
}
