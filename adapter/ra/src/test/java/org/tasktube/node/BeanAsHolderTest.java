package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.TaskTakenByAnotherException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.session.CurrentDelivery;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;
import org.tasktube.tube.TubeEngine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What a bean does with its tasks as their holder, and what is left for its delivery. */
class BeanAsHolderTest {

    private final ClientConnection activation = ClientConnection.feeding();
    private final ClientConnection bean = new ClientConnection();

    @ParameterizedTest
    @DatabaseSource
    void of_tasks_claimed_together_only_the_one_that_a_bean_acked_itself_counts_as_finished(TestDatabase kind) {
        with(kind, (running, tube) -> {
            TubeEngine claimed = claimed(running, tube);
            List<Task> tasks = claim(tube, claimed, "acked by the bean", "acked for it", "left");
            running.node().identify(bean, activation.id().toString());
            tube.ack(tasks.get(0));
            claimed.held().ackDelivered(activation.session(), tasks.get(1));
            assertThat(tasks).extracting(activation::wasFinished).containsExactly(true, false, false);
            assertThat(activation.wasFinished(tasks.get(0))).isFalse();
            assertThat(tube.statistics().taken()).isOne();
        });
    }

    @ParameterizedTest
    @DatabaseSource
    void a_bean_acts_as_the_holder_of_the_task_that_is_delivered_to_it_on_any_connection(TestDatabase kind) {
        with(kind, (running, tube) -> {
            TubeEngine claimed = claimed(running, tube);
            List<Task> tasks = claim(tube, claimed, "ack", "result", "all", "release", "requeue", "bury", "stay");

            deliver(claimed, tasks.get(0), tube::ack);
            deliver(claimed, tasks.get(1), task -> tube.ack(task, TaskResult.completed("done")));
            deliver(claimed, tasks.get(2), task -> tube.ackAll(List.of(task)));
            deliver(claimed, tasks.get(3), tube::release);
            deliver(claimed, tasks.get(4), tube::requeue);
            deliver(claimed, tasks.get(5), tube::bury);
            deliver(claimed, tasks.get(6), task -> {
                tube.touch(task, Duration.ofMinutes(1));
                tube.heartbeat(task);
            });

            assertThat(tasks)
                    .extracting(activation::wasFinished)
                    .containsExactly(true, true, true, true, true, true, false);
            assertThat(tube.result(tasks.get(1).id()).orElseThrow().data(String.class))
                    .isEqualTo("done");
            assertThat(tasks)
                    .extracting(task -> tube.peek(task.id()).map(Task::state).orElse(null))
                    .containsExactly(
                            null,
                            TaskState.DONE,
                            null,
                            TaskState.READY,
                            TaskState.READY,
                            TaskState.BURIED,
                            TaskState.TAKEN);
        });
    }

    @ParameterizedTest
    @DatabaseSource
    void it_is_the_holder_of_no_other_task_on_no_other_thread_and_not_afterwards(TestDatabase kind) {
        with(kind, (running, tube) -> {
            TubeEngine claimed = claimed(running, tube);
            List<Task> tasks = claim(tube, claimed, "delivered", "claimed ahead");
            Task delivered = tasks.get(0);

            deliver(claimed, delivered, task -> {
                assertThatThrownBy(() -> tube.ack(tasks.get(1))).isInstanceOf(TaskTakenByAnotherException.class);
                assertThatThrownBy(() -> tube.ackAll(tasks)).isInstanceOf(TaskTakenByAnotherException.class);
                assertThat(CompletableFuture.runAsync(() -> tube.ack(task)))
                        .failsWithin(Duration.ofSeconds(10))
                        .withThrowableThat()
                        .havingCause()
                        .isInstanceOf(TaskTakenByAnotherException.class);
            });
            assertThatThrownBy(() -> tube.ack(delivered)).isInstanceOf(TaskTakenByAnotherException.class);

            assertThat(tube.statistics().taken()).isEqualTo(2);
            assertThat(tasks).extracting(activation::wasFinished).containsExactly(false, false);
        });
    }

    private void with(TestDatabase kind, BiConsumer<RunningNode, Tube> work) {
        try (HikariDataSource database = kind.create();
                RunningNode running = new RunningNode(database)) {
            work.accept(running, running.newTube(bean, TubeDefinition.FIFOTTL));
        }
    }

    private static TubeEngine claimed(RunningNode running, Tube tube) {
        return running.node().find(tube.name()).orElseThrow();
    }

    private List<Task> claim(Tube tube, TubeEngine claimed, String... data) {
        tube.putAll(List.of(data), PutOptions.defaults());
        List<Task> tasks = claimed.claimOn(activation, data.length, Long.MAX_VALUE);
        assertThat(tasks).hasSize(data.length);
        return tasks;
    }

    /** As its delivery does around the bean. */
    private void deliver(TubeEngine tube, Task task, Consumer<Task> work) {
        CurrentDelivery.begin(activation, tube.stored(), List.of(task));
        try {
            work.accept(task);
        } finally {
            CurrentDelivery.end();
        }
    }
}
