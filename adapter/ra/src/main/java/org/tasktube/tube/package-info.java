/**
 * How does one tube work on this server: its states, waits, counters, and the effects of a commit? The package has no
 * JCA and no I/O. A {@link org.tasktube.store.sql.TaskStore} changes tasks, and {@link org.tasktube.store.Transactions}
 * shows the caller's transaction.
 *
 * <p>A {@link org.tasktube.tube.TubeHandle} is the application's object. A {@link org.tasktube.tube.TubeEngine} applies
 * transitions, and {@code AfterCommit} their effects after the commit. A {@link org.tasktube.tube.TubeContext} has the
 * parts of the server that a tube uses. {@link org.tasktube.tube.Deadlines} arms the timer for the next ttl, ttr or
 * delay.
 *
 * <p>Easy to get wrong here:
 *
 * <ul>
 *   <li>Count, wake and arm in {@code transactions.afterCommit}, never beside the statement: nothing is true
 *       before the commit.
 *   <li>Call {@code transactions.check()} before a store is reached. After a timeout another thread rolls back,
 *       while the transaction's own thread continues in it.
 *   <li>A waiter enters the queue before it looks for a task. In the other order, a task that is put between the
 *       two steps wakes no waiter.
 *   <li>Never arm a timer in a transaction: an EJB timer takes part in it. {@code Deadlines} arms on the
 *       background thread.
 * </ul>
 */
package org.tasktube.tube;
