package org.tasktube;

/**
 * Is told of what happens in a tube on this server, after the commit, once for each operation and task, and before any
 * waiter is woken by that operation. What it throws is logged and changes nothing; see {@link Tube#onTaskChange}. Of two
 * operations that two threads commit at the same moment, either may be told first.
 *
 * <p>A message-driven bean can be one, too, with the activation property {@code tube}. It is told on a thread of its own, so
 * that it may use transactions; if it is more than 10,000 changes behind, further ones are not told, and the log says how
 * many.
 */
@FunctionalInterface
public interface TaskChangeListener {

    /** Something happened, and was committed. */
    void onTaskChange(TaskChange change);
}
