package org.tasktube.node;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tasktube.store.Peer;

import static org.assertj.core.api.Assertions.assertThat;

/** A server is dead by what its row does, not by a clock alone. */
class FailureDetectorTest {

    private static final Instant TIME = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private long now;
    private final FailureDetector peers =
            new FailureDetector(new Settings("own", 1, Duration.ofSeconds(1), TIMEOUT, Duration.ZERO), () -> now);

    private boolean isDead(Instant seenAt, boolean overdue) {
        return isDead("other", seenAt, overdue, false);
    }

    private boolean isDead(String name, Instant seenAt, boolean overdue, boolean atStart) {
        return !peers.dead(List.of(new Peer(2, name, seenAt, overdue, false)), "own", 1, atStart)
                .isEmpty();
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    @Test
    void a_clock_that_jumped_ahead_makes_no_server_dead_that_sends_heartbeats() {
        assertThat(isDead(TIME, false)).isFalse();
        pass(Duration.ofSeconds(2));
        assertThat(isDead(TIME, true)).isFalse();
        pass(Duration.ofSeconds(2));
        assertThat(isDead(TIME.plusSeconds(3600), false)).isFalse();
    }

    @Test
    void a_server_that_is_overdue_is_dead_after_two_missed_heartbeats() {
        assertThat(isDead(TIME, true)).isFalse();
        pass(Duration.ofSeconds(4));
        assertThat(isDead(TIME, true)).isTrue();
    }

    @Test
    void a_clock_that_jumped_back_keeps_no_server_alive() {
        assertThat(isDead(TIME, false)).isFalse();
        pass(Duration.ofSeconds(9));
        assertThat(isDead(TIME, false)).isFalse();
        pass(Duration.ofSeconds(1));
        assertThat(isDead(TIME, false)).isTrue();
    }

    @Test
    void a_former_self_is_dead_at_once_at_the_start() {
        assertThat(isDead("own", TIME, false, true)).isFalse();
        assertThat(isDead("own", TIME, true, true)).isTrue();
        assertThat(isDead("other", TIME, true, true)).isFalse();
    }

    @Test
    void a_server_never_takes_itself_for_dead() {
        pass(TIMEOUT);
        List<Peer> own = List.of(new Peer(1, "own", TIME, true, false));
        assertThat(peers.dead(own, "own", 1, true)).isEmpty();
        pass(TIMEOUT);
        assertThat(peers.dead(own, "own", 1, false)).isEmpty();
    }

    @Test
    void a_dead_server_that_was_never_seen_alive_has_left_once() {
        assertThat(hasSomeLeft(List.of())).isFalse();
        List<Peer> dead = List.of(new Peer(2, "other", TIME, false, true));
        assertThat(hasSomeLeft(dead)).isTrue();
        assertThat(hasSomeLeft(dead)).isFalse();
        assertThat(hasSomeLeft(List.of(dead.get(0), new Peer(3, "third", TIME, false, true))))
                .isTrue();
        assertThat(hasSomeLeft(List.of())).isFalse();
    }

    @Test
    void a_server_that_is_found_dead_has_left_once() {
        assertThat(hasSomeLeft(List.of(new Peer(2, "other", TIME, false, false))))
                .isFalse();
        pass(TIMEOUT);
        assertThat(hasSomeLeft(List.of(new Peer(2, "other", TIME, true, false))))
                .isTrue();
        assertThat(hasSomeLeft(List.of(new Peer(2, "other", TIME, true, true)))).isFalse();
    }

    private boolean hasSomeLeft(List<Peer> now) {
        peers.dead(now, "own", 1, false);
        return peers.hasSomeLeft();
    }

    @Test
    void those_that_are_dead_already_do_not_count_as_up() {
        peers.dead(
                List.of(new Peer(1, "own", TIME, false, false), new Peer(2, "other", TIME, true, true)),
                "own",
                1,
                false);
        assertThat(peers.up()).isEqualTo(1);
    }
}
