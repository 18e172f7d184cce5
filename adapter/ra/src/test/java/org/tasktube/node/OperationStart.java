package org.tasktube.node;

import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;

/** Starts an operation as a user does who confirms what the preview says. */
public final class OperationStart {

    private OperationStart() {}

    public static Operation of(TaskAdmin admin, OperationAct act, TaskFilter filter, String by, String reason) {
        return admin.startOperation(
                act, filter, by, reason, admin.previewOperation(act, filter).size());
    }
}
