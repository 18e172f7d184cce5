package org.tasktube.node;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.tasktube.AdapterState;
import org.tasktube.TaskFailure;
import org.tasktube.TaskTubeException;
import org.tasktube.store.sql.Notices;
import org.tasktube.tube.News;

/**
 * The thread that hears the notices of other servers, on a connection of its own. It has one only while other servers
 * are up. It wakes the waiters that the news are for, and leaves what needs the database to the maintenance thread.
 */
final class NoticeListener implements Runnable {

    /** The longest wait for a text, after which it looks whether it is still wanted. */
    private static final Duration LOOK = Duration.ofMillis(500);

    /** The pause before the next try after a failure. */
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);

    /** The pause before the next try after a text was lost: that will not change soon. */
    static final Duration AFTER_LOSS = Duration.ofMinutes(5);

    private static final Duration ANSWER = Duration.ofSeconds(5);

    private static final Duration END_PATIENCE = Duration.ofSeconds(2);

    private final StoreAccess access;
    private final TubeDirectory directory;
    private final PeerNotices notices;
    private final Runnable poll;
    private final LogThrottle throttle = new LogThrottle();
    private final CountDownLatch toEnd = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean begun;

    /** @param poll reads the modes of tubes and the states of watched tasks, soon and on another thread */
    NoticeListener(StoreAccess access, TubeDirectory directory, PeerNotices notices, Runnable poll) {
        this.access = access;
        this.directory = directory;
        this.notices = notices;
        this.poll = poll;
    }

    void end() {
        toEnd.countDown();
    }

    /** Waits for the end, because the datasource may go away then; but not for long, because the pool may be used up. */
    void awaitEnd() {
        try {
            // A listener that still waits for the pool or the database holds up nothing
            boolean unused = !begun || ended.await(END_PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run() {
        begun = true;
        try {
            while (!awaitEnd(LOOK)) {
                listenIfWanted();
            }
        } catch (InterruptedException e) {
            toEnd.countDown();
        } finally {
            ended.countDown();
        }
    }

    private void listenIfWanted() throws InterruptedException {
        try {
            if (isWanted()) {
                awaitEnd(listen());
            }
        } catch (RuntimeException | Error e) {
            ThreadFailure.after(e, AFTER_FAILURE);
        }
    }

    private boolean awaitEnd(Duration limit) throws InterruptedException {
        return toEnd.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    private boolean isWanted() {
        return access.state() == AdapterState.RUNNING && notices.areWanted();
    }

    /** Listens while it is wanted. Returns the pause before the next try. */
    private Duration listen() {
        try {
            Optional<Notices> from = access.store().notices();
            return from.isPresent() ? listen(from.get()) : AFTER_LOSS;
        } catch (RuntimeException | Error e) {
            String why = e instanceof TaskTubeException ? e.getMessage() : TaskFailure.summary(e);
            if (throttle.isNew(why)) {
                Log.LOG.listensNot(AFTER_FAILURE, why);
            }
            return AFTER_FAILURE;
        } finally {
            notices.listensNoMore();
        }
    }

    private Duration listen(Notices from) {
        try (Notices.Listening listening = from.listen(ANSWER)) {
            notices.listens();
            boolean works = false;
            while (isWanted() && !isEnding()) {
                listening.await(LOOK).forEach(text -> notices.heard(text, this::heard));
                if (notices.areLost()) {
                    return AFTER_LOSS;
                }
                if (!works && notices.work()) {
                    works = true;
                    throttle.forget();
                    // What was told before is not heard
                    poll.run();
                }
            }
            return Duration.ZERO;
        }
    }

    private boolean isEnding() {
        return toEnd.getCount() == 0 || Thread.currentThread().isInterrupted();
    }

    private void heard(int tube, News news) {
        if (news == News.STATE) {
            poll.run();
            return;
        }
        directory.byId(tube).ifPresent(known -> {
            if (news == News.READY) {
                known.runtime().readyElsewhere();
            } else {
                known.runtime().putters().wakeOneForMore();
            }
        });
    }
}
