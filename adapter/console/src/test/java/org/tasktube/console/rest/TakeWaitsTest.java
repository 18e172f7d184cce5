package org.tasktube.console.rest;

import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.tasktube.console.problem.ProblemException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TakeWaitsTest {

    private static final long SMALL_HEAP = 2 * TakeWaits.HEAP_OF_TAKE;

    private static int waiting(TakeWaits waits) {
        return counted(() -> waits.waiting(() -> waiting(waits)));
    }

    private static int inTurn(TakeWaits waits) {
        return counted(() -> waits.inTurn(() -> inTurn(waits)));
    }

    private static int counted(Supplier<Integer> further) {
        try {
            return 1 + further.get();
        } catch (ProblemException e) {
            return 0;
        }
    }

    @Test
    void at_most_8_takes_wait_at_once() {
        TakeWaits waits = new TakeWaits();
        assertThat(waiting(waits)).isEqualTo(8);
        assertThat(waiting(waits)).as("after their end").isEqualTo(8);
    }

    @Test
    void half_of_the_heap_bounds_the_takes_that_have_an_answer_in_memory() {
        assertThat(inTurn(new TakeWaits(512L << 20, Duration.ZERO))).isEqualTo(8);
        assertThat(inTurn(new TakeWaits(1, Duration.ZERO))).as("one at least").isEqualTo(1);
    }

    @Test
    void takes_that_wait_for_tasks_keep_no_other_from_its_turn() {
        TakeWaits waits = new TakeWaits(SMALL_HEAP, Duration.ZERO);
        assertThat(waits.<Integer>waiting(() -> inTurn(waits))).isEqualTo(1);
    }

    @Test
    void a_take_without_a_turn_is_refused_with_the_next_step() {
        TakeWaits waits = new TakeWaits(SMALL_HEAP, Duration.ZERO);
        assertThatThrownBy(() -> waits.inTurn(() -> waits.inTurn(() -> 1)))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("repeat the take later");
    }

    @Test
    void a_failure_gives_the_turn_back() {
        TakeWaits waits = new TakeWaits(SMALL_HEAP, Duration.ZERO);
        assertThatThrownBy(() -> waits.inTurn(() -> {
                    throw new OutOfMemoryError("test");
                }))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(waits.<Integer>inTurn(() -> 1)).isEqualTo(1);
    }
}
