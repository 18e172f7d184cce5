package org.tasktube.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * All interleavings of the ends of some parents, each with the step that lets their child follow: the child becomes
 * READY once, after the last commit. The forms that others have are found to be wrong.
 */
class AfterModelTest {

    private enum Form {
        /** The step after the commit passes over a child whose row is locked, and comes again when it is not. */
        OURS,
        /** A parent looks for the others in its own transaction, before its commit. */
        BEFORE_THE_COMMIT,
        /** The step passes over a child whose row is locked, and does not come again. */
        SKIPS_A_LOCKED_CHILD,
        /** The step does not look again whether the child still waits. */
        WITHOUT_A_GUARD
    }

    /** What one parent does next. */
    private enum Step {
        END,
        COMMIT,
        READ,
        LOCK,
        CHANGE,
        GONE
    }

    /** The state of all. A parent's row that has ended is seen by itself at once, and by others after the commit. */
    private static final class World {

        private final Form form;
        private final Step[] next;
        private final boolean[] ended;
        private final boolean[] committed;
        private final boolean[] sawAllEnded;
        private int locker = -1;
        private final boolean[] mustWait;
        private boolean isReady;
        private int becameReady;

        World(Form form, int parents) {
            this.form = form;
            next = new Step[parents];
            Arrays.fill(next, Step.END);
            ended = new boolean[parents];
            committed = new boolean[parents];
            sawAllEnded = new boolean[parents];
            mustWait = new boolean[parents];
        }

        World(World other) {
            form = other.form;
            next = other.next.clone();
            ended = other.ended.clone();
            committed = other.committed.clone();
            sawAllEnded = other.sawAllEnded.clone();
            mustWait = other.mustWait.clone();
            locker = other.locker;
            isReady = other.isReady;
            becameReady = other.becameReady;
        }

        boolean canGo(int parent) {
            return next[parent] != Step.GONE
                    && (!mustWait[parent] || locker < 0)
                    && (next[parent] != Step.LOCK || locker < 0 || skips());
        }

        void go(int parent) {
            switch (next[parent]) {
                case END -> {
                    ended[parent] = true;
                    next[parent] = form == Form.BEFORE_THE_COMMIT ? Step.READ : Step.COMMIT;
                }
                case COMMIT -> {
                    committed[parent] = true;
                    if (form == Form.BEFORE_THE_COMMIT) {
                        free(parent);
                    } else {
                        next[parent] = Step.READ;
                    }
                }
                case READ -> {
                    sawAllEnded[parent] = allEnded(parent);
                    next[parent] = Step.LOCK;
                }
                case LOCK -> {
                    boolean isFree = locker < 0;
                    locker = isFree ? parent : locker;
                    mustWait[parent] = !isFree;
                    next[parent] = isFree ? Step.CHANGE : form == Form.OURS ? Step.READ : Step.GONE;
                }
                case CHANGE -> {
                    if (sawAllEnded[parent] && (form == Form.WITHOUT_A_GUARD || !isReady)) {
                        isReady = true;
                        becameReady++;
                    }
                    if (form == Form.BEFORE_THE_COMMIT) {
                        next[parent] = Step.COMMIT;
                    } else {
                        free(parent);
                    }
                }
                case GONE -> throw new IllegalStateException();
            }
        }

        private boolean skips() {
            return form == Form.OURS || form == Form.SKIPS_A_LOCKED_CHILD;
        }

        private void free(int parent) {
            locker = locker == parent ? -1 : locker;
            next[parent] = Step.GONE;
        }

        private boolean allEnded(int reader) {
            for (int i = 0; i < ended.length; i++) {
                if (!committed[i] && !(i == reader && ended[i])) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Returns how often the child becomes READY, for each interleaving. */
    private static List<Integer> all(World world) {
        List<Integer> results = new ArrayList<>();
        for (int parent = 0; parent < world.next.length; parent++) {
            if (world.canGo(parent)) {
                World after = new World(world);
                after.go(parent);
                results.addAll(all(after));
            }
        }
        if (results.isEmpty()) {
            results.add(world.becameReady);
        }
        return results;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void the_child_is_ready_once_in_each_interleaving(int parents) {
        assertThat(all(new World(Form.OURS, parents))).isNotEmpty().containsOnly(1);
    }

    @Test
    void a_look_before_the_commit_strands_a_child() {
        assertThat(all(new World(Form.BEFORE_THE_COMMIT, 2))).contains(0);
    }

    @Test
    void a_look_that_skips_a_locked_child_strands_it() {
        assertThat(all(new World(Form.SKIPS_A_LOCKED_CHILD, 2))).contains(0);
    }

    @Test
    void a_look_without_a_guard_makes_a_child_ready_twice() {
        assertThat(all(new World(Form.WITHOUT_A_GUARD, 2))).contains(2);
    }
}
