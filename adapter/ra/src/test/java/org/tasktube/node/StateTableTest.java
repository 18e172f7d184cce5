package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
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
import org.tasktube.node.Operation.Found;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/**
 * Every operation on a task in every state it can find it in: what it is then, or which error there is and that nothing
 * changed. The cases follow from the transition table.
 */
class StateTableTest {

    private static final Path PAGE = Path.of("..", "..", "docs", "states.md");
    private static final String WRITE = "rules.write";

    @Test
    @Tag("writes-docs")
    void the_page_about_states_has_the_tables_of_the_code() throws IOException {
        String page = Files.readString(PAGE);
        String made = withTable(withTable(page, Operation.table()), Operation.transitions());
        if (Boolean.getBoolean(WRITE)) {
            Files.writeString(PAGE, made);
        }
        assertThat(Files.readString(PAGE))
                .as("docs/states.md; mvn -Prules writes it anew")
                .isEqualTo(made);
    }

    /** Replaces the table that begins with the same line. */
    private static String withTable(String page, String table) {
        String first = table.substring(0, table.indexOf('\n') + 1);
        int begin = page.indexOf(first);
        assertThat(begin).as("a table of " + first).isNotNegative();
        int end = begin;
        while (page.startsWith("|", end)) {
            end = page.indexOf('\n', end) + 1;
        }
        return page.substring(0, begin) + table + page.substring(end);
    }

    @Nested
    class OnH2 extends Table {
        OnH2() {
            super(TestDatabase.H2, false);
        }
    }

    @Nested
    class Temporary extends Table {
        Temporary() {
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
        private final ClientConnection session = new ClientConnection();
        private final ClientConnection another = new ClientConnection();
        private HikariDataSource database;
        private RunningNode running;

        Table(TestDatabase kind, boolean temporary) {
            this.kind = kind;
            this.temporary = temporary;
        }

        @BeforeAll
        void start() {
            database = kind.create();
            running = temporary ? new RunningNode(database).withTemporary() : new RunningNode(database);
        }

        @AfterAll
        void stop() {
            running.close();
            database.close();
        }

        @TestFactory
        Stream<DynamicNode> each_operation_in_each_state() {
            return Arrays.stream(Operation.values())
                    .map(operation -> dynamicContainer(
                            operation.name(), Arrays.stream(Found.values()).map(found -> test(operation, found))));
        }

        private DynamicTest test(Operation operation, Found found) {
            String expected = operation.result(found);
            return dynamicTest(found + " → " + expected, () -> check(operation, found, expected));
        }

        private void check(Operation operation, Found found, String expected) {
            Tube tube = running.newTube(session, TubeDefinition.FIFOTTL);
            Task task = taskIn(tube, found);
            Optional<TaskMeta> before = tube.meta(task.id());
            Throwable thrown = catchThrowable(() -> perform(operation, tube, task));
            Class<?> error = errorOf(expected);
            if (error != null) {
                assertThat(thrown).isInstanceOf(error).hasMessageContaining("task " + task.id());
                assertThat(unchanged(tube.meta(task.id()))).isEqualTo(unchanged(before));
            } else {
                assertThat(thrown).isNull();
                assertThat(tube.peek(task.id()).map(now -> now.state().name()).orElse(Operation.GONE))
                        .isEqualTo(expected);
            }
        }

        /** All but the time of the answer. */
        private static String unchanged(Optional<TaskMeta> meta) {
            return meta.map(m -> m.toString().replaceAll("now=.*", "")).orElse("gone");
        }

        private static Class<?> errorOf(String expected) {
            return switch (expected) {
                case Operation.NOT_TAKEN -> TaskNotTakenException.class;
                case Operation.ANOTHER -> TaskTakenByAnotherException.class;
                case Operation.NOT_FOUND -> TaskNotFoundException.class;
                case Operation.WRONG_STATE -> WrongStateException.class;
                default -> null;
            };
        }

        private Task taskIn(Tube tube, Found found) {
            PutOptions options =
                    PutOptions.defaults().ttl(Duration.ofMinutes(10)).ttr(Duration.ofMinutes(1));
            Task task = tube.put("a", found == Found.DELAYED ? options.delay(Duration.ofMinutes(1)) : options);
            switch (found) {
                case TAKEN -> task = take(tube);
                case STALE -> {
                    task = take(tube);
                    tube.releaseAll();
                    take(tube);
                }
                case OTHERS -> take(running.node().tube(another, tube.name()));
                case BURIED -> tube.bury(task);
                case DONE -> tube.ack(take(tube), TaskResult.completed("b"));
                case GONE -> tube.delete(task.id());
                default -> assertThat(task.state().name()).isEqualTo(found.name());
            }
            return task;
        }

        private static Task take(Tube tube) {
            return tube.take(Duration.ZERO).orElseThrow();
        }

        private static void perform(Operation operation, Tube tube, Task task) {
            Duration minute = Duration.ofMinutes(1);
            switch (operation) {
                // No other task is in the tube, so a take finds this one or none
                case TAKE ->
                    tube.take(Duration.ZERO)
                            .ifPresent(taken -> assertThat(taken.id()).isEqualTo(task.id()));
                case ACK -> tube.ack(task);
                case ACK_RESULT -> tube.ack(task, TaskResult.rejected("no"));
                case ACK_ALL -> tube.ackAll(List.of(task));
                case RESULT ->
                    assertThat(tube.result(task.id()).isPresent())
                            .isEqualTo(tube.peek(task.id())
                                    .filter(now -> now.state() == TaskState.DONE)
                                    .isPresent());
                case AWAIT -> assertThat(tube.await(task.id(), Duration.ZERO)).isEqualTo(tube.result(task.id()));
                case WATCH -> {
                    try (TaskWatch watch = tube.watch(task.id())) {
                        assertThat(watch.next(Duration.ZERO))
                                .isEqualTo(tube.peek(task.id()).map(Task::state));
                    }
                }
                case RELEASE -> tube.release(task);
                case RELEASE_DELAY ->
                    tube.release(task, ReleaseOptions.defaults().delay(minute));
                case RELEASE_TTL -> tube.release(task, ReleaseOptions.defaults().ttl(minute));
                case RELEASE_BOTH ->
                    tube.release(task, ReleaseOptions.defaults().ttl(minute).delay(minute));
                case REQUEUE -> tube.requeue(task);
                case TOUCH -> tube.touch(task, minute);
                case HEARTBEAT -> tube.heartbeat(task);
                case BURY -> tube.bury(task);
                case BURY_ID -> tube.bury(task.id());
                case KICK -> assertThat(tube.kick()).isBetween(0L, 1L);
                case DIG -> tube.dig(task.id());
                case DELETE -> tube.delete(task.id());
                case PEEK -> assertThat(tube.peek(task.id())).isEqualTo(tube.peek(task.id()));
                case META ->
                    assertThat(tube.meta(task.id()).isPresent())
                            .isEqualTo(tube.peek(task.id()).isPresent());
                case RELEASE_ALL -> assertThat(tube.releaseAll()).isBetween(0L, 1L);
                case TRUNCATE -> assertThat(tube.truncate()).isBetween(0L, 1L);
            }
        }
    }
}
