package org.tasktube.itest.callback;

import org.tasktube.TaskChange;

/** A class that is not needed while its application is deployed. */
final class LateClass {

    private LateClass() {}

    static void hear(TaskChange change) {
        System.out.println("heard " + change.event());
    }
}
