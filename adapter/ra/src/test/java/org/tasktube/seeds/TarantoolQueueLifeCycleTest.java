package org.tasktube.seeds;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.AdapterState;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskChange;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.TubeStatistics;
import org.tasktube.UnsupportedOptionException;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.OnDatabase;
import org.tasktube.testing.TestDatabase;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The examples of the README of tarantool/queue, and each arrow of its task diagram. */
class TarantoolQueueLifeCycleTest {

    @Nested
    @OnDatabase(TestDatabase.H2)
    class OnH2 extends Steps {}

    @Nested
    @OnDatabase(TestDatabase.POSTGRESQL)
    class OnPostgreSql extends Steps {}

    abstract static class Steps extends LifeCycle {

        // queue.create_tube('tube_name', 'fifo', {temporary = true, on_task_change = otc_cb}) and two puts:
        // "the otc_cb function will be called 2 times, on each task completion"
        @Test
        void a_callback_that_logs_completions() {
            Tube tube = tube(TubeDefinition.fifo("with_callback").asTemporary());
            List<TaskChange> done = new CopyOnWriteArrayList<>();
            Optional<?> before = tube.onTaskChange(change -> {
                if (change.event() == TubeEvent.ACK) {
                    done.add(change);
                }
            });
            assertThat(before).as("Previously set callback is returned").isEmpty();
            tube.put("my_task_data_1");
            tube.put("my_task_data_2");
            tube.ack(take(tube));
            tube.ack(take(tube));
            assertThat(done)
                    .extracting(change -> change.task().orElseThrow().text())
                    .containsExactly("my_task_data_1", "my_task_data_2");
        }

        // put('my_task_data', { ttl = 60.1, delay = 80 }): "the task actually will exist for up to (60.1 + 80) 140.1
        // seconds"
        @Test
        void a_delay_is_added_to_the_ttl() {
            Tube tube = tube(TubeDefinition.fifottl("tube_name").asTemporary());
            Task task = tube.put("my_task_data", with().ttl(ofMillis(60_100)).delay(ofSeconds(80)));
            assertThat(task.state()).isEqualTo(TaskState.DELAYED);
            assertThat(tube.meta(task.id()).orElseThrow().ttl()).contains(ofMillis(140_100));
        }

        // "limfifottl": "if timeout is not specified or time is up, and queue has no space, method return Nil"
        @Test
        void a_full_tube_answers_nil() throws Exception {
            Tube tube = tube(TubeDefinition.limfifottl("limited", 1));
            assertThat(tube.put("first", with(), ZERO)).isPresent();
            assertThat(tube.put("second", with(), ZERO)).isEmpty();
            assertThat(tube.put("second", with(), ofMillis(50))).isEmpty();
            CompletableFuture<Optional<Task>> waits = waiting(() -> tube.put("second", with(), SOON));
            tube.ack(take(tube));
            assertThat(got(waits)).isPresent();
        }

        // "Imagine a web crawler": "If the URL's domain name is used as a sub-queue name"
        @Test
        void a_web_crawler_fetches_one_page_a_domain_at_a_time() {
            Tube crawler = tube(TubeDefinition.utube("crawler"));
            crawler.put("a.example/1", with().utube("a.example"));
            crawler.put("a.example/2", with().utube("a.example"));
            crawler.put("b.example/1", with().utube("b.example"));
            List<Task> fetching = crawler.take(10, ZERO);
            assertThat(fetching).extracting(Task::text).containsExactly("a.example/1", "b.example/1");
            assertThat(crawler.take(ZERO)).isEmpty();
            crawler.ack(fetching.get(0));
            assertThat(take(crawler).text()).isEqualTo("a.example/2");
        }

        // queue.create_tube('list_of_sites', 'fifo', {temporary = true}), and the example of each call, in their order
        @Test
        void list_of_sites() throws Exception {
            Tube fifo = tube(TubeDefinition.fifo("list_of_sites"));
            // The README puts {pri=2} into that fifo tube, which has no priorities: here that is an error
            assertThatThrownBy(() -> fifo.put("Your task is to do something", with().pri(2)))
                    .isInstanceOf(UnsupportedOptionException.class);
            fifo.drop();
            Tube tube = tube(TubeDefinition.fifottl("list_of_sites").ttr(ofMinutes(5)));
            Task put = tube.put("Your task is to do something", with().pri(2));
            assertThat(put.state()).isEqualTo(TaskState.READY);
            // t_value = queue.tube.list_of_sites:take(15)
            Task value = tube.take(ofSeconds(15)).orElseThrow();
            assertThat(value).extracting(Task::id, Task::text).containsExactly(put.id(), put.text());
            // touch(15, 60)
            tube.touch(value, ofSeconds(60));
            assertThat(timeToRun(tube, value)).isCloseTo(ofMinutes(6), ofMillis(1));
            // release(15, {delay=10}); "the task cannot be executed again for 10 seconds"
            tube.release(value, ReleaseOptions.defaults().delay(ofSeconds(1)));
            assertThat(tube.take(ZERO)).isEmpty();
            passes(tube, value, TaskState.DELAYED, TaskState.READY);
            // peek(15): "Look at a task without changing its state"
            assertThat(state(tube, value)).contains(TaskState.READY);
            // bury(15); kick(99): "this will change up to 99 buried tasks"
            tube.bury(value);
            assertThat(state(tube, value)).contains(TaskState.BURIED);
            assertThat(tube.kick(99)).isEqualTo(1);
            // release_all(): "Forcibly returns all taken tasks to a ready state"
            take(tube);
            assertThat(node.tube(other, "list_of_sites").releaseAll()).isEqualTo(1);
            // ack(15)
            tube.ack(take(tube));
            assertThat(tube.peek(value.id())).isEmpty();
            // delete(15): "the current state of task_state is not checked"
            Task another = tube.put("another");
            take(tube);
            tube.delete(another.id());
            // drop(): "Reverse the effect of a create request"
            tube.drop();
            tube(TubeDefinition.fifo("list_of_sites")).drop();
        }

        private static Duration timeToRun(Tube tube, Task task) {
            TaskMeta meta = tube.meta(task.id()).orElseThrow();
            return Duration.between(meta.takenAt().orElseThrow(), meta.event().orElseThrow());
        }

        // queue.statistics('list_of_sites'): done 2; ack 1, take 1, kick 1, bury 1, put 2, delete 1
        @Test
        void statistics_of_the_example() {
            Tube tube = tube(TubeDefinition.fifo("statistics"));
            tube.put("one");
            tube.put("two");
            tube.ack(take(tube));
            Task two = tube.peekReady().orElseThrow();
            tube.bury(two);
            tube.kick(99);
            tube.delete(two.id());
            TubeStatistics statistics = tube.statistics();
            assertThat(List.of(
                            statistics.taken(),
                            statistics.buried(),
                            statistics.ready(),
                            statistics.endedSinceStart(),
                            statistics.delayed(),
                            statistics.total()))
                    .containsExactly(0L, 0L, 0L, 2L, 0L, 0L);
            assertThat(statistics.events())
                    .containsAllEntriesOf(Map.of(
                            TubeEvent.ACK, 1L,
                            TubeEvent.TAKE, 1L,
                            TubeEvent.KICK, 1L,
                            TubeEvent.BURY, 1L,
                            TubeEvent.PUT, 2L,
                            TubeEvent.DELETE, 1L));
        }

        // local session_uuid = conn:call('queue.identify'); conn:on_connect(… conn:call('queue.identify',
        // {session_uuid}))
        @Test
        void a_task_is_acked_after_a_reconnect() {
            Tube tube = tube(TubeDefinition.fifo("reconnect"));
            tube.put("not to be retried");
            String session = node.identify(client).toString();
            Task taken = take(tube);
            node.close(client);
            ClientConnection again = new ClientConnection();
            node.identify(again, session);
            Tube reconnected = node.tube(again, "reconnect");
            reconnected.ack(taken);
            assertThat(reconnected.peek(taken.id())).isEmpty();
            node.close(again);
        }

        // tarantool> queue.state()  - RUNNING
        @Test
        void the_state_of_the_queue() {
            assertThat(node.state()).isEqualTo(AdapterState.RUNNING);
        }

        // "Task state diagram"
        @Test
        @Tag("full")
        void each_arrow_of_the_task_diagram() {
            Tube tube = tube(TubeDefinition.fifottl("diagram"));
            ReleaseOptions later = ReleaseOptions.defaults().delay(ofSeconds(1));

            Task task = tube.put("a", with().delay(ofSeconds(1)).ttr(ofSeconds(1)));
            passes(tube, task, TaskState.DELAYED, TaskState.READY);
            take(tube);
            // "ttr timeout"
            passes(tube, task, TaskState.TAKEN, TaskState.READY);
            tube.release(take(tube));
            assertThat(state(tube, task)).contains(TaskState.READY);
            tube.release(take(tube), later);
            passes(tube, task, TaskState.DELAYED, TaskState.READY);
            tube.bury(take(tube));
            assertThat(tube.kick(1)).isEqualTo(1);
            tube.bury(tube.peekReady().orElseThrow());
            // BURIED → delete(); TAKEN → ack(), delete(); READY → delete(); DELAYED → delete()
            tube.delete(task.id());
            tube.put("b");
            tube.ack(take(tube));
            tube.put("c");
            tube.delete(take(tube).id());
            tube.delete(tube.put("d").id());
            tube.delete(tube.put("e", with().delay(ofMinutes(1))).id());
            // READY, BURIED → "ttl timeout" → DONE
            Task ready = tube.put("f", with().ttl(ofSeconds(1)));
            passes(tube, ready, TaskState.READY, TaskState.DONE);
            Task buried = tube.put("g", with().ttl(ofSeconds(1)));
            tube.bury(buried);
            passes(tube, buried, TaskState.BURIED, TaskState.DONE);
            assertThat(tube.statistics().total()).isZero();
        }
    }
}
