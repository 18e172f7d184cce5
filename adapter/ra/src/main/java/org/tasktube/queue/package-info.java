/**
 * What a tube does: states, deadlines, waiting, counting. No JCA and no I/O here; tasks are moved by
 * {@link org.tasktube.store.TaskStore}, transactions are seen through {@link org.tasktube.queue.Transactions}.
 *
 * <p>{@link org.tasktube.queue.Queue} is the whole; {@link org.tasktube.queue.TubeQueue} one tube on this server;
 * {@link org.tasktube.queue.SessionTube} what an application sees of it; {@link org.tasktube.queue.Upkeep} the one
 * thread that keeps things going; {@link org.tasktube.queue.Deadlines} where ttl, ttr and delay are enforced.
 */
package org.tasktube.queue;
