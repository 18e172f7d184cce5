package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.TaskFailure;
import org.tasktube.TubeDefinition;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.Holder;
import org.tasktube.store.OrderKey;
import org.tasktube.store.StoredTube;
import org.tasktube.testing.Calls;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Each reading of the failures counts each failed task once, while tasks go from one kind and state to another. */
@Timeout(120)
class FailureGroupsBesideOthersTest {

    private static final int TASKS = 60;
    private static final int READINGS = 300;

    @ParameterizedTest
    @EnumSource
    void each_failed_task_is_counted_once_in_each_reading(TestDatabase kind) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(3);
        AtomicBoolean over = new AtomicBoolean();
        try (HikariDataSource database = kind.create();
                OpenStore open = SqlStores.open(database, true, () -> {})) {
            TaskStore store = open.tasks();
            StoredTube tube = open.registry()
                    .createTube(TubeDefinition.fifottl("mails"), false)
                    .orElseThrow();
            for (int i = 0; i < TASKS; i++) {
                store.put(tube, List.of(TaskToPut.of("x").build()));
            }
            while (fail(store, tube, 0, 20) > 0) {
                // Until all have failed
            }
            List<Future<?>> others = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Random random = new Random(i);
                others.add(threads.submit(() -> {
                    while (!over.get()) {
                        Calls.kick(store, tube, 1 + random.nextInt(20));
                        fail(store, tube, random.nextInt(5), 1 + random.nextInt(5));
                    }
                }));
            }
            for (int i = 0; i < READINGS; i++) {
                long all = store.failureGroups(100).stream()
                        .flatMap(group -> group.tasks().values().stream())
                        .mapToLong(tasks -> tasks)
                        .sum();
                assertThat(all).isEqualTo(TASKS);
            }
            over.set(true);
            for (Future<?> other : others) {
                other.get();
            }
        } finally {
            over.set(true);
            threads.shutdownNow();
        }
    }

    private static int fail(TaskStore store, StoredTube tube, int kind, int max) {
        Holder holder = new Holder(UUID.randomUUID(), 1);
        List<ClaimedTask> claimed = store.claim(tube, holder, OrderKey.START, max);
        TaskFailure failure = new TaskFailure("shop.Timeout" + kind, "no answer", "at shop.Mailer.send");
        claimed.forEach(task -> Calls.fail(store, tube, holder, task.task(), failure, Optional.empty()));
        return claimed.size();
    }
}
