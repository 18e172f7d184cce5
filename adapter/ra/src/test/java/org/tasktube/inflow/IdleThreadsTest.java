package org.tasktube.inflow;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.PutOptions;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The threads of a bean that wait for tasks cost nothing while others work. */
@Timeout(60)
class IdleThreadsTest {

    private static final int SESSIONS = 8;
    private static final int TASKS = 100;

    private final Set<Long> threads = ConcurrentHashMap.newKeySet();
    private final CountDownLatch allWork = new CountDownLatch(SESSIONS);
    private final Semaphore worked = new Semaphore(0);

    /** A bean whose first deliveries wait for each other, so that all its threads exist. */
    private Bean bean() {
        return new Bean(task -> {
            threads.add(Thread.currentThread().getId());
            allWork.countDown();
            allWork.await();
            worked.release();
        });
    }

    private long waits() {
        long[] ids = threads.stream().mapToLong(Long::longValue).toArray();
        return Stream.of(ManagementFactory.getThreadMXBean().getThreadInfo(ids))
                .flatMap(Stream::ofNullable)
                .mapToLong(ThreadInfo::getWaitedCount)
                .sum();
    }

    @ParameterizedTest
    @DatabaseSource
    void one_task_wakes_one_idle_thread(TestDatabase kind) throws Exception {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            adapter.activate(bean(), spec -> spec.setMaxSession(String.valueOf(SESSIONS)));
            adapter.tube().putAll(Collections.nCopies(SESSIONS, "x"), PutOptions.defaults());
            worked.acquire(SESSIONS);
            assertThat(threads).hasSize(SESSIONS);
            long before = waits();
            for (int i = 0; i < TASKS; i++) {
                adapter.tube().put("x");
                worked.acquire();
            }
            assertThat(waits() - before)
                    .as("the waits of %d threads for %d tasks", SESSIONS, TASKS)
                    .isLessThan(SESSIONS * TASKS / 2);
        }
    }
}
