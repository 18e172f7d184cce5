package org.tasktube.itest.probe;

import org.tasktube.Task;
import org.tasktube.TaskListener;

/** A bean that descriptors of tests make message-driven. */
public class IdleBean implements TaskListener {

    @Override
    public void onTask(Task task) {
        throw new UnsupportedOperationException("there is no task for this bean");
    }
}
