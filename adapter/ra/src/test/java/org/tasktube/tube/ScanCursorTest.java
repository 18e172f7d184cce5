package org.tasktube.tube;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.tasktube.store.OrderKey;

import static org.assertj.core.api.Assertions.assertThat;

class ScanCursorTest {

    private long now;
    private final ScanCursor cursor = new ScanCursor(() -> now);

    /** A claim from the start that found as many as it had room for, beside one that had begun where others had ended. */
    @Test
    void the_position_moves_over_nothing_that_no_claim_has_read() {
        try (ScanCursor.Reading first = cursor.begin()) {
            first.reached(key(100));
        }
        try (ScanCursor.Reading later = cursor.begin()) {
            now += Duration.ofSeconds(1).toNanos();
            assertThat(reach(10)).as("a claim reads from the start again").isEqualTo(OrderKey.START);
            later.reached(key(200));
        }
        assertThat(cursor.position()).isLessThanOrEqualTo(key(10));
        assertThat(cursor.position()).isLessThanOrEqualTo(key(10));
    }

    @Test
    void a_claim_that_is_under_way_when_a_commit_begins_has_missed_its_first_task() {
        reach(10);
        cursor.comes("transaction", key(5));
        cursor.comes("transaction", key(12));
        try (ScanCursor.Reading claim = cursor.begin()) {
            assertThat(claim.after()).isEqualTo(key(10));
            cursor.commits("transaction");
            claim.reached(key(12));
            assertThat(claim.hasMissed()).isTrue();
        }
        assertThat(reads()).isEqualTo(key(5).before());
    }

    @Test
    void claims_begin_at_its_first_task_until_its_end_and_whatever_it_was_not_after_that() {
        reach(10);
        cursor.comes("transaction", key(5));
        cursor.commits("transaction");
        assertThat(reads()).isEqualTo(key(5).before());
        cursor.ended("transaction");
        assertThat(reads()).isEqualTo(key(5).before());
        reach(20);
        cursor.commits("transaction");
        assertThat(reads()).isEqualTo(key(20));
    }

    @Test
    void a_task_of_a_commit_that_has_begun_moves_claims_back_at_once() {
        reach(10);
        cursor.comes("transaction", key(12));
        cursor.commits("transaction");
        cursor.comes("transaction", key(5));
        assertThat(reads()).isEqualTo(key(5).before());
    }

    private OrderKey reach(long id) {
        try (ScanCursor.Reading reading = cursor.begin()) {
            reading.reached(key(id));
            return reading.after();
        }
    }

    private OrderKey reads() {
        try (ScanCursor.Reading reading = cursor.begin()) {
            return reading.after();
        }
    }

    private static OrderKey key(long id) {
        return new OrderKey(0, id, id);
    }
}
