package org.tasktube.tube;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.tasktube.Task;

import static org.assertj.core.api.Assertions.assertThat;

/** For whom a task can be put without a claim. */
class TaskReceiversTest {

    private final TaskReceivers receivers = new TaskReceivers();
    private final WaitQueue queue = new WaitQueue();

    private static TaskReceiver receiver() {
        return new TaskReceiver() {
            @Override
            public Optional<Reservation> reserve() {
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
    void a_take_that_is_first_in_line_is_passed_over_by_none() {
        assertThat(queue.isFirstByWakes()).as("nobody waits").isFalse();
        WaitQueue.Waiter bean = queue.receivingWaiter();
        bean.enter();
        WaitQueue.Waiter take = queue.waiter();
        take.enter();
        assertThat(queue.isFirstByWakes()).as("a bean is first").isFalse();
        bean.close();
        assertThat(queue.isFirstByWakes()).as("the take is first").isTrue();
        queue.wake(1);
        assertThat(take.isWoken()).isTrue();
        assertThat(queue.isFirstByWakes()).as("the take has its wake").isFalse();
    }
}
