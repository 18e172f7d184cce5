package org.tasktube.node;

import org.tasktube.admin.BeanStatus;

/** A bean that gets tasks, or would if its activation had not been refused, for the administration. */
public interface ActiveBean {

    /** Returns the name of the bean's tube; empty for a bean that was refused. */
    String tube();

    BeanStatus status();

    /** Returns whether a task of the tube is claimed ahead for the bean, which has not begun it. */
    boolean hasClaimed(long task);
}
