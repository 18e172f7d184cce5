package org.tasktube.console.rest;

import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.console.json.Body;
import org.tasktube.console.problem.ProblemException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TaskActTest {

    private static final UUID HOLDER = UUID.fromString("2f9c0000-0000-0000-0000-000000000001");
    private static final UUID OWN = UUID.fromString("2f9c0000-0000-0000-0000-000000000002");

    private final List<String> calls = new ArrayList<>();

    private void perform(String act, String body, Optional<UUID> session) {
        TaskAct.of(act)
                .read(Body.parse(body), session.isPresent())
                .accept(new TaskAct.Target(fake(TubeConnection.class), fake(Tube.class), 4711, session));
    }

    private <T> T fake(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> switch (method.getName()) {
                    case "meta" -> Optional.of(meta());
                    case "peek" ->
                        Optional.of(new Task(
                                4711,
                                "orders",
                                TaskState.TAKEN,
                                0,
                                1,
                                7,
                                Optional.empty(),
                                Map.of(),
                                TaskData.of("x")));
                    case "name" -> "orders";
                    default -> {
                        calls.add(method.getName()
                                + Arrays.stream(arguments)
                                        .map(argument -> argument instanceof Task task ? task.id() : argument)
                                        .toList());
                        yield null;
                    }
                }));
    }

    private static TaskMeta meta() {
        return new TaskMeta(
                4711,
                "orders",
                TaskState.TAKEN,
                Optional.empty(),
                0,
                Optional.empty(),
                Optional.empty(),
                Optional.of(HOLDER),
                Optional.of(Instant.EPOCH),
                Instant.EPOCH,
                Optional.empty(),
                Optional.empty(),
                0,
                1,
                1,
                Optional.empty(),
                Instant.EPOCH);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "kick    | {}                       | dig[4711]",
                "dig     | {}                       | dig[4711]",
                "delete  | {}                       | delete[4711]",
                "release | {}                       | release[4711, ReleaseOptions[delay=Optional.empty, ttl=Optional.empty]]",
                "requeue | {}                       | requeue[4711]",
                "touch   | {`increment`:`PT1M`} | touch[4711, PT1M]",
                "bury    | {}                       | bury[4711]"
            })
    void an_operator_acts_in_the_name_of_the_holder(String act, String body, String call) {
        perform(act, body.replace('`', '"'), Optional.empty());
        List<String> expected = List.of("kick", "dig", "delete").contains(act)
                ? List.of(call)
                : List.of("identify[" + HOLDER + "]", call);
        assertThat(calls).isEqualTo(expected);
    }

    @Test
    void a_session_acts_for_its_own_tasks_only() {
        perform("ack", "{}", Optional.of(OWN));
        perform("bury", "{}", Optional.of(OWN));
        perform("ack", "{\"result\":{\"data\":{\"n\":1},\"outcome\":\"REJECTED\"}}", Optional.of(OWN));
        assertThat(calls).hasSize(6).startsWith("identify[" + OWN + "]", "ack[4711]", "identify[" + OWN + "]");
        assertThat(calls.get(3)).isEqualTo("bury[4711]");
        assertThat(calls.get(5)).startsWith("ack[4711, TaskResult[outcome=REJECTED");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "ack   | {}                 | false | ack needs the header TaskTube-Session",
                "kick  | {}                 | true  | kick is no act of a holder; leave the header TaskTube-Session out",
                "touch | {}                 | true  | the member 'increment' is missing",
                "ack   | {`reslt`:{}}       | true  | the member 'reslt' is not known here",
                "ack   | {`result`:{`x`:1}} | true  | the member 'x' is not known here",
                "dig   | {`x`:1}            | false | the member 'x' is not known here",
                "cancel | {}                | false | the member 'reason' is missing",
                "eat   | {}                 | false | no act has this name; they are kick, dig, delete, cancel, bury, ack, release"
            })
    void a_wrong_request_is_refused_before_it_reaches_the_adapter(
            String act, String body, boolean session, String message) {
        assertThatThrownBy(() -> perform(act, body.replace('`', '"'), session ? Optional.of(OWN) : Optional.empty()))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining(message);
        assertThat(calls).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "timeout | PT21S | the member 'timeout' is PT21S; it takes PT0S to PT20S",
                "keep    | PT2H  | the member 'keep' is PT2H; it takes PT1S to PT1H"
            })
    void a_take_has_bounds(String member, String value, String message) {
        assertThatThrownBy(() -> TakeResource.TakeRequest.of(Body.parse("{\"" + member + "\":\"" + value + "\"}")))
                .hasMessage(message);
        assertThatThrownBy(() -> TakeResource.TakeRequest.of(Body.parse("{\"count\":101}")))
                .hasMessage("the member 'count' is 101; it takes 1 to 100");
        assertThat(TakeResource.TakeRequest.of(Body.parse("{}")).count()).isEqualTo(1);
    }
}
