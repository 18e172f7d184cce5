/**
 * How does one tube work on this server: its states, waits, counters, and the effects of a commit? The package has no
 * JCA and no I/O. A {@link org.tasktube.store.TaskStore} changes tasks, and {@link org.tasktube.store.Transactions}
 * shows the caller's transaction.
 *
 * <p>A {@link org.tasktube.tube.TubeHandle} is the application's object. A {@link org.tasktube.tube.TubeEngine} applies
 * transitions, and {@code AfterCommit} their effects after the commit. A {@link org.tasktube.tube.TubeContext} has the
 * parts of the server that a tube uses. {@link org.tasktube.tube.Deadlines} arms the timer for the next ttl, ttr or
 * delay.
 */
package org.tasktube.tube;
