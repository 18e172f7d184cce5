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
 *
 * <p>On the thread of {@link #onTask} the bean is the holder of the task that it was handed, whatever connection it uses: it
 * may {@linkplain Tube#ack(Task, TaskResult) ack it with a result}, release, bury or touch it. What it let go itself is not
 * acked after its return; what it did so is undone with its transaction, and then the task comes again.
 */
public interface TaskListener {

    /** Works on a task that this bean's activation has taken. */
    void onTask(Task task) throws Exception;
}
