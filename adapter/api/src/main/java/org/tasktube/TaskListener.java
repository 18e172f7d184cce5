package org.tasktube;

/**
 * A message-driven bean that gets the tasks of a tube.
 *
 * <p>By default a bean has a required transaction, and the task's ack is part of it. The commit removes the task
 * together with everything that the bean wrote. If the bean throws any exception, or calls {@code setRollbackOnly}, the
 * transaction rolls back. The task is then retried after the activation's back-off, or buried after its last attempt.
 * Without a transaction, the task is acked when the bean returns.
 *
 * <p>The ack comes after the bean's work. If the task's ttr has expired by then and another consumer has taken it, the
 * ack fails and the transaction rolls back. Two consumers may then work on one task, but only one commits.
 *
 * <p>On the thread of {@link #onTask} the bean is the holder of its task, with any connection. It may
 * {@linkplain Tube#ack(Task, TaskResult) ack the task with a result}, release, bury or touch it. If the bean has ended
 * its task itself, the adapter does not ack it. If the transaction rolls back, the task is retried.
 */
public interface TaskListener {

    /**
     * Works on a task that this bean's activation has taken.
     *
     * @param task the task, in state TAKEN
     * @throws Exception if the work failed: the task is released with a back-off, or buried after its last attempt
     */
    void onTask(Task task) throws Exception;
}
