package org.tasktube.inflow;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** When an ack waits for others. */
class AckRhythmTest {

    private static final int ACKS = 10_000;

    private long now;
    private final AckRhythm rhythm = new AckRhythm(now);

    /** Lets so many acks come, one after the other, with a number of microseconds between two. */
    private int waits(int acks, long micros, boolean othersRun, boolean othersCome) {
        int waits = 0;
        for (int i = 0; i < acks; i++) {
            now += micros * 1_000;
            rhythm.came(now);
            if (rhythm.pays(othersRun)) {
                waits++;
                rhythm.waited(!othersCome);
            }
        }
        return waits;
    }

    @Test
    void a_first_ack_does_not_wait() {
        assertThat(waits(1, 100, true, true)).isZero();
    }

    @Test
    void acks_that_come_slowly_do_not_wait() {
        assertThat(waits(ACKS, 1_100, true, true)).isZero();
    }

    @Test
    void acks_that_come_quickly_wait_while_others_come() {
        assertThat(waits(ACKS, 400, false, true)).isGreaterThan(ACKS - 50);
    }

    @Test
    void acks_that_no_other_follows_go_without_a_wait_nearly_always() {
        assertThat(waits(ACKS, 400, false, false)).isBetween(1, ACKS / AckRhythm.MOST_WITHOUT + 10);
    }

    @Test
    void an_ack_waits_for_another_delivery_that_runs_also_after_vain_waits() {
        waits(ACKS, 400, false, false);
        assertThat(waits(100, 400, true, false)).isEqualTo(100);
    }

    @Test
    void after_vain_waits_one_that_was_not_makes_the_next_acks_wait_again() {
        waits(ACKS, 400, false, false);
        waits(AckRhythm.MOST_WITHOUT + 1, 400, false, true);
        assertThat(waits(100, 400, false, true)).isEqualTo(100);
    }
}
