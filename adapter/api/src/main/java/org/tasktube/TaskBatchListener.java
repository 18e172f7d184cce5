package org.tasktube;

import java.util.List;

/**
 * A message-driven bean that gets the tasks of a tube in batches: one call, one transaction and one commit for several
 * tasks. It suits work that is cheaper for many tasks at once, such as an insert of many rows.
 *
 * <p>A batch has the tasks that are there, at most {@code batchSize} of them, in the tube's order. It never waits to
 * become full. A tube with sub-queues gives one task of each. By default the bean has a required transaction, and the
 * acks of all tasks are part of it.
 *
 * <p>If the bean throws any exception, or calls {@code setRollbackOnly}, the transaction rolls back, and no attempt
 * counts yet. Each task of the batch is then delivered again at once, by itself, in a list of one. A task that fails
 * there is retried after the activation's back-off, or buried after its last attempt, as with a {@link TaskListener}.
 * So one bad task costs the others a second delivery, and no attempt. The ttr of each task begins again meanwhile. A
 * task that comes again after a failure, or because its ttr was over, is delivered by itself, too.
 *
 * <p>On the thread of {@link #onTasks} the bean is the holder of all tasks of the batch, with any connection. It may
 * {@linkplain Tube#ack(Task, TaskResult) ack one with a result}, release, bury or touch it. The adapter acks those that
 * the bean has not ended itself.
 *
 * <p>Without a transaction, the tasks are acked when the bean returns. If it throws, those that it has not ended are
 * delivered again, each by itself.
 */
public interface TaskBatchListener {

    /**
     * Works on tasks that this bean's activation has taken.
     *
     * @param tasks the tasks, at least one, in state TAKEN; the list cannot be changed
     * @throws Exception if the work failed: each task is delivered by itself; if it was the only one, it is released
     *     with a back-off, or buried after its last attempt
     */
    void onTasks(List<Task> tasks) throws Exception;
}
