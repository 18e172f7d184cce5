package org.tasktube.node;

import org.tasktube.admin.BeanStatus;

/** An active bean that gets tasks, for the administration. */
public interface ActiveBean {

    /** Returns the name of the bean's tube. */
    String tube();

    BeanStatus status();

    /** Returns whether a task of the tube is claimed ahead for the bean, which has not begun it. */
    boolean hasClaimed(long task);
}
