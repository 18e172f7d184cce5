package org.tasktube.console.rest;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.tasktube.console.problem.ProblemException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TakeWaitsTest {

    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final long SMALL_HEAP = 2 * TakeWaits.HEAP_OF_TAKE;

    private static int nested(TakeWaits waits, Duration timeout) {
        try {
            return 1 + waits.during(timeout, () -> nested(waits, timeout));
        } catch (ProblemException e) {
            return 0;
        }
    }

    @Test
    void at_most_8_takes_wait_at_once() {
        TakeWaits waits = new TakeWaits();
        assertThat(nested(waits, WAIT)).isEqualTo(8);
        assertThat(nested(waits, WAIT)).as("after their end").isEqualTo(8);
    }

    @Test
    void half_of_the_heap_bounds_the_takes_that_do_not_wait() {
        assertThat(nested(new TakeWaits(512L << 20, Duration.ZERO), Duration.ZERO))
                .isEqualTo(8);
        assertThat(nested(new TakeWaits(1, Duration.ZERO), Duration.ZERO))
                .as("one at least")
                .isEqualTo(1);
    }

    @Test
    void takes_that_wait_for_tasks_keep_no_other_from_its_turn() {
        TakeWaits waits = new TakeWaits(SMALL_HEAP, Duration.ZERO);
        assertThat(waits.<Integer>during(WAIT, () -> nested(waits, Duration.ZERO)))
                .isEqualTo(1);
    }

    @Test
    void a_take_without_a_turn_is_refused_with_the_next_step() {
        TakeWaits waits = new TakeWaits(SMALL_HEAP, Duration.ZERO);
        assertThatThrownBy(() -> waits.during(Duration.ZERO, () -> waits.during(Duration.ZERO, () -> 1)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("repeat the take later");
    }
}
