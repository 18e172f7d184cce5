package org.tasktube.tube;

import org.junit.jupiter.api.Test;
import org.tasktube.store.OrderKey;
import org.tasktube.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

class ScanCursorTest {

    private final ScanCursor cursor = new ScanCursor();

    /** A claim from the start that found as many as it had room for, beside one that had begun where others had ended. */
    @Test
    void the_position_moves_over_nothing_that_no_claim_has_read() {
        try (ScanCursor.Reading first = cursor.begin()) {
            first.reached(key(100));
        }
        try (ScanCursor.Reading later = cursor.begin()) {
            Eventually.holds(this::readsFromStart, "a claim reads from the start again");
            later.reached(key(200));
        }
        assertThat(cursor.position()).isLessThanOrEqualTo(key(10));
        assertThat(cursor.position()).isLessThanOrEqualTo(key(10));
    }

    private boolean readsFromStart() {
        try (ScanCursor.Reading reading = cursor.begin()) {
            boolean fromStart = reading.after().equals(OrderKey.START);
            if (fromStart) {
                reading.reached(key(10));
            }
            return fromStart;
        }
    }

    private static OrderKey key(long id) {
        return new OrderKey(0, id, id);
    }
}
