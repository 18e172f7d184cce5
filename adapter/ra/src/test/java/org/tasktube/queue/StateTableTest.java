package org.tasktube.queue;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskNotTakenException;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TaskTakenByAnotherException;
import org.tasktube.TaskWatch;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.WrongStateException;
import org.tasktube.testing.RunningQueue;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/**
 * Every operation on a task in every state it can find it in: what it is then, or which error there is and that nothing
 * changed. The first line names the states; STALE is held by this session in a later take, OTHERS by another session.
 */
class StateTableTest {

    private static final String TABLE = """
            operation     | READY    | DELAYED  | TAKEN   | OTHERS  | STALE   | BURIED   | DONE     | GONE
            take          | TAKEN    | DELAYED  | TAKEN   | TAKEN   | TAKEN   | BURIED   | DONE     | GONE
            ack           | NotTaken | NotTaken | GONE    | Another | Another | NotTaken | NotTaken | NotFound
            ack result    | NotTaken | NotTaken | DONE    | Another | Another | NotTaken | NotTaken | NotFound
            ack all       | NotTaken | NotTaken | GONE    | Another | Another | NotTaken | NotTaken | NotFound
            release       | NotTaken | NotTaken | READY   | Another | Another | NotTaken | NotTaken | NotFound
            release delay | NotTaken | NotTaken | DELAYED | Another | Another | NotTaken | NotTaken | NotFound
            release ttl   | NotTaken | NotTaken | READY   | Another | Another | NotTaken | NotTaken | NotFound
            release both  | NotTaken | NotTaken | DELAYED | Another | Another | NotTaken | NotTaken | NotFound
            requeue       | NotTaken | NotTaken | READY   | Another | Another | NotTaken | NotTaken | NotFound
            touch         | NotTaken | NotTaken | TAKEN   | Another | Another | NotTaken | NotTaken | NotFound
            heartbeat     | NotTaken | NotTaken | TAKEN   | Another | Another | NotTaken | NotTaken | NotFound
            bury          | BURIED   | BURIED   | BURIED  | Another | Another | BURIED   | Wrong    | NotFound
            kick          | READY    | DELAYED  | TAKEN   | TAKEN   | TAKEN   | READY    | DONE     | GONE
            dig           | Wrong    | Wrong    | Wrong   | Wrong   | Wrong   | READY    | Wrong    | NotFound
            delete        | GONE     | GONE     | GONE    | GONE    | GONE    | GONE     | GONE     | NotFound
            peek          | READY    | DELAYED  | TAKEN   | TAKEN   | TAKEN   | BURIED   | DONE     | GONE
            result        | READY    | DELAYED  | TAKEN   | TAKEN   | TAKEN   | BURIED   | DONE     | GONE
            await         | READY    | DELAYED  | TAKEN   | TAKEN   | TAKEN   | BURIED   | DONE     | NotFound
            watch         | READY    | DELAYED  | TAKEN   | TAKEN   | TAKEN   | BURIED   | DONE     | NotFound
            meta          | READY    | DELAYED  | TAKEN   | TAKEN   | TAKEN   | BURIED   | DONE     | GONE
            releaseAll    | READY    | DELAYED  | READY   | READY   | READY   | BURIED   | DONE     | GONE
            truncate      | GONE     | GONE     | GONE    | GONE    | GONE    | GONE     | GONE     | GONE
            """;

    @Nested
    class OnH2 extends Table {
        OnH2() {
            super(TestDatabase.H2, false);
        }
    }

    @Nested
    class InMemory extends Table {
        InMemory() {
            super(TestDatabase.H2, true);
        }
    }

    @Nested
    class OnPostgreSql extends Table {
        OnPostgreSql() {
            super(TestDatabase.POSTGRESQL, false);
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class Table {

        private final TestDatabase kind;
        private final boolean temporary;
        private final Client session = new Client();
        private final Client another = new Client();
        private HikariDataSource database;
        private RunningQueue running;

        Table(TestDatabase kind, boolean temporary) {
            this.kind = kind;
            this.temporary = temporary;
        }

        @BeforeAll
        void start() {
            database = kind.create();
            running = temporary ? new RunningQueue(database).inMemory() : new RunningQueue(database);
        }

        @AfterAll
        void stop() {
            running.close();
            database.close();
        }

        @TestFactory
        Stream<DynamicNode> each_operation_in_each_state() {
            List<String[]> rows = TABLE.lines()
                    .map(line ->
                            Arrays.stream(line.split("\\|")).map(String::strip).toArray(String[]::new))
                    .toList();
            String[] states = rows.get(0);
            return rows.stream().skip(1).map(row -> {
                List<DynamicNode> tests = new ArrayList<>();
                for (int i = 1; i < states.length; i++) {
                    String state = states[i];
                    String expected = row[i];
                    tests.add(dynamicTest(state + " → " + expected, () -> check(row[0], state, expected)));
                }
                return dynamicContainer(row[0], tests);
            });
        }

        private void check(String operation, String state, String expected) {
            Tube tube = running.newTube(session, TubeDefinition.FIFOTTL);
            Task task = taskIn(tube, state);
            Optional<TaskMeta> before = tube.meta(task.id());
            Throwable thrown = catchThrowable(() -> perform(operation, tube, task));
            Class<?> error = errorOf(expected);
            if (error != null) {
                assertThat(thrown).isInstanceOf(error).hasMessageContaining("task " + task.id());
                assertThat(unchanged(tube.meta(task.id()))).isEqualTo(unchanged(before));
            } else {
                assertThat(thrown).isNull();
                assertThat(tube.peek(task.id()).map(now -> now.state().name()).orElse("GONE"))
                        .isEqualTo(expected);
            }
        }

        /** All but the time of the answer. */
        private static String unchanged(Optional<TaskMeta> meta) {
            return meta.map(m -> m.toString().replaceAll("now=.*", "")).orElse("gone");
        }

        private static Class<?> errorOf(String expected) {
            return switch (expected) {
                case "NotTaken" -> TaskNotTakenException.class;
                case "Another" -> TaskTakenByAnotherException.class;
                case "NotFound" -> TaskNotFoundException.class;
                case "Wrong" -> WrongStateException.class;
                default -> null;
            };
        }

        private Task taskIn(Tube tube, String state) {
            PutOptions options =
                    PutOptions.defaults().ttl(Duration.ofMinutes(10)).ttr(Duration.ofMinutes(1));
            Task task = tube.put("a", state.equals("DELAYED") ? options.delay(Duration.ofMinutes(1)) : options);
            switch (state) {
                case "TAKEN" -> task = take(tube);
                case "STALE" -> {
                    task = take(tube);
                    tube.releaseAll();
                    take(tube);
                }
                case "OTHERS" -> take(running.queue().tube(another, tube.name()));
                case "BURIED" -> tube.bury(task);
                case "DONE" -> tube.ack(take(tube), TaskResult.completed("b"));
                case "GONE" -> tube.delete(task.id());
                default -> assertThat(task.state().name()).isEqualTo(state);
            }
            return task;
        }

        private static Task take(Tube tube) {
            return tube.take(Duration.ZERO).orElseThrow();
        }

        private static void perform(String operation, Tube tube, Task task) {
            Duration minute = Duration.ofMinutes(1);
            switch (operation) {
                // Nobody else is in the tube, so a take finds this task or none
                case "take" ->
                    tube.take(Duration.ZERO)
                            .ifPresent(taken -> assertThat(taken.id()).isEqualTo(task.id()));
                case "ack" -> tube.ack(task);
                case "ack result" -> tube.ack(task, TaskResult.rejected("no"));
                case "ack all" -> tube.ackAll(List.of(task));
                case "result" ->
                    assertThat(tube.result(task.id()).isPresent())
                            .isEqualTo(tube.peek(task.id())
                                    .filter(now -> now.state() == TaskState.DONE)
                                    .isPresent());
                case "await" -> assertThat(tube.await(task.id(), Duration.ZERO)).isEqualTo(tube.result(task.id()));
                case "watch" -> {
                    try (TaskWatch watch = tube.watch(task.id())) {
                        assertThat(watch.next(Duration.ZERO))
                                .isEqualTo(tube.peek(task.id()).map(Task::state));
                    }
                }
                case "release" -> tube.release(task);
                case "release delay" ->
                    tube.release(task, ReleaseOptions.defaults().delay(minute));
                case "release ttl" ->
                    tube.release(task, ReleaseOptions.defaults().ttl(minute));
                case "release both" ->
                    tube.release(task, ReleaseOptions.defaults().ttl(minute).delay(minute));
                case "requeue" -> tube.requeue(task);
                case "touch" -> tube.touch(task, minute);
                case "heartbeat" -> tube.heartbeat(task);
                case "bury" -> tube.bury(task);
                case "kick" -> assertThat(tube.kick()).isBetween(0, 1);
                case "dig" -> tube.dig(task.id());
                case "delete" -> tube.delete(task.id());
                case "peek" -> assertThat(tube.peek(task.id())).isEqualTo(tube.peek(task.id()));
                case "meta" ->
                    assertThat(tube.meta(task.id()).isPresent())
                            .isEqualTo(tube.peek(task.id()).isPresent());
                case "releaseAll" -> assertThat(tube.releaseAll()).isBetween(0L, 1L);
                case "truncate" -> assertThat(tube.truncate()).isBetween(0L, 1L);
                default -> throw new IllegalArgumentException(operation);
            }
        }
    }
}
