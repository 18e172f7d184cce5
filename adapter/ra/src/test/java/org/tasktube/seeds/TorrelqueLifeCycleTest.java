package org.tasktube.seeds;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.OnDatabase;
import org.tasktube.testing.TestDatabase;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static java.time.temporal.ChronoUnit.MILLIS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * The session of Torrelque's page "Design", line by line, and then the arrows of its diagram that the session leaves
 * out. A delay of its 300 s is one of 300 ms here.
 */
class TorrelqueLifeCycleTest {

    @Nested
    @OnDatabase(TestDatabase.H2)
    class OnH2 extends Steps {}

    @Nested
    @OnDatabase(TestDatabase.POSTGRESQL)
    class OnPostgreSql extends Steps {}

    abstract static class Steps extends LifeCycle {

        @Test
        void the_session_of_the_design_page() {
            // In [2]: queue = torrelque.Torrelque(client, queue='dissect'); "task_timeout equals to 5 minutes"
            Tube queue = tube(TubeDefinition.fifottl("dissect").ttr(ofMinutes(5)));

            // In [3]: await queue.enqueue({'test': 1});  In [4]: await queue.enqueue({'test': 2})
            Task one = queue.put(Map.of("test", 1));
            Task two = queue.put(Map.of("test", 2));
            // LRANGE dissect:pending 0 1
            assertThat(queue.tasks(TaskState.READY, 0, 10)).extracting(Task::id).containsExactly(one.id(), two.id());
            assertThat(meta(queue, one).ttr()).as("timeout 300").contains(ofMinutes(5));

            // In [5]: await queue.dequeue();  Out[5]: ('801915328eea11ea9389b82a72fbafe5', {'test': 1})
            Task dequeued = take(queue);
            assertThat(dequeued.id()).isEqualTo(one.id());
            assertThat(dequeued.text()).isEqualTo("{\"test\":1}");
            // ZRANGE dissect:working 0 0 WITHSCORES; HGETALL dissect:task:…: last_dequeue_time, dequeue_count 1
            TaskMeta working = meta(queue, one);
            assertThat(working.takenCount()).isEqualTo(1);
            // On H2 the two times of a take are read one after the other
            assertThat(working.event().orElseThrow())
                    .isCloseTo(working.takenAt().orElseThrow().plus(ofMinutes(5)), within(1, MILLIS));

            // In [6]: await queue.release('801915328eea11ea9389b82a72fbafe5');  KEYS *: the task is gone
            queue.ack(dequeued);
            assertThat(queue.peek(one.id())).isEmpty();

            // In [7]: await queue.dequeue();  In [8]: await queue.requeue('817a…', delay=300)
            Task second = take(queue);
            assertThat(second.text()).isEqualTo("{\"test\":2}");
            queue.release(second, ReleaseOptions.defaults().delay(ofSeconds(1)));
            assertThat(meta(queue, two).state()).as("dissect:delayed").isEqualTo(TaskState.DELAYED);

            // In [9]: await queue.sweep();  Out[9]: 1.  Here the adapter sweeps by itself
            passes(queue, two, TaskState.DELAYED, TaskState.READY);

            // In [10]: await queue.dequeue();  dequeue_count 2
            Task again = take(queue);
            assertThat(again.text()).isEqualTo("{\"test\":2}");
            assertThat(meta(queue, two).takenCount()).isEqualTo(2);

            // In [11]: await queue.release('817a…', result=42);  status 3, result 42, TTL (integer) 3595
            queue.ack(again, TaskResult.completed(42));
            TaskMeta released = meta(queue, two);
            assertThat(released.state()).isEqualTo(TaskState.DONE);
            assertThat(Duration.between(released.now(), released.event().orElseThrow()))
                    .isBetween(Duration.ofSeconds(3_580), Duration.ofSeconds(3_600));
            TaskResult result = queue.result(two.id()).orElseThrow();
            assertThat(result.outcome()).isEqualTo(TaskResult.Outcome.COMPLETED);
            assertThat(result.data(Integer.class)).isEqualTo(42);
            // KEYS *: nothing pending, nothing working
            assertThat(queue.tasks(TaskState.READY, 0, 10)).isEmpty();
            assertThat(queue.tasks(TaskState.TAKEN, 0, 10)).isEmpty();
        }

        @Test
        @Tag("full")
        void the_other_arrows_of_the_diagram() {
            Tube queue = tube(TubeDefinition.fifottl("arrows"));

            // enqueue with delay → DELAYED, sweep → PENDING
            Task delayed = queue.put("a", with().delay(ofSeconds(1)).ttr(ofSeconds(1)));
            passes(queue, delayed, TaskState.DELAYED, TaskState.READY);

            // WORKING, sweep → PENDING: "determining whether it has become stale"
            take(queue);
            passes(queue, delayed, TaskState.TAKEN, TaskState.READY);

            // WORKING, requeue → PENDING, after all others
            queue.put("b");
            Task a = take(queue);
            queue.requeue(a);
            Task b = take(queue);
            assertThat(b.text()).isEqualTo("b");

            // WORKING, release → REJECTED, and gone when the time of the result is over
            queue.ack(b, TaskResult.rejected("no").ttl(ofSeconds(1)));
            assertThat(queue.result(b.id()).orElseThrow().outcome()).isEqualTo(TaskResult.Outcome.REJECTED);
            Eventually.holds(() -> queue.peek(b.id()).isEmpty(), "the end of the result");
        }

        private static TaskMeta meta(Tube tube, Task task) {
            return tube.meta(task.id()).orElseThrow();
        }
    }
}
