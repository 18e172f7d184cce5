package org.tasktube.inflow;

import com.arjuna.ats.internal.jta.transaction.arjunacore.BaseTransaction;
import jakarta.transaction.Status;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.Task;
import org.tasktube.ra.Containers;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Jta;
import org.tasktube.testing.LogLines;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(60)
class TransactionTimeoutTest {

    private final Queue<Integer> ofTheThread = new ConcurrentLinkedQueue<>();

    @ParameterizedTest
    @DatabaseSource
    void a_transaction_timeout_is_that_of_the_delivery_and_of_nothing_that_the_bean_begins(TestDatabase kind)
            throws Exception {
        int usual = ((BaseTransaction) Jta.MANAGER).getTimeout();
        try (LogLines log = new LogLines("org.tasktube.inflow");
                RunningAdapter adapter = new RunningAdapter(kind)) {
            Bean bean = new Bean(task -> {
                ofTheThread.add(((BaseTransaction) Jta.MANAGER).getTimeout());
                while (task.attempts() == 1 && Jta.MANAGER.getStatus() == Status.STATUS_ACTIVE) {
                    LockSupport.parkNanos(1_000_000);
                }
            });
            adapter.activate(bean, spec -> spec.setTransactionTimeout("1s"));
            Task task = adapter.tube().put("x");
            adapter.awaitRemoved(task);
            assertThat(log.first("TASKTUBE0201")).contains("attempt 1", "timeout is over");
            assertThat(ofTheThread).hasSize(2).containsOnly(usual);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_server_that_cannot_set_it_and_a_bean_without_transactions_are_refused(TestDatabase kind) {
        try (RunningAdapter adapter = new RunningAdapter(kind)) {
            TaskActivationSpec spec = adapter.spec();
            spec.setTransactionTimeout("5m");
            Bean bean = new Bean(task -> {});
            Activations bare = new Activations(adapter.node(), adapter.threads(), Containers.bare());
            assertThatThrownBy(() -> bare.start(bean, spec))
                    .hasMessageContainingAll("transactionTimeout is '5m'", "leave the property out");
            assertThatThrownBy(() -> adapter.activations().start(bean.withoutTransactions(), spec))
                    .hasMessageContainingAll("transactionTimeout is '5m'", "no transaction");
        }
    }
}
