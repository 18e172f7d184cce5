package org.tasktube.console.rest;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.SessionExpiredException;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RestSessionsTest {

    private static final Duration KEEP = Duration.ofMinutes(1);

    private final AtomicLong clock = new AtomicLong();
    private final RestSessions sessions = new RestSessions(clock::get);

    private UUID add(String user) {
        UUID id = UUID.randomUUID();
        sessions.checkRoom(user);
        sessions.add(id, user, KEEP);
        return id;
    }

    private void pass(Duration time) {
        clock.addAndGet(time.toNanos());
    }

    @Test
    void a_session_serves_the_user_who_made_it_and_no_other() {
        UUID id = add("anna");
        assertThat(sessions.use(id.toString(), "anna")).isEqualTo(id);
        assertThatThrownBy(() -> sessions.use(id.toString(), "bob"))
                .isInstanceOfSatisfying(
                        ProblemException.class, e -> assertThat(e.kind()).isEqualTo(Kind.FORBIDDEN))
                .hasMessage("the session " + id + " belongs to another user; take in a session of your own");
    }

    @Test
    void each_call_begins_its_time_anew_and_after_its_time_it_has_ended() {
        UUID id = add("anna");
        for (int i = 0; i < 3; i++) {
            pass(KEEP.minusMillis(1));
            sessions.use(id.toString(), "anna");
        }
        pass(KEEP.minusMillis(1));
        sessions.renew(id);
        pass(KEEP);
        assertThatThrownBy(() -> sessions.use(id.toString(), "anna")).isInstanceOf(SessionExpiredException.class);
        sessions.renew(id);
        assertThatThrownBy(() -> sessions.use(id.toString(), "anna")).isInstanceOf(SessionExpiredException.class);
    }

    @Test
    void a_user_and_a_server_have_a_bounded_number_of_sessions() {
        for (int i = 0; i < RestSessions.MAX_OF_USER; i++) {
            add("anna");
        }
        assertThatThrownBy(() -> add("anna"))
                .isInstanceOfSatisfying(
                        ProblemException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TOO_MANY))
                .hasMessageStartingWith("the user anna has 100 sessions by REST");
        for (int i = RestSessions.MAX_OF_USER; i < RestSessions.MAX; i++) {
            add("user-" + i);
        }
        assertThatThrownBy(() -> add("bob")).hasMessageStartingWith("this server has 1000 sessions by REST");
        pass(KEEP);
        assertThat(add("anna")).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "1-1-1-1-1", "2f9c0000-0000-0000-0000-00000000000g"})
    void a_header_that_is_no_session_is_refused(String header) {
        assertThatThrownBy(() -> sessions.use(header, "anna"))
                .isInstanceOfSatisfying(
                        ProblemException.class, e -> assertThat(e.kind()).isEqualTo(Kind.VALUE))
                .hasMessageContaining("TaskTube-Session takes the id of a session");
    }

    @Test
    void a_bounded_number_of_takes_waits_at_once_and_others_do_not_count() {
        TakeWaits waits = new TakeWaits();
        assertThatThrownBy(() -> nested(waits, TakeWaits.MAX + 1))
                .isInstanceOfSatisfying(
                        ProblemException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TOO_MANY));
        assertThat(nested(waits, TakeWaits.MAX)).isZero();
    }

    private static int nested(TakeWaits waits, int depth) {
        return depth == 0 ? waits.during(Duration.ZERO, () -> 0) : waits.during(KEEP, () -> nested(waits, depth - 1));
    }
}
