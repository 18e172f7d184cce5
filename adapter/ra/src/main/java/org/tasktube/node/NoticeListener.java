package org.tasktube.node;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.tasktube.AdapterState;
import org.tasktube.TaskFailure;
import org.tasktube.TaskTubeException;
import org.tasktube.store.Notices;
import org.tasktube.tube.News;

/**
 * The thread that hears the notices of other servers, on a connection of its own. It has one only while other servers
 * are up. It wakes the waiters that the news are for, and asks the database nothing.
 */
final class NoticeListener implements Runnable {

    /** The longest wait for a text, after which it looks whether it is still wanted. */
    private static final Duration LOOK = Duration.ofMillis(500);

    /** The pause before the next try after a failure. */
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);

    /** The pause before the next try after a text was lost: that will not change soon. */
    static final Duration AFTER_LOSS = Duration.ofSeconds(30);

    private static final Duration ANSWER = Duration.ofSeconds(5);

    private final StoreAccess access;
    private final TubeDirectory directory;
    private final PeerNotices notices;
    private final Runnable poll;
    private final LogThrottle throttle = new LogThrottle();
    private final CountDownLatch toEnd = new CountDownLatch(1);

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

    @Override
    public void run() {
        try {
            while (!awaitEnd(LOOK)) {
                if (isWanted()) {
                    awaitEnd(listen());
                }
            }
        } catch (InterruptedException e) {
            toEnd.countDown();
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
