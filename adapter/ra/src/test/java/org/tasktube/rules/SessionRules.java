package org.tasktube.rules;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
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
import static org.tasktube.rules.Scenario.LONG;
import static org.tasktube.rules.Scenario.calls;
import static org.tasktube.rules.Scenario.get;
import static org.tasktube.rules.Scenario.state;
import static org.tasktube.rules.Scenario.take;

/** The sessions that hold taken tasks. */
final class SessionRules extends RuleGroup {

    private static final String ONE_FOR_ALL = "the run starts and kills servers; one type stands for all";
    private static final String NOT_DURABLE = "a server that starts alone empties them";

    @Override
    String heading() {
        return "Sessions";
    }

    @Override
    List<Rule> rules() {
        return List.of(
                rule("identify() returns the id of the connection's own session", this::identify_gives_ones_own),
                rule(
                        "Any number of connections can share a session, by identify(id)",
                        this::connections_share_a_session),
                rule("identify(UUID) does the same as identify of its text", this::a_session_is_taken_up_by_its_uuid),
                rule("awaitRunning(timeout) returns whether the adapter is RUNNING", this::one_can_wait_until_it_runs)
                        .testedWith(Type.FIFO, "the run stops a server; one type stands for all"),
                rule("Connections on several servers can share a session", this::servers_share_a_session)
                        .onTwoServers(),
                rule(
                        "When the last connection of a session closes, its tasks are READY at once",
                        this::the_last_close_releases),
                rule(
                                "With a `sessionTtr`, another connection can resume the session within that time, and "
                                        + "ack",
                                this::a_session_with_a_ttr_can_be_taken_up)
                        .onTwoServers(),
                rule(
                                "With a `sessionTtr`, a session that no connection resumes releases its tasks",
                                this::a_session_expires)
                        .onTwoServers()
                        .testedWith(Type.FIFO, "the run waits for a session's ttr; one type stands for all"),
                rule("When a server dies, the tasks of its sessions become READY", this::a_dead_server_releases)
                        .testedWith(Type.FIFO, ONE_FOR_ALL)
                        .not(Store.TEMPORARY, NOT_DURABLE),
                rule("A server that starts releases the tasks of its former self", this::a_start_releases)
                        .testedWith(Type.FIFO, ONE_FOR_ALL)
                        .not(Store.TEMPORARY, NOT_DURABLE),
                rule(
                        "A wrong format and an expired UUID are two different errors",
                        this::a_wrong_format_and_an_expired_one_are_two_errors),
                rule(
                        "If the connection of a waiting take is closed, the take fails and takes nothing",
                        this::a_waiting_take_of_a_closed_one),
                rule("Calls on a closed connection fail. A second close does nothing", this::a_closed_one_is_an_error),
                rule("Each call checks the adapter's state: INIT, STARTUP, RUNNING, ENDING", this::the_state_is_checked)
                        .testedWith(Type.FIFO, ONE_FOR_ALL));
    }

    private void identify_gives_ones_own(Scenario scenario) {
        UUID mine = scenario.connection().identify();
        assertThat(scenario.connection().identify()).isEqualTo(mine);
        assertThat(scenario.connect().identify()).isNotEqualTo(mine);
        scenario.tube().put("a");
        assertThat(scenario.tube().meta(scenario.take().id()).orElseThrow().session())
                .contains(mine);
        scenario.connection().identify(mine.toString());
        assertThat(scenario.connection().identify()).isEqualTo(mine);
    }

    private void connections_share_a_session(Scenario scenario) {
        scenario.tube().put("a");
        Task task = scenario.take();
        TubeConnection friend = scenario.connect();
        friend.identify(scenario.connection().identify().toString());
        assertThat(friend.identify()).isEqualTo(scenario.connection().identify());
        friend.tube(scenario.tube().name()).ack(task);
        assertThat(scenario.tube().statistics().total()).isZero();
        scenario.tube().put("b");
        Task second = take(friend.tube(scenario.tube().name()));
        friend.close();
        scenario.tube().ack(second);
    }

    private void servers_share_a_session(Scenario scenario) {
        scenario.tube().put("a");
        Task task = scenario.take();
        TubeConnection friend = scenario.connectElsewhere();
        friend.identify(scenario.connection().identify().toString());
        friend.tube(scenario.tube().name()).ack(task);
        assertThat(scenario.tube().peek(task.id())).isEmpty();
        scenario.tube().put("b");
        Task second = take(friend.tube(scenario.tube().name()));
        friend.close();
        assertThat(state(scenario.tube(), second.id())).isEqualTo(TaskState.TAKEN);
        scenario.tube().ack(second);
    }

    private void the_last_close_releases(Scenario scenario) {
        scenario.tube().put("a");
        TubeConnection one = scenario.connect();
        TubeConnection two = scenario.connect();
        two.identify(one.identify().toString());
        Task held = take(one.tube(scenario.tube().name()));
        one.close();
        assertThat(state(scenario.tube(), held.id())).isEqualTo(TaskState.TAKEN);
        assertThat(scenario.tube().take(ZERO)).isEmpty();
        two.close();
        assertThat(scenario.tube().take(LONG).map(Task::id)).contains(held.id());
        // A take may find by itself what is released, before that is counted
        Eventually.holds(() -> calls(scenario.tube(), TubeEvent.RELEASED_BY_SESSION) == 1, "the release is counted");
    }

    private void a_session_with_a_ttr_can_be_taken_up(Scenario scenario) {
        Eventually.holds(() -> isTakenUp(scenario), "it is taken up before its time is over");
    }

    /** Returns false if the machine was too slow for the time of the session. */
    private static boolean isTakenUp(Scenario scenario) {
        TubeConnection keeping = scenario.connectElsewhere();
        Tube there = scenario.on(keeping);
        there.put("a");
        String session = keeping.identify().toString();
        Task held = take(there);
        long closed = System.nanoTime();
        keeping.close();
        TubeConnection later = scenario.connectElsewhere();
        try {
            later.identify(session);
        } catch (SessionExpiredException e) {
            assertThat(Duration.ofNanos(System.nanoTime() - closed)).isGreaterThan(Environment.SESSION_TTR);
            later.tube(there.name()).truncate();
            return false;
        }
        assertThat(state(later.tube(there.name()), held.id())).isEqualTo(TaskState.TAKEN);
        later.tube(there.name()).ack(held);
        return true;
    }

    private void a_session_expires(Scenario scenario) {
        TubeConnection keeping = scenario.connectElsewhere();
        Tube there = scenario.on(keeping);
        there.put("a");
        String session = keeping.identify().toString();
        Task held = take(there);
        long closed = System.nanoTime();
        keeping.close();
        TubeConnection later = scenario.connectElsewhere();
        Tube again = later.tube(there.name());
        assertThat(again.take(LONG).map(Task::id)).contains(held.id());
        assertThat(Duration.ofNanos(System.nanoTime() - closed))
                .isGreaterThan(Environment.SESSION_TTR.minus(ofMillis(20)));
        assertThatThrownBy(() -> later.identify(session)).isInstanceOf(SessionExpiredException.class);
    }

    private void a_dead_server_releases(Scenario scenario) throws Exception {
        try (Environment own = scenario.ownEnvironment()) {
            Duration timeout = ofSeconds(1);
            Server killed = own.start("killed", timeout, ZERO);
            Tube there = scenario.open(killed).createTube(scenario.define());
            there.put("a");
            Task held = take(there);
            // It counts releases in tubes that it knows
            Tube here = scenario.open(own.start("other", timeout, ZERO)).tube(there.name());
            killed.kill();
            assertThat(here.take(LONG).map(Task::id)).contains(held.id());
            // A take may find by itself what is released, before that is counted
            Eventually.holds(() -> calls(here, TubeEvent.RELEASED_AT_START) == 1, "the release is counted");
        }
    }

    private void a_start_releases(Scenario scenario) throws Exception {
        try (Environment own = scenario.ownEnvironment()) {
            Server former = own.start("again", Server.PATIENCE, ZERO);
            Tube there = scenario.open(former).createTube(scenario.define());
            there.put("a");
            Task held = take(there);
            former.close();
            Tube here = scenario.open(own.start("again", Server.PATIENCE, ZERO)).tube(there.name());
            assertThat(here.take(LONG).map(Task::id)).contains(held.id());
        }
    }

    private void a_wrong_format_and_an_expired_one_are_two_errors(Scenario scenario) {
        for (String wrong : List.of("", "me", "1-1-1-1-1", UUID.randomUUID() + "0")) {
            assertThatThrownBy(() -> scenario.connection().identify(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'" + wrong + "'");
        }
        String never = UUID.randomUUID().toString();
        assertThatThrownBy(() -> scenario.connection().identify(never))
                .isInstanceOf(SessionExpiredException.class)
                .hasMessageContaining(never);
        TubeConnection closed = scenario.connect();
        String over = closed.identify().toString();
        closed.close();
        Eventually.holds(() -> isExpired(scenario, over), "its session is over");
        scenario.tube().put("a");
        scenario.tube().ack(scenario.take());
    }

    private static boolean isExpired(Scenario scenario, String session) {
        try {
            scenario.connection().identify(session);
            return false;
        } catch (SessionExpiredException e) {
            return true;
        }
    }

    private void a_waiting_take_of_a_closed_one(Scenario scenario) {
        TubeConnection leaving = scenario.connect();
        Future<Optional<Task>> take =
                scenario.later(() -> leaving.tube(scenario.tube().name()).take(LONG));
        scenario.awaitTakers(1);
        leaving.close();
        assertThatThrownBy(() -> get(take))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        Task put = scenario.tube().put("a");
        assertThat(scenario.take().id()).isEqualTo(put.id());
    }

    private void a_closed_one_is_an_error(Scenario scenario) {
        TubeConnection closed = scenario.connect();
        Tube tube = closed.tube(scenario.tube().name());
        tube.put("a");
        Task task = take(tube);
        closed.close();
        closed.close();
        for (Scenario.Step step : List.<Scenario.Step>of(
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
        assertThat(scenario.tube().take(LONG).map(Task::id)).contains(task.id());
        assertThatThrownBy(() -> tube.ack(task))
                .isNotInstanceOf(TaskNotTakenException.class)
                .isInstanceOf(IllegalStateException.class);
    }

    private void the_state_is_checked(Scenario scenario) {
        try (Environment own = scenario.ownEnvironment()) {
            TubeConnection connection = scenario.open(own.server());
            assertThat(connection.state()).isEqualTo(AdapterState.RUNNING);
            Tube tube = connection.createTube(scenario.define());
            own.server().close();
            assertThat(connection.state()).isEqualTo(AdapterState.ENDING);
            assertThatThrownBy(() -> tube.put("a"))
                    .isInstanceOf(AdapterNotRunningException.class)
                    .hasMessageContaining("ENDING");
            assertThatThrownBy(() -> tube.take(LONG)).isInstanceOf(AdapterNotRunningException.class);
            assertThatThrownBy(connection::tubes).isInstanceOf(AdapterNotRunningException.class);
        }
    }

    private void a_session_is_taken_up_by_its_uuid(Scenario scenario) {
        scenario.tube().put("a");
        Task held = scenario.take();
        TubeConnection friend = scenario.connect();
        friend.identify(scenario.connection().identify());
        friend.tube(scenario.tube().name()).ack(held);
        assertThat(scenario.tube().peek(held.id())).isEmpty();
        assertThatThrownBy(() -> friend.identify(UUID.randomUUID())).isInstanceOf(SessionExpiredException.class);
    }

    private void one_can_wait_until_it_runs(Scenario scenario) {
        assertThat(scenario.connection().awaitRunning(ZERO)).isTrue();
        assertThatThrownBy(() -> scenario.connection().awaitRunning(ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        try (Environment own = scenario.ownEnvironment()) {
            TubeConnection connection = scenario.open(own.server());
            own.server().close();
            assertThat(connection.awaitRunning(ofMillis(20))).isFalse();
            Future<Boolean> waiting = scenario.later(() -> connection.awaitRunning(LONG));
            connection.close();
            assertThatThrownBy(() -> get(waiting)).isInstanceOf(IllegalStateException.class);
        }
    }
}
