package org.tasktube.console.rest;

import jakarta.transaction.RollbackException;
import jakarta.transaction.UserTransaction;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tasktube.StoreException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class JtaWorkTest {

    private final List<String> calls = new ArrayList<>();
    private Exception refusal;

    private final JtaWork work = new JtaWork((UserTransaction) Proxy.newProxyInstance(
            JtaWorkTest.class.getClassLoader(), new Class<?>[] {UserTransaction.class}, (self, method, arguments) -> {
                calls.add(method.getName() + (arguments == null ? "" : " " + arguments[0]));
                if (method.getName().equals("commit") && refusal != null) {
                    throw refusal;
                }
                return null;
            }));

    @Test
    void work_is_committed_before_its_result_is_returned() {
        assertThat(work.run(() -> {
                    calls.add("work");
                    return 7;
                }))
                .isEqualTo(7);
        assertThat(calls)
                .containsExactly("setTransactionTimeout 60", "begin", "work", "commit", "setTransactionTimeout 0");
    }

    @Test
    void work_that_throws_is_rolled_back_and_its_own_failure_is_thrown() {
        RuntimeException own = new IllegalStateException("own");
        assertThatThrownBy(() -> work.run(() -> {
                    throw own;
                }))
                .isSameAs(own);
        assertThat(calls)
                .endsWith("begin", "rollback", "setTransactionTimeout 0")
                .doesNotContain("commit");
    }

    @Test
    void a_commit_that_fails_is_a_failure_of_the_database_and_names_the_next_step() {
        refusal = new RollbackException("timeout");
        assertThatThrownBy(() -> work.run(() -> 7))
                .isInstanceOf(StoreException.class)
                .hasMessage("the transaction of the act did not commit: timeout; read its effect, then repeat it");
        assertThat(calls).endsWith("commit", "setTransactionTimeout 0");
    }
}
