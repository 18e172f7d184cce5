package org.tasktube.itest.callback;

import org.tasktube.TaskChange;

/** A class that nobody needs while its application is deployed. */
final class LateClass {

    private LateClass() {}

    static void hear(TaskChange change) {
        System.out.println("heard " + change.event());
    }
}
