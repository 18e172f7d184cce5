package org.tasktube.tube;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.tasktube.Task;
import org.tasktube.session.Session;

import static org.assertj.core.api.Assertions.assertThat;

/** For whom a task can be put without a claim. */
class WaitQueueReceiverTest {

    private final WaitQueue queue = new WaitQueue();
    private final TaskReceiver one = receiver();
    private final TaskReceiver other = receiver();

    private static TaskReceiver receiver() {
        return new TaskReceiver() {
            @Override
            public Optional<Session> reserve() {
                return Optional.empty();
            }

            @Override
            public void cancel() {
                throw new AssertionError("nothing was reserved");
            }

            @Override
            public void receive(Task task, long since) {
                throw new AssertionError("nothing was reserved");
            }
        };
    }

    private static WaitQueue.Waiter waiting(WaitQueue.Waiter waiter) throws InterruptedException {
        waiter.enter();
        assertThat(waiter.await(0)).isFalse();
        return waiter;
    }

    @Test
    void the_first_in_line_receives_and_others_take_turns_with_it() throws Exception {
        waiting(queue.waiter(one));
        waiting(queue.waiter(other));
        assertThat(queue.receiver()).contains(one);
        assertThat(queue.receiver()).contains(other);
        assertThat(queue.receiver()).contains(one);
    }

    @Test
    void one_that_looks_does_not_receive() throws Exception {
        assertThat(queue.receiver()).as("nobody waits").isEmpty();
        WaitQueue.Waiter waiter = waiting(queue.waiter(one));
        waiter.enter();
        assertThat(queue.receiver()).as("it looks").isEmpty();
        assertThat(waiter.await(0)).isFalse();
        assertThat(queue.receiver()).contains(one);
        waiter.close();
        assertThat(queue.receiver()).as("it has left").isEmpty();
    }

    @Test
    void nobody_receives_while_a_take_is_first_in_line() throws Exception {
        WaitQueue.Waiter take = waiting(queue.waiter());
        waiting(queue.waiter(one));
        assertThat(queue.receiver()).isEmpty();
        queue.wake(1);
        assertThat(take.isWoken()).isTrue();
        assertThat(queue.receiver()).contains(one);
    }
}
