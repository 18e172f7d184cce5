package org.tasktube.inflow;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.tasktube.StoreException;
import org.tasktube.TubeNotFoundException;
import org.tasktube.testing.SteppedClock;

import static org.assertj.core.api.Assertions.assertThat;

class DeferredWritesTest {

    private final SteppedClock clock = new SteppedClock();
    private final DeferredWrites deferred = new DeferredWrites(clock);
    private final AtomicBoolean away = new AtomicBoolean(true);
    private final List<String> done = new ArrayList<>();

    private void write(String name) {
        deferred.add(() -> {
            if (away.get()) {
                throw new StoreException("the database is away", null);
            }
            done.add(name);
        });
    }

    @Test
    void a_write_is_tried_at_once_and_then_once_a_second_until_the_database_accepts_it() {
        assertThat(deferred.untilDue()).isEqualTo(Long.MAX_VALUE);
        write("a");
        assertThat(deferred.isDue()).isTrue();
        deferred.retry();
        assertThat(deferred.untilDue()).isEqualTo(DeferredWrites.RETRY.toNanos());
        assertThat(deferred.isDue()).isFalse();

        clock.pass(DeferredWrites.RETRY);
        away.set(false);
        assertThat(deferred.isDue()).isTrue();
        deferred.retry();
        assertThat(done).containsExactly("a");
        assertThat(deferred.untilDue()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void a_write_that_fails_by_an_error_keeps_no_other_one_from_its_turn() {
        away.set(false);
        deferred.add(() -> {
            throw new AssertionError("a broken driver");
        });
        write("b");
        deferred.retry();
        assertThat(done).containsExactly("b");
        assertThat(deferred.untilDue()).isEqualTo(DeferredWrites.RETRY.toNanos());
    }

    @Test
    void writes_that_wait_for_locks_take_a_second_of_ten_and_each_has_its_turn() {
        AtomicBoolean locked = new AtomicBoolean(true);
        for (int i = 0; i < 6; i++) {
            int number = i;
            deferred.add(() -> {
                clock.pass(Duration.ofMillis(250));
                done.add("" + number);
                if (locked.get()) {
                    throw new StoreException("locked", null);
                }
            });
        }
        deferred.retry();
        assertThat(done).containsExactly("0", "1", "2", "3");
        assertThat(deferred.untilDue()).isEqualTo(DeferredWrites.MOST.toNanos());

        clock.pass(DeferredWrites.MOST);
        deferred.retry();
        assertThat(done).containsExactly("0", "1", "2", "3", "4", "5", "0", "1");

        locked.set(false);
        clock.pass(DeferredWrites.MOST);
        deferred.retry();
        assertThat(done.subList(8, done.size())).containsExactly("2", "3", "4", "5", "0", "1");
        assertThat(deferred.areDone()).isTrue();
    }

    @Test
    void a_write_to_a_tube_that_was_dropped_is_done() {
        deferred.add(() -> {
            throw new TubeNotFoundException("gone");
        });
        deferred.retry();
        assertThat(deferred.untilDue()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void memory_for_writes_is_bounded() {
        for (int i = 0; i < DeferredWrites.LIMIT; i++) {
            assertThat(deferred.isFull()).isFalse();
            write("x");
        }
        assertThat(deferred.isFull()).isTrue();
    }
}
