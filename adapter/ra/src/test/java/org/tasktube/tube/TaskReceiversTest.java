package org.tasktube.tube;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.tasktube.Task;

import static org.assertj.core.api.Assertions.assertThat;

/** For whom a task can be put without a claim. */
class TaskReceiversTest {

    private final TaskReceivers receivers = new TaskReceivers();
    private final WaitQueue queue = new WaitQueue(() -> {});

    private static TaskReceiver receiver() {
        return new TaskReceiver() {
            @Override
            public Optional<Reservation> reserve() {
                return Optional.empty();
            }

            @Override
            public Optional<Reservation> reserveAhead(int bytes) {
                return Optional.empty();
            }

            @Override
            public void answered() {
                throw new AssertionError("nothing was reserved");
            }

            @Override
            public void commits() {
                // Nothing waits for it
            }

            @Override
            public void cancel() {
                throw new AssertionError("nothing was reserved");
            }

            @Override
            public void receive(Task task, long since, boolean isLate) {
                throw new AssertionError("nothing was reserved");
            }
        };
    }

    @Test
    void several_receivers_take_turns_and_each_is_asked_if_the_others_have_no_thread() {
        TaskReceiver one = receiver();
        TaskReceiver other = receiver();
        assertThat(receivers.isEmpty()).isTrue();
        Runnable removeOne = receivers.add(one);
        receivers.add(other);
        assertThat(receivers.inTurn()).containsExactly(one, other);
        assertThat(receivers.inTurn()).containsExactly(other, one);
        assertThat(receivers.inTurn()).containsExactly(one, other);
        removeOne.run();
        assertThat(receivers.inTurn()).containsExactly(other);
    }

    @Test
    void a_take_that_waits_is_passed_over_by_none() {
        assertThat(queue.hasTakes()).as("nobody waits").isFalse();
        queue.receivingWaiter().enter();
        assertThat(queue.hasTakes()).as("a bean waits").isFalse();
        WaitQueue.Waiter take = queue.waiter();
        take.enter();
        assertThat(queue.hasTakes()).as("a take is second").isTrue();
        queue.wake(2);
        assertThat(take.isWoken()).isTrue();
        assertThat(queue.hasTakes()).as("the take has its wake").isFalse();
    }
}
