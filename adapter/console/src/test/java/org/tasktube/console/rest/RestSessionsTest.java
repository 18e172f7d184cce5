package org.tasktube.console.rest;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.SessionOwnerException;
import org.tasktube.TubeConnection;
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
        UUID room = sessions.reserve(user);
        sessions.keep(id, user, KEEP);
        sessions.giveUp(room, user);
        return id;
    }

    private UUID use(UUID id, String user) {
        return sessions.during(id.toString(), user, used -> {
            sessions.join(connection(), used, user);
            return used;
        });
    }

    /** Knows every session, each of anna. */
    private static TubeConnection connection() {
        return (TubeConnection) Proxy.newProxyInstance(
                RestSessionsTest.class.getClassLoader(), new Class<?>[] {TubeConnection.class}, (proxy, called, of) -> {
                    assertThat(called.getName()).isEqualTo("identify");
                    if (!of[1].equals("anna")) {
                        throw new SessionOwnerException((UUID) of[0], (String) of[1]);
                    }
                    return KEEP;
                });
    }

    /** Has so many sessions more that a user has none left. */
    private void fill(String user, int sessionsLeft) {
        for (int i = sessionsLeft; i < RestSessions.MAX_OF_USER; i++) {
            add(user);
        }
    }

    private void pass(Duration time) {
        clock.addAndGet(time.toNanos());
    }

    private void hasNoRoom(String user) {
        assertThatThrownBy(() -> sessions.reserve(user))
                .isInstanceOfSatisfying(
                        ProblemException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TOO_MANY))
                .hasMessageStartingWith("the user " + user + " has 100 sessions by REST");
    }

    @Test
    void a_session_that_another_server_has_made_needs_room_here_and_keeps_it_for_its_time() {
        fill("anna", 1);
        UUID elsewhere = use(UUID.randomUUID(), "anna");
        hasNoRoom("anna");
        assertThatThrownBy(() -> use(UUID.randomUUID(), "anna"))
                .hasMessageStartingWith("the user anna has 100 sessions by REST");
        assertThat(use(elsewhere, "anna")).isEqualTo(elsewhere);
        pass(KEEP);
        assertThat(use(elsewhere, "anna")).isEqualTo(elsewhere);
    }

    @Test
    void a_session_that_the_user_does_not_have_keeps_no_room() {
        fill("bob", 1);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> use(UUID.randomUUID(), "bob")).isInstanceOf(SessionOwnerException.class);
        }
        assertThat(sessions.reserve("bob")).isNotNull();
    }

    @Test
    void a_user_who_names_the_session_of_another_takes_no_room_from_it() {
        UUID id = add("anna");
        assertThatThrownBy(() -> use(id, "bob")).isInstanceOf(SessionOwnerException.class);
        fill("anna", 1);
        hasNoRoom("anna");
        assertThat(use(id, "anna")).isEqualTo(id);
    }

    @Test
    void each_call_begins_its_time_anew_and_after_its_time_its_room_is_free() {
        fill("anna", 1);
        UUID id = add("anna");
        pass(KEEP.minusMillis(1));
        use(id, "anna");
        pass(Duration.ofMillis(1));
        fill("anna", 1);
        hasNoRoom("anna");
        pass(KEEP.minusMillis(2));
        hasNoRoom("anna");
        pass(Duration.ofMillis(1));
        assertThat(sessions.reserve("anna")).isNotNull();
    }

    @Test
    void a_session_keeps_its_room_while_a_call_of_it_waits() {
        UUID id = add("anna");
        sessions.during(id.toString(), "anna", used -> {
            pass(KEEP.multipliedBy(2));
            fill("anna", 1);
            hasNoRoom("anna");
            return used;
        });
        pass(KEEP);
        assertThat(sessions.reserve("anna")).isNotNull();
    }

    @Test
    void a_take_that_has_begun_has_room_for_its_session() {
        for (int i = 1; i < RestSessions.MAX_OF_USER; i++) {
            add("anna");
        }
        UUID room = sessions.reserve("anna");
        assertThatThrownBy(() -> add("anna")).hasMessageStartingWith("the user anna has 100 sessions by REST");
        pass(KEEP.minusMillis(1));
        assertThatThrownBy(() -> add("anna")).hasMessageStartingWith("the user anna has 100 sessions by REST");
        sessions.giveUp(room, "anna");
        assertThat(add("anna")).isNotNull();
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
        assertThatThrownBy(() -> sessions.during(header, "anna", id -> id))
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
        return depth == 0 ? waits.inTurn(() -> 0) : waits.waiting(() -> nested(waits, depth - 1));
    }
}
