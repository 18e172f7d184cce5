package org.tasktube.inflow;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.tasktube.jca.LongRunning;
import org.tasktube.testing.SteppedClock;

import static org.assertj.core.api.Assertions.assertThat;

class ThreadRequestsTest {

    private final SteppedClock clock = new SteppedClock();
    private final ThreadRequests requests = new ThreadRequests(clock);
    private final AtomicBoolean ran = new AtomicBoolean();
    private final LongRunning work = new LongRunning(() -> ran.set(true));

    @Test
    void one_request_is_open_at_a_time() {
        assertThat(requests.mayOpen()).isTrue();
        requests.open(() -> work);
        assertThat(requests.mayOpen()).isFalse();
        requests.granted(new LongRunning(() -> {}));
        assertThat(requests.isOpen())
                .as("the thread of another request has started")
                .isTrue();
        requests.granted(work);
        assertThat(requests.mayOpen()).isTrue();
    }

    @Test
    void a_server_that_gives_no_thread_within_a_second_is_short_of_them() {
        requests.open(() -> work);
        assertThat(requests.isShort()).isFalse();
        assertThat(requests.untilReport()).isEqualTo(ThreadRequests.START_LIMIT.toNanos());
        clock.pass(ThreadRequests.START_LIMIT);
        assertThat(requests.isShort()).isTrue();
        assertThat(requests.report()).contains("none was free for 1s");
        requests.granted(work);
        assertThat(requests.isShort()).isFalse();
    }

    @Test
    void a_shortage_names_the_most_threads_that_were_wanted_until_there_were_enough() {
        requests.wants(3);
        requests.wants(1);
        assertThat(requests.mostWanted()).isEqualTo(3);
        requests.satisfied();
        requests.wants(1);
        assertThat(requests.mostWanted()).isEqualTo(1);
    }

    @Test
    void after_a_refusal_the_server_is_asked_again_a_second_later() {
        requests.open(() -> work);
        requests.refused("it has none");
        assertThat(requests.isShort()).isTrue();
        assertThat(requests.mayOpen()).isFalse();
        assertThat(requests.report()).contains("it has none");
        clock.pass(ThreadRequests.RETRY);
        assertThat(requests.isShort()).isFalse();
        assertThat(requests.mayOpen()).isTrue();
    }

    @Test
    void a_shortage_is_reported_once_and_the_next_one_a_minute_later_at_the_soonest() {
        requests.refused("first");
        assertThat(requests.report()).contains("first");
        assertThat(requests.isReportDue()).isFalse();
        assertThat(requests.report()).isEmpty();

        clock.pass(Duration.ofSeconds(30));
        requests.satisfied();
        requests.refused("second");
        assertThat(requests.isReportDue()).isTrue();
        assertThat(requests.report()).as("half a minute after the first").isEmpty();

        clock.pass(Duration.ofSeconds(30));
        requests.satisfied();
        requests.refused("third");
        assertThat(requests.report()).contains("third");
    }

    @Test
    void cancelled_work_does_not_run() {
        requests.open(() -> work);
        requests.cancel();
        work.run();
        assertThat(ran).isFalse();
    }
}
