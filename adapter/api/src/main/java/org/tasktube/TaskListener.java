package org.tasktube;

/**
 * What a message-driven bean implements to be handed the tasks of a tube.
 *
 * <p>In a bean with a required transaction, which is the default, the task's ack is part of that transaction: with the
 * commit the task is gone, together with all that the bean wrote. If the bean throws, checked or unchecked, or calls
 * {@code setRollbackOnly}, all of it is undone, and the task comes again after the activation's back-off, or is buried
 * after its last attempt. Without a transaction the task is acked when the bean returns.
 *
 * <p>The ack comes after the bean's work. If the task's ttr is over by then, and somebody else got it, the ack fails and
 * the transaction is rolled back: two may work on a task then, but only one commits.
 */
public interface TaskListener {

    /** Works on a task that this bean's activation has taken. */
    void onTask(Task task) throws Exception;
}
