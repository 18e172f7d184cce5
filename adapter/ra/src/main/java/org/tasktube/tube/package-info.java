/**
 * One tube on this server: states, waiting, counting, and the effects of a commit. No JCA and no I/O here;
 * {@link org.tasktube.store.TaskStore} moves tasks, and transactions are seen through
 * {@link org.tasktube.store.Transactions}.
 *
 * <p>{@link org.tasktube.tube.TubeHandle} is what an application holds, {@link org.tasktube.tube.TubeEngine} applies
 * transitions, {@code AfterCommit} what follows their commit, and {@link org.tasktube.tube.TubeContext} is what a tube needs
 * of its server. {@link org.tasktube.tube.Deadlines} has the timer armed for the next ttl, ttr or delay.
 */
package org.tasktube.tube;
