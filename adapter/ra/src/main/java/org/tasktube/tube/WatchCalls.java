package org.tasktube.tube;

import java.time.Duration;
import java.util.Optional;
import org.tasktube.Task;
import org.tasktube.TaskResult;
import org.tasktube.TaskWatch;
import org.tasktube.session.ClientConnection;

/** The calls that wait for changes of a task. */
final class WatchCalls {

    private final TubeEngine tube;
    private final ClientConnection client;
    private final RefusalReason refusal;

    WatchCalls(TubeEngine tube, ClientConnection client, RefusalReason refusal) {
        this.tube = tube;
        this.client = client;
        this.refusal = refusal;
    }

    Optional<TaskResult> await(long id, Duration timeout) {
        client.checkOpen();
        long end = System.nanoTime() + Deadlines.capped(timeout);
        try (TaskWatch watch = watch(id)) {
            boolean waiting = true;
            while (!watch.isOver() && waiting) {
                client.checkOpen();
                long left = Math.max(0, end - System.nanoTime());
                waiting = watch.next(timeout.isNegative() ? timeout : Duration.ofNanos(left))
                                .isPresent()
                        || left > 0;
            }
            return watch.isOver() ? Optional.of(finalResult(id)) : Optional.empty();
        }
    }

    private TaskResult finalResult(long id) {
        return tube.result(id).orElseThrow(() -> refusal.notFound(id));
    }

    TaskWatch watch(long id) {
        client.checkOpen();
        Watches.Watch watch = tube.runtime().watches().open(id, client);
        client.waits(watch);
        Optional<Task> now = Optional.empty();
        try {
            now = tube.find(id);
        } finally {
            if (now.isEmpty()) {
                watch.close();
            }
        }
        watch.begin(now.orElseThrow(() -> refusal.notFound(id)).state());
        return watch;
    }
}
