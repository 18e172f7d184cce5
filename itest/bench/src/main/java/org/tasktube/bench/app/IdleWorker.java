package org.tasktube.bench.app;

import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean that waits and never gets a task; ejb-jar.xml makes ten of it, each at a tube of its own. */
public class IdleWorker implements TaskListener {

    public static final int COUNT = 10;

    @Override
    public void onTask(Task task) {
        throw new IllegalStateException("no producer puts tasks into " + task.tube());
    }
}
