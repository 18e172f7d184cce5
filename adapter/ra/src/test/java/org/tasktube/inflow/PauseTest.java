package org.tasktube.inflow;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.tasktube.testing.SteppedClock;

import static org.assertj.core.api.Assertions.assertThat;

class PauseTest {

    private final SteppedClock clock = new SteppedClock();
    private final Pause pause = new Pause(clock);

    @Test
    void a_pause_doubles_up_to_its_bound_and_is_short_again_after_a_reset() {
        assertThat(pause.isOver()).isTrue();
        assertThat(pause.begin()).isEqualTo(Pause.FIRST);
        assertThat(pause.begin()).isEqualTo(Pause.FIRST.multipliedBy(2));
        for (int i = 0; i < 100; i++) {
            pause.begin();
        }
        assertThat(pause.begin()).isEqualTo(Pause.LONGEST);
        pause.reset();
        assertThat(pause.isOver()).as("it has begun").isFalse();
        assertThat(pause.begin()).isEqualTo(Pause.FIRST);
    }

    @Test
    void a_pause_is_over_when_its_time_has_passed() {
        pause.begin();
        clock.pass(Pause.FIRST.minusNanos(1));
        assertThat(pause.left()).isEqualTo(1);
        assertThat(pause.isOver()).isFalse();
        clock.pass(Duration.ofNanos(1));
        assertThat(pause.isOver()).isTrue();
        clock.pass(Duration.ofDays(1));
        assertThat(pause.left()).isZero();
    }
}
