package org.tasktube.seeds;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskNotTakenException;
import org.tasktube.TaskState;
import org.tasktube.TaskTakenByAnotherException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeStatistics;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.OnDatabase;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The console sessions of "How to build a high-performance application on Tarantool from scratch", in their order. */
class QueueFromScratchLifeCycleTest {

    @Nested
    @OnDatabase(TestDatabase.H2)
    class OnH2 extends Steps {}

    @Nested
    @OnDatabase(TestDatabase.POSTGRESQL)
    class OnPostgreSql extends Steps {}

    abstract static class Steps extends LifeCycle {

        private Tube tube;

        @Test
        void the_queue_of_the_article_step_by_step() throws Exception {
            tube = tube(TubeDefinition.fifottl("queue"));
            dataOfAnyKind();
            allFourFunctions();
            takeIsWokenByPut();
            anOwnerOfEachTask();
            autoreleaseByDisconnect();
            delayedTasks();
            stats();
        }

        // tube.put("hello"), tube.put("my","data",1,2,3), tube.put({ complex = { struct = "data" }})
        private void dataOfAnyKind() {
            tube.put("hello");
            tube.put(List.of("my", "data", 1, 2, 3));
            tube.put(Map.of("complex", Map.of("struct", "data")));
            assertThat(tube.tasks(TaskState.READY, 0, 10))
                    .extracting(Task::text)
                    .containsExactly("hello", "[\"my\",\"data\",1,2,3]", "{\"complex\":{\"struct\":\"data\"}}");
            tube.truncate();
            // "we'll put one task and call take twice"
            Task put = tube.put("my");
            assertThat(take(tube).id()).isEqualTo(put.id());
            assertThat(tube.take(ZERO)).isEmpty();
            assertThat(state(tube, put)).contains(TaskState.TAKEN);
            tube.truncate();
        }

        // "We will put two tasks and take the first of them, then releasing them"
        private void allFourFunctions() {
            tube.put("task 1");
            tube.put("task 2");
            Task first = take(tube);
            assertThat(first.text()).isEqualTo("task 1");
            tube.release(first);
            Task again = take(tube);
            assertThat(again.text()).isEqualTo("task 1");
            tube.ack(again);
            Task second = take(tube);
            assertThat(second.text()).isEqualTo("task 2");
            tube.ack(second);
            assertThat(tube.take(ZERO)).isEmpty();
        }

        // tube.take(3): "We create a task in 0.1 sec. and take instantly wakes up and receives it"
        private void takeIsWokenByPut() throws Exception {
            CompletableFuture<Task> waits = waiting(() -> tube.take(SOON).orElseThrow());
            tube.put("task 4");
            Task got = got(waits);
            assertThat(got.text()).isEqualTo("task 4");
            tube.ack(got);
        }

        // "Task {%s} was not found", "Task %s not taken by anybody", "Task %s taken by %d. Not you (%d)"
        private void anOwnerOfEachTask() {
            Task put = tube.put("hi");
            assertThatThrownBy(() -> tube.ack(put))
                    .isInstanceOf(TaskNotTakenException.class)
                    .hasMessageContaining("not taken by anybody");
            Task taken = take(tube);
            assertThatThrownBy(() -> node.tube(other, "queue").release(taken))
                    .isInstanceOf(TaskTakenByAnotherException.class)
                    .hasMessageContaining("is taken by " + client.id())
                    .hasMessageContaining("not you (" + other.id() + ")");
            tube.ack(taken);
            assertThatThrownBy(() -> tube.release(taken))
                    .isInstanceOf(TaskNotFoundException.class)
                    .hasMessageContaining("was not found");
        }

        // "Autorelease %s by disconnect"; "this session may contain some tasks awaiting to be take-n"
        private void autoreleaseByDisconnect() throws Exception {
            ClientConnection leaving = new ClientConnection();
            Tube leavings = node.tube(leaving, "queue");
            tube.put("hi");
            Task taken = take(leavings);
            CompletableFuture<Task> waits = waiting(leavings::take);
            node.close(leaving);
            assertThat(waits).failsWithin(SOON);
            assertThat(take(tube).id()).isEqualTo(taken.id());
            tube.truncate();
        }

        // tube.put(data, {delay}), tube.release(id, {delay}): W, and "Runat: W->R"
        private void delayedTasks() throws Exception {
            Task put = tube.put("later", with().delay(ofSeconds(1)));
            // "Call take, make sure that there are no ready tasks. Call it again with a timeout"
            assertThat(tube.take(ZERO)).isEmpty();
            Task taken = tube.take(SOON).orElseThrow();
            assertThat(taken.id()).isEqualTo(put.id());
            tube.release(taken, ReleaseOptions.defaults().delay(ofSeconds(1)));
            passes(tube, put, TaskState.DELAYED, TaskState.READY);
            tube.truncate();
        }

        // queue.stats(): ready, waiting, taken, total
        private void stats() {
            tube.put("ready");
            tube.put("taken");
            tube.put("waiting", with().delay(ofMinutes(1)));
            take(tube);
            TubeStatistics stats = tube.statistics();
            assertThat(List.of(stats.ready(), stats.delayed(), stats.taken(), stats.total()))
                    .containsExactly(1L, 1L, 1L, 3L);
        }

        // "Autoreleased %s at start"
        @Test
        void the_database_starts_releasing_all_the_tasks_taken() throws Exception {
            RunningNode before = new RunningNode(database, "restarted");
            Tube tube = before.newTube(new ClientConnection(), TubeDefinition.FIFO);
            tube.put("hi");
            Task taken = take(tube);
            before.kill();
            try (RunningNode after = new RunningNode(database, "restarted")) {
                Tube again = after.node().tube(new ClientConnection(), tube.name());
                Eventually.holds(() -> state(again, taken).equals(Optional.of(TaskState.READY)), "released");
            }
        }
    }
}
