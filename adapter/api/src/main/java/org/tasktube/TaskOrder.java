package org.tasktube;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Which tasks come before a task that is put, and which after it. {@link PutOptions#after} and
 * {@link PutOptions#before} set it.
 *
 * @param after the tasks that come before it, its parents; empty for none
 * @param anyEnd true if each end of a parent counts, and not only an ack
 * @param before the tasks that come after it, its children; empty for none
 */
public record TaskOrder(Set<Ref> after, boolean anyEnd, Set<Ref> before) {

    /** No other task comes before it or after it. */
    public static final TaskOrder NONE = new TaskOrder(Set.of(), false, Set.of());

    /** The most parents of a put, and the most children. A task can get more parents by {@link PutOptions#before}. */
    public static final int MOST = 10_000;

    /** A task of a tube. */
    public record Ref(String tube, long id) {

        public Ref {
            Objects.requireNonNull(tube, "tube");
        }

        @Override
        public String toString() {
            return id + " of tube '" + tube + "'";
        }
    }

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if there are parents and children, or too many of them
     */
    public TaskOrder {
        after = copy("after", after);
        before = copy("before", before);
        if (!after.isEmpty() && !before.isEmpty()) {
            throw new IllegalArgumentException("a put has " + after.size() + " tasks to come after and " + before.size()
                    + " to come before, by which tasks could wait for each other in a circle; leave one of them out,"
                    + " and put the task between in the delivery of the first");
        }
    }

    private static Set<Ref> copy(String name, Set<Ref> tasks) {
        if (tasks.size() > MOST) {
            throw new IllegalArgumentException(
                    name + " has " + tasks.size() + " tasks; set at most " + MOST + ", and add others by before");
        }
        return Set.copyOf(tasks);
    }

    /** Returns whether no other task comes before it or after it. */
    public boolean isNone() {
        return after.isEmpty() && before.isEmpty();
    }

    static Set<Ref> with(Set<Ref> refs, List<Task> tasks) {
        Set<Ref> all = new LinkedHashSet<>(refs);
        Stream<Ref> more = tasks.stream().map(task -> new Ref(task.tube(), task.id()));
        more.forEach(all::add);
        return all;
    }
}
