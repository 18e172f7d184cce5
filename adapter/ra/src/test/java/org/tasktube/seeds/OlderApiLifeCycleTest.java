package org.tasktube.seeds;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskNotTakenException;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TaskTakenByAnotherException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.TubeStatistics;
import org.tasktube.WrongStateException;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.OnDatabase;
import org.tasktube.testing.TestDatabase;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * "Queue API description", call by call in the order of that document; its words are quoted. Where ours differ, by
 * SEMANTICS.md, the step says so.
 */
class OlderApiLifeCycleTest {

    @Nested
    @OnDatabase(TestDatabase.H2)
    class OnH2 extends Steps {}

    @Nested
    @OnDatabase(TestDatabase.POSTGRESQL)
    class OnPostgreSql extends Steps {}

    abstract static class Steps extends LifeCycle {

        private Tube tube;
        private Tube others;

        @Test
        void the_older_api_call_by_call() throws Exception {
            tube = tube(TubeDefinition.fifottl("older"));
            others = node.tube(other, "older");
            put();
            urgent();
            takeWaits();
            aConnectionDisappears();
            ack();
            release();
            requeue();
            bury();
            done();
            digKickUnbury();
            deleteAndTruncate();
            putUnique();
            statistics();
        }

        // "queue.put(space, tube, delay, ttl, ttr, pri, ...): Returns a tuple, representing the new task"
        private void put() {
            Task put = tube.put(
                    "data",
                    with().delay(ofMinutes(2))
                            .ttl(ofMinutes(1))
                            .ttr(ofMinutes(3))
                            .pri(127));
            assertThat(put.tube()).isEqualTo("older");
            assertThat(put.state()).as("awaiting task delay to expire").isEqualTo(TaskState.DELAYED);
            assertThat(put.text()).isEqualTo("data");
            meta(put);
            tube.delete(put.id());
        }

        // "queue.meta": id, tube, status, event, pri, cid, created, ttl, ttr, cbury, ctaken, now
        private void meta(Task put) {
            TaskMeta meta = tube.meta(put.id()).orElseThrow();
            assertThat(meta.id()).isEqualTo(put.id());
            assertThat(meta.tube()).isEqualTo("older");
            assertThat(meta.state()).isEqualTo(TaskState.DELAYED);
            assertThat(meta.event()).contains(meta.created().plus(ofMinutes(2)));
            assertThat(meta.pri()).isEqualTo(127);
            assertThat(meta.session()).as("cid, only if the task is taken").isEmpty();
            assertThat(meta.ttl())
                    .as("the effective task time to live is increased by the amount of delay")
                    .contains(ofMinutes(3));
            assertThat(meta.ttr()).contains(ofMinutes(3));
            assertThat(meta.buriedCount()).isZero();
            assertThat(meta.takenCount()).isZero();
            assertThat(meta.now()).isAfterOrEqualTo(meta.created());
        }

        // "queue.urgent: The task will get the highest priority. If delay is not zero, the function is equivalent to
        // put"
        private void urgent() {
            tube.put("lower", with().pri(128));
            // There a higher value means higher priority; here, by SEMANTICS.md, a smaller one does
            tube.put("higher", with().pri(0));
            tube.put("urgent", with().asUrgent());
            Task delayed = tube.put("later", with().asUrgent().delay(ofMinutes(1)));
            assertThat(delayed.state()).isEqualTo(TaskState.DELAYED);
            // "take the highest-priority task"
            List<Task> taken = tube.take(10, Duration.ZERO);
            assertThat(taken).extracting(Task::text).containsExactly("urgent", "higher", "lower");
            tube.ackAll(taken);
            tube.delete(delayed.id());
        }

        // "Otherwise, wait for a ready task to appear in the queue, and, as soon as it appears, mark it as taken"
        private void takeWaits() throws Exception {
            assertThat(tube.take(Duration.ZERO))
                    .as("a timeout of 0 returns immediately")
                    .isEmpty();
            assertThat(tube.take(ofMillis(50)))
                    .as("If the task doesn't appear until the timeout expires, return 'nil'")
                    .isEmpty();
            // There a negative timeout waits for ever; here it is an error, and a take without one does
            assertThatThrownBy(() -> tube.take(ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
            CompletableFuture<Task> waiting = waiting(tube::take);
            others.put("appears");
            Task appeared = got(waiting);
            assertThat(appeared.text()).isEqualTo("appears");
            assertThat(state(tube, appeared)).contains(TaskState.TAKEN);
            tube.ack(appeared);
        }

        // "If a connection disappears while the consumer is still working on a task, the task is put back on the ready
        // list"
        private void aConnectionDisappears() {
            tube.put("put back");
            Task held = take(others);
            assertThat(tube.meta(held.id()).orElseThrow().session()).contains(other.id());
            node.close(other);
            assertThat(state(tube, held)).contains(TaskState.READY);
            other = new ClientConnection();
            others = node.tube(other, "older");
            tube.delete(held.id());
        }

        // "this function verifies that: the task is taken, and the consumer that is confirming is the one which took
        // it"
        private void ack() {
            Task put = tube.put("to ack");
            assertThatThrownBy(() -> tube.ack(put)).isInstanceOf(TaskNotTakenException.class);
            Task taken = take(tube);
            assertThatThrownBy(() -> others.ack(taken)).isInstanceOf(TaskTakenByAnotherException.class);
            tube.ack(taken);
            assertThat(tube.peek(taken.id()))
                    .as("On success, delete the task from the queue")
                    .isEmpty();
        }

        // "queue.release(space, id [, delay [, ttl ] ]): a new time to live and re-execution delay can be provided"
        private void release() {
            tube.put("released", with().ttl(ofMinutes(1)));
            tube.put("next");
            tube.release(take(tube));
            Task again = take(tube);
            assertThat(again.text()).isEqualTo("released");
            assertThat(tube.meta(again.id()).orElseThrow().ttl()).contains(ofMinutes(1));
            // There "If ttl is not defined the method won't prolong ttl"; here the delay is added to it, as in put
            tube.release(again, ReleaseOptions.defaults().delay(ofSeconds(1)));
            assertThat(tube.meta(again.id()).orElseThrow().ttl())
                    .contains(ofMinutes(1).plusSeconds(1));
            passes(tube, again, TaskState.DELAYED, TaskState.READY);
            Task third = take(tube);
            assertThat(third.attempts()).isEqualTo(3);
            tube.release(third, ReleaseOptions.defaults().delay(ofMinutes(1)).ttl(ofMinutes(2)));
            TaskMeta meta = tube.meta(third.id()).orElseThrow();
            assertThat(meta.state()).isEqualTo(TaskState.DELAYED);
            assertThat(meta.ttl().orElseThrow())
                    .isBetween(ofMinutes(3), ofMinutes(3).plus(SOON));
            assertThat(tube.truncate()).isEqualTo(2);
        }

        // "Puts the task at the end of the queue, so that it's executed only after all existing tasks are executed"
        private void requeue() {
            tube.put("a");
            tube.put("b");
            tube.requeue(take(tube));
            List<Task> taken = tube.take(2, Duration.ZERO);
            assertThat(taken).extracting(Task::text).containsExactly("b", "a");
            tube.ackAll(taken);
        }

        // "This special status excludes the task from the active list, until it's dug up"
        private void bury() {
            tube.put("buried");
            Task buried = take(tube);
            tube.bury(buried);
            assertThat(tube.take(Duration.ZERO)).isEmpty();
            // "Buried tasks can be monitored by the queue owner"
            assertThat(others.tasks(TaskState.BURIED, 0, 10))
                    .extracting(Task::id)
                    .containsExactly(buried.id());
            assertThat(tube.meta(buried.id()).orElseThrow().buriedCount()).isEqualTo(1);
            tube.delete(buried.id());
        }

        // "queue.done: Mark a task as complete (done), but don't delete it. Replaces task data with the supplied
        // fields"
        private void done() {
            tube.put("question");
            Task taken = take(tube);
            tube.ack(taken, TaskResult.completed("answer"));
            // Here the result stands beside the data, and goes by itself after its ttl
            Task done = tube.peek(taken.id()).orElseThrow();
            assertThat(done.state()).isEqualTo(TaskState.DONE);
            assertThat(done.text()).isEqualTo("question");
            assertThat(tube.result(taken.id()).orElseThrow().data(String.class)).isEqualTo("answer");
            tube.delete(taken.id());
        }

        // "queue.dig", "queue.kick(space, tube [, count])", "queue.unbury: An alias to dig"
        private void digKickUnbury() {
            Task dug = buried("dug");
            tube.dig(dug.id());
            assertThat(state(tube, dug)).contains(TaskState.READY);
            assertThatThrownBy(() -> tube.dig(dug.id()))
                    .as("after checking that the task is buried")
                    .isInstanceOf(WrongStateException.class);
            tube.delete(dug.id());
            buried("one");
            buried("two");
            buried("three");
            assertThat(tube.kick())
                    .as("If count is not given, digs up just one buried task")
                    .isEqualTo(1);
            assertThat(tube.kick(10)).isEqualTo(2);
            assertThat(tube.truncate()).isEqualTo(3);
        }

        private Task buried(String data) {
            Task task = tube.put(data);
            tube.bury(task);
            return task;
        }

        // "Delete a task from the queue (regardless of task state or status)"; "Return the number of deleted tasks"
        private void deleteAndTruncate() {
            tube.put("held");
            Task held = take(tube);
            others.delete(held.id());
            assertThat(tube.peek(held.id())).isEmpty();
            tube.put("ready");
            tube.put("delayed", with().delay(ofMinutes(1)));
            assertThat(tube.truncate()).isEqualTo(2);
        }

        // "queue.put_unique": an index by tube, status and task data; here by the digest of the data, in any state but
        // DONE
        private void putUnique() {
            Task first = tube.putUnique("once");
            assertThat(tube.putUnique("once").id()).isEqualTo(first.id());
            tube.ack(take(tube));
            assertThat(tube.putUnique("once").id()).isGreaterThan(first.id());
            tube.truncate();
        }

        // "Return queue module statistics accumulated since server start"
        private void statistics() {
            TubeStatistics statistics = tube.statistics();
            assertThat(statistics.total()).isZero();
            assertThat(statistics.events())
                    .containsEntry(TubeEvent.URGENT, 1L)
                    .containsEntry(TubeEvent.REQUEUE, 1L)
                    .containsEntry(TubeEvent.DONE, 1L)
                    .containsEntry(TubeEvent.DIG, 1L)
                    .containsEntry(TubeEvent.KICK, 3L)
                    .containsEntry(TubeEvent.BURY, 5L)
                    .containsEntry(TubeEvent.TRUNCATE, 4L);
        }
    }
}
