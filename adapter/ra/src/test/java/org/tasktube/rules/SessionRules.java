package org.tasktube.rules;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Future;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
import org.tasktube.SessionExpiredException;
import org.tasktube.Task;
import org.tasktube.TaskNotTakenException;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeEvent;
import org.tasktube.testing.Eventually;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Trial.LONG;
import static org.tasktube.rules.Trial.calls;
import static org.tasktube.rules.Trial.get;
import static org.tasktube.rules.Trial.state;
import static org.tasktube.rules.Trial.take;

/** Whoever holds taken tasks. */
final class SessionRules implements Chapter {

    private static final Set<Type> ALL_BUT_FIFO =
            Set.of(Type.FIFOTTL, Type.LIMFIFOTTL, Type.UTUBE_TYPE, Type.UTUBETTL, Type.LIFO);
    private static final String ONE_FOR_ALL = "servers are started and killed for it; one type stands for all";
    private static final String GONE = "what a server had in memory is gone with it";

    @Override
    public String heading() {
        return "Sessions";
    }

    @Override
    public List<Rule> rules() {
        return List.of(
                rule("identify() gives one's own", this::identify_gives_ones_own),
                rule("any number of connections can share one (identify(uuid))", this::connections_share_a_session),
                rule("connections on several servers can share one", this::servers_share_a_session)
                        .onTwoServers()
                        .not(Store.MEMORY, "each server has a memory of its own"),
                rule("When its last connection closes, its tasks become READY at once", this::the_last_close_releases),
                rule(
                                "... or after the session's ttr when one is set, in which time somebody may identify as it and"
                                        + " ack",
                                this::a_session_with_a_ttr_can_be_taken_up)
                        .onTwoServers(),
                rule("A session with a ttr that nobody takes up releases what it held", this::a_session_expires)
                        .onTwoServers()
                        .not(ALL_BUT_FIFO, "it waits for a session's ttr; one type stands for all"),
                rule("When its node dies, its tasks become READY", this::a_dead_server_releases)
                        .not(ALL_BUT_FIFO, ONE_FOR_ALL)
                        .not(Store.MEMORY, GONE),
                rule("A node that starts releases what its former self held", this::a_start_releases)
                        .not(ALL_BUT_FIFO, ONE_FOR_ALL)
                        .not(Store.MEMORY, GONE),
                rule(
                        "A wrong format and an expired UUID are two different errors",
                        this::a_wrong_format_and_an_expired_one_are_two_errors),
                rule("A take that waits when its connection goes takes nothing", this::a_waiting_take_of_a_closed_one),
                rule(
                        "A closed connection is an error to use, and closing again is not",
                        this::a_closed_one_is_an_error),
                rule(
                                "The adapter's state: INIT, STARTUP, RUNNING, ENDING, checked by each call",
                                this::the_state_is_checked)
                        .not(ALL_BUT_FIFO, ONE_FOR_ALL));
    }

    private void identify_gives_ones_own(Trial trial) {
        UUID mine = trial.connection().identify();
        assertThat(trial.connection().identify()).isEqualTo(mine);
        assertThat(trial.connect().identify()).isNotEqualTo(mine);
        trial.tube().put("a");
        assertThat(trial.tube().meta(trial.take().id()).orElseThrow().session()).contains(mine);
        trial.connection().identify(mine.toString());
        assertThat(trial.connection().identify()).isEqualTo(mine);
    }

    private void connections_share_a_session(Trial trial) {
        trial.tube().put("a");
        Task task = trial.take();
        TubeConnection friend = trial.connect();
        friend.identify(trial.connection().identify().toString());
        assertThat(friend.identify()).isEqualTo(trial.connection().identify());
        friend.tube(trial.tube().name()).ack(task);
        assertThat(trial.tube().statistics().total()).isZero();
        trial.tube().put("b");
        Task second = take(friend.tube(trial.tube().name()));
        friend.close();
        trial.tube().ack(second);
    }

    private void servers_share_a_session(Trial trial) {
        trial.tube().put("a");
        Task task = trial.take();
        TubeConnection friend = trial.connectElsewhere();
        friend.identify(trial.connection().identify().toString());
        friend.tube(trial.tube().name()).ack(task);
        assertThat(trial.tube().peek(task.id())).isEmpty();
        trial.tube().put("b");
        Task second = take(friend.tube(trial.tube().name()));
        friend.close();
        assertThat(state(trial.tube(), second.id())).isEqualTo(TaskState.TAKEN);
        trial.tube().ack(second);
    }

    private void the_last_close_releases(Trial trial) {
        trial.tube().put("a");
        TubeConnection one = trial.connect();
        TubeConnection two = trial.connect();
        two.identify(one.identify().toString());
        Task held = take(one.tube(trial.tube().name()));
        one.close();
        assertThat(state(trial.tube(), held.id())).isEqualTo(TaskState.TAKEN);
        assertThat(trial.tube().take(ZERO)).isEmpty();
        two.close();
        assertThat(trial.tube().take(LONG).map(Task::id)).contains(held.id());
        assertThat(calls(trial.tube(), TubeEvent.RELEASED_BY_SESSION)).isEqualTo(1);
    }

    private void a_session_with_a_ttr_can_be_taken_up(Trial trial) {
        TubeConnection keeping = trial.connectElsewhere();
        Tube there = trial.on(keeping);
        there.put("a");
        String session = keeping.identify().toString();
        Task held = take(there);
        keeping.close();
        TubeConnection later = trial.connectElsewhere();
        assertThat(state(later.tube(there.name()), held.id())).isEqualTo(TaskState.TAKEN);
        later.identify(session);
        later.tube(there.name()).ack(held);
    }

    private void a_session_expires(Trial trial) {
        TubeConnection keeping = trial.connectElsewhere();
        Tube there = trial.on(keeping);
        there.put("a");
        String session = keeping.identify().toString();
        Task held = take(there);
        long closed = System.nanoTime();
        keeping.close();
        TubeConnection later = trial.connectElsewhere();
        Tube again = later.tube(there.name());
        assertThat(again.take(LONG).map(Task::id)).contains(held.id());
        assertThat(Duration.ofNanos(System.nanoTime() - closed)).isGreaterThan(Ground.SESSION_TTR.minus(ofMillis(20)));
        assertThatThrownBy(() -> later.identify(session)).isInstanceOf(SessionExpiredException.class);
    }

    private void a_dead_server_releases(Trial trial) throws Exception {
        try (Ground own = trial.ownGround()) {
            Duration timeout = ofSeconds(1);
            Server killed = own.start("killed", timeout, ZERO);
            Tube there = trial.open(killed).createTube(trial.define());
            there.put("a");
            Task held = take(there);
            killed.kill();
            Tube here = trial.open(own.start("other", timeout, ZERO)).tube(there.name());
            assertThat(here.take(LONG).map(Task::id)).contains(held.id());
            assertThat(calls(here, TubeEvent.RELEASED_AT_START)).isEqualTo(1);
        }
    }

    private void a_start_releases(Trial trial) throws Exception {
        try (Ground own = trial.ownGround()) {
            Server former = own.start("again", Server.PATIENCE, ZERO);
            Tube there = trial.open(former).createTube(trial.define());
            there.put("a");
            Task held = take(there);
            former.close();
            Tube here = trial.open(own.start("again", Server.PATIENCE, ZERO)).tube(there.name());
            assertThat(here.take(LONG).map(Task::id)).contains(held.id());
        }
    }

    private void a_wrong_format_and_an_expired_one_are_two_errors(Trial trial) {
        for (String wrong : List.of("", "me", "1-1-1-1-1", UUID.randomUUID() + "0")) {
            assertThatThrownBy(() -> trial.connection().identify(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'" + wrong + "'");
        }
        String never = UUID.randomUUID().toString();
        assertThatThrownBy(() -> trial.connection().identify(never))
                .isInstanceOf(SessionExpiredException.class)
                .hasMessageContaining(never);
        TubeConnection closed = trial.connect();
        String over = closed.identify().toString();
        closed.close();
        Eventually.holds(() -> isExpired(trial, over), "its session is over");
        trial.tube().put("a");
        trial.tube().ack(trial.take());
    }

    private static boolean isExpired(Trial trial, String session) {
        try {
            trial.connection().identify(session);
            return false;
        } catch (SessionExpiredException e) {
            return true;
        }
    }

    private void a_waiting_take_of_a_closed_one(Trial trial) {
        TubeConnection leaving = trial.connect();
        Future<Optional<Task>> take =
                trial.later(() -> leaving.tube(trial.tube().name()).take(LONG));
        trial.awaitTakers(1);
        leaving.close();
        assertThatThrownBy(() -> get(take))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        Task put = trial.tube().put("a");
        assertThat(trial.take().id()).isEqualTo(put.id());
    }

    private void a_closed_one_is_an_error(Trial trial) {
        TubeConnection closed = trial.connect();
        Tube tube = closed.tube(trial.tube().name());
        tube.put("a");
        Task task = take(tube);
        closed.close();
        closed.close();
        for (Trial.Step step : List.<Trial.Step>of(
                () -> tube.put("b"),
                () -> tube.take(ZERO),
                () -> tube.ack(task),
                () -> tube.statistics(),
                () -> closed.identify(),
                () -> closed.tube(tube.name()))) {
            assertThatThrownBy(step::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
        }
        assertThat(trial.tube().take(LONG).map(Task::id)).contains(task.id());
        assertThatThrownBy(() -> tube.ack(task))
                .isNotInstanceOf(TaskNotTakenException.class)
                .isInstanceOf(IllegalStateException.class);
    }

    private void the_state_is_checked(Trial trial) {
        try (Ground own = trial.ownGround()) {
            TubeConnection connection = trial.open(own.server());
            assertThat(connection.state()).isEqualTo(AdapterState.RUNNING);
            Tube tube = connection.createTube(trial.define());
            own.server().close();
            assertThat(connection.state()).isEqualTo(AdapterState.ENDING);
            assertThatThrownBy(() -> tube.put("a"))
                    .isInstanceOf(AdapterNotRunningException.class)
                    .hasMessageContaining("ENDING");
            assertThatThrownBy(() -> tube.take(LONG)).isInstanceOf(AdapterNotRunningException.class);
            assertThatThrownBy(connection::tubes).isInstanceOf(AdapterNotRunningException.class);
        }
    }
}
