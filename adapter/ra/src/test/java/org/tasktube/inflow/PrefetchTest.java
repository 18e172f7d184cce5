package org.tasktube.inflow;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskState;
import org.tasktube.testing.SteppedClock;

import static org.assertj.core.api.Assertions.assertThat;

class PrefetchTest {

    private static final int SESSIONS = 4;
    private static final int MEBIBYTE = 1 << 20;

    private final SteppedClock clock = new SteppedClock();
    private final Prefetch prefetch = new Prefetch(clock, 1);

    private static List<Task> tasks(int count, TaskData data) {
        return LongStream.rangeClosed(1, count)
                .mapToObj(id -> new Task(id, "t", TaskState.TAKEN, 0, 1, 0, Optional.empty(), Map.of(), data))
                .toList();
    }

    private void add(int count) {
        prefetch.add(null, tasks(count, TaskData.of("x")), clock.getAsLong());
    }

    /** Claims tasks of a size, and begins them all. */
    private void begin(int count, int bytes) {
        prefetch.add(null, tasks(count, TaskData.of("application/octet-stream", new byte[bytes])), clock.getAsLong());
        prefetch.removeAll();
    }

    private void deliveriesTake(Duration each) {
        for (int i = 0; i < 200; i++) {
            prefetch.delivered(each.toNanos(), 1);
        }
    }

    @Test
    void a_slow_bean_has_as_many_tasks_as_it_has_free_sessions_and_none_ahead() {
        deliveriesTake(Duration.ofSeconds(1));
        assertThat(prefetch.room(SESSIONS, 0)).isEqualTo(4);
        assertThat(prefetch.room(SESSIONS, 3)).isEqualTo(1);
        assertThat(prefetch.room(SESSIONS, 4)).isZero();
        add(1);
        assertThat(prefetch.room(SESSIONS, 3))
                .as("beside one that is not begun")
                .isZero();
    }

    @Test
    void a_quick_bean_has_places_for_small_tasks_that_are_being_put() {
        deliveriesTake(Duration.ofNanos(9_900_000));
        assertThat(prefetch.hasPlace(0, SESSIONS, 15, 256)).isTrue();
        assertThat(prefetch.hasPlace(0, SESSIONS, 16, 256)).as("each is taken").isFalse();
        assertThat(prefetch.hasPlace(1, SESSIONS, 16, 256))
                .as("a session is free")
                .isTrue();
        int most = Prefetch.MAX_BYTES_AHEAD / Prefetch.MAX_AHEAD;
        assertThat(prefetch.hasPlace(0, SESSIONS, 0, most)).isTrue();
        assertThat(prefetch.hasPlace(0, SESSIONS, 0, most + 1)).isFalse();
        prefetch.claimed(false);
        assertThat(prefetch.hasPlace(0, SESSIONS, 0, most)).as("a claim failed").isFalse();
        deliveriesTake(Duration.ofMillis(50));
        assertThat(prefetch.hasPlace(1, SESSIONS, 0, 256)).as("it is slow").isFalse();
    }

    @Test
    void a_failed_claim_halves_what_is_claimed_and_as_many_that_are_done_undo_it() {
        deliveriesTake(Duration.ofNanos(1));
        assertThat(prefetch.roomInBytes()).isEqualTo(Prefetch.MAX_BYTES_AHEAD);
        assertThat(prefetch.room(SESSIONS, SESSIONS)).isEqualTo(Prefetch.MAX_AHEAD);
        prefetch.claimed(false);
        prefetch.claimed(false);
        assertThat(prefetch.roomInBytes()).isEqualTo(Prefetch.MAX_BYTES_AHEAD / 4);
        assertThat(prefetch.room(SESSIONS, SESSIONS)).isEqualTo(Prefetch.MAX_AHEAD / 4);
        prefetch.claimed(true);
        assertThat(prefetch.roomInBytes()).isEqualTo(Prefetch.MAX_BYTES_AHEAD / 2);
        prefetch.claimed(true);
        prefetch.claimed(true);
        assertThat(prefetch.roomInBytes()).isEqualTo(Prefetch.MAX_BYTES_AHEAD);
    }

    @Test
    void however_many_claims_fail_each_free_session_has_a_task() {
        for (int i = 0; i < 100; i++) {
            prefetch.claimed(false);
        }
        assertThat(prefetch.room(SESSIONS, 0)).isEqualTo(SESSIONS);
        assertThat(prefetch.roomInBytes()).isPositive();
    }

    @Test
    void what_is_not_begun_takes_room_in_bytes_whatever_the_mean_was() {
        deliveriesTake(Duration.ofNanos(1));
        prefetch.add(null, tasks(7, TaskData.of("application/octet-stream", new byte[MEBIBYTE])), clock.getAsLong());
        assertThat(prefetch.roomInBytes()).isEqualTo(MEBIBYTE);
        prefetch.add(null, tasks(2, TaskData.of("application/octet-stream", new byte[MEBIBYTE])), clock.getAsLong());
        assertThat(prefetch.room(SESSIONS, SESSIONS)).isZero();
        prefetch.removeFirst();
        prefetch.removeFirst();
        assertThat(prefetch.roomInBytes()).isEqualTo(MEBIBYTE);
        prefetch.removeAll();
        assertThat(prefetch.roomInBytes()).isEqualTo(Prefetch.MAX_BYTES_AHEAD);
    }

    @Test
    void a_quick_bean_has_the_work_of_the_window_claimed_ahead() {
        deliveriesTake(Duration.ofMillis(1));
        // 4 sessions do 160 tasks of 1 ms within the 40 ms of the window
        assertThat(prefetch.room(SESSIONS, 4)).isBetween(159, 160);
        deliveriesTake(Duration.ofNanos(1_000));
        assertThat(prefetch.room(SESSIONS, 4)).isEqualTo(Prefetch.MAX_AHEAD);
    }

    @Test
    void a_quick_bean_with_large_tasks_has_8_MiB_of_them_claimed_ahead() {
        deliveriesTake(Duration.ofNanos(1_000));
        begin(200, MEBIBYTE);
        assertThat(prefetch.room(SESSIONS, 4)).isEqualTo(8);
        begin(200, MEBIBYTE / 4);
        assertThat(prefetch.room(SESSIONS, 4)).isBetween(31, 32);
        begin(200, 100);
        assertThat(prefetch.room(SESSIONS, 4)).as("of small tasks again").isEqualTo(Prefetch.MAX_AHEAD);
    }

    @Test
    void each_free_session_has_a_task_however_large_tasks_are() {
        deliveriesTake(Duration.ofNanos(1_000));
        begin(200, 16 * MEBIBYTE);
        assertThat(prefetch.room(SESSIONS, 4)).isZero();
        assertThat(prefetch.room(SESSIONS, 1)).isEqualTo(3);
        assertThat(prefetch.room(SESSIONS, 0)).isEqualTo(4);
    }

    @Test
    void tasks_are_claimed_again_when_half_of_those_ahead_are_begun() {
        deliveriesTake(Duration.ofNanos(1_000));
        add(Prefetch.MAX_AHEAD);
        while (prefetch.deliveries() > Prefetch.MAX_AHEAD / 2) {
            assertThat(prefetch.room(SESSIONS, 4))
                    .as("with " + prefetch.deliveries())
                    .isZero();
            prefetch.removeFirst();
        }
        assertThat(prefetch.room(SESSIONS, 4)).isEqualTo(Prefetch.MAX_AHEAD / 2);
    }

    @Test
    void more_busy_sessions_than_the_limit_leave_no_room_below_zero() {
        deliveriesTake(Duration.ofSeconds(1));
        assertThat(prefetch.room(9, 10)).isZero();
        assertThat(prefetch.room(1, 10)).isZero();
    }

    @Test
    void tasks_gather_before_a_claim_only_while_a_quick_bean_works_on_others() {
        deliveriesTake(Duration.ofMillis(1));
        assertThat(prefetch.gathering(1)).isEqualTo(Prefetch.MAX_GATHERING.toNanos());
        assertThat(prefetch.gathering(0)).as("with nothing to do").isZero();
        deliveriesTake(Duration.ofMillis(100));
        assertThat(prefetch.gathering(1)).as("of a slow bean").isZero();
    }

    @Test
    void tasks_gather_no_longer_than_a_delivery_takes() {
        deliveriesTake(Duration.ofNanos(1_000));
        assertThat(prefetch.gathering(SESSIONS)).isBetween(1_000L, 1_200L);
    }

    @Test
    void tasks_that_were_not_begun_within_half_a_second_are_stale() {
        assertThat(prefetch.untilStale()).isEqualTo(Long.MAX_VALUE);
        add(1);
        clock.pass(Duration.ofMillis(100));
        add(1);
        assertThat(prefetch.untilStale()).isEqualTo(Duration.ofMillis(400).toNanos());
        clock.pass(Duration.ofMillis(400));
        assertThat(prefetch.untilStale()).isZero();
        prefetch.removeFirst();
        assertThat(prefetch.untilStale()).isEqualTo(Duration.ofMillis(100).toNanos());
        assertThat(prefetch.removeAll()).hasSize(1);
        assertThat(prefetch.isEmpty()).isTrue();
    }

    @Test
    void a_bean_that_let_tasks_become_stale_has_none_claimed_ahead_until_it_is_quick_again() {
        deliveriesTake(Duration.ofMillis(1));
        prefetch.slowDown(SESSIONS);
        assertThat(prefetch.room(SESSIONS, 4)).isZero();
        deliveriesTake(Duration.ofMillis(1));
        assertThat(prefetch.room(SESSIONS, 4)).isPositive();
    }

    @Test
    void a_bean_of_batches_has_a_batch_for_each_free_session_and_whole_ones_ahead() {
        Prefetch batches = new Prefetch(clock, 10);
        for (int i = 0; i < 200; i++) {
            batches.delivered(Duration.ofMillis(25).toNanos(), 10);
        }
        assertThat(batches.room(SESSIONS, 1))
                .as("3 batches, and 64 tasks of 2.5 ms ahead, in whole batches")
                .isEqualTo(30 + 60);
        batches.add(null, tasks(25, TaskData.of("x")), clock.getAsLong());
        assertThat(batches.deliveries()).isEqualTo(3);
        assertThat(batches.room(SESSIONS, 1)).isEqualTo(30 + 60 - 25);
        assertThat(List.of(batches.removeFirst(), batches.removeFirst(), batches.removeFirst()))
                .extracting(List::size)
                .containsExactly(10, 10, 5);
        assertThat(batches.isEmpty()).isTrue();
    }

    @Test
    void tasks_leave_in_the_order_of_their_claim() {
        add(3);
        assertThat(Stream.of(prefetch.removeFirst(), prefetch.removeFirst(), prefetch.removeFirst())
                        .flatMap(List::stream))
                .extracting(claimed -> claimed.task().id())
                .containsExactly(1L, 2L, 3L);
    }
}
