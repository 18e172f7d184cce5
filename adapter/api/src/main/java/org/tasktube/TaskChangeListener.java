package org.tasktube;

/**
 * Receives the changes of a tube that this server commits. Each call comes after the commit, once per operation and
 * task, and before that operation wakes any waiter. If two threads commit at the same moment, either change may come
 * first. An exception of the listener is logged and changes nothing, and an interrupt that it leaves behind is cleared;
 * see {@link Tube#onTaskChange}.
 *
 * <p>A message-driven bean can be a listener, too, with the activation property {@code tube}. It runs on a thread of
 * its own, so that it may use transactions. If the bean is more than 10,000 changes behind, further changes are
 * dropped, and the log gives their number.
 */
@FunctionalInterface
public interface TaskChangeListener {

    /** Handles a committed change. */
    void onTaskChange(TaskChange change);
}
