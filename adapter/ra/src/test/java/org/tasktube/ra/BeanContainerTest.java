package org.tasktube.ra;

import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tasktube.testing.Jta;

import static org.assertj.core.api.Assertions.assertThat;

/** What a delivery asks of the bean's transaction, in those of WildFly's transaction manager. */
class BeanContainerTest {

    private final BeanContainer container = new BeanContainer(
            Jta.REGISTRY, thrown -> Optional.empty(), () -> Optional.of(Jta.MANAGER), Jta.TRANSACTIONS);

    @AfterEach
    void leave() throws SystemException {
        Jta.MANAGER.suspend();
    }

    @Test
    void a_transaction_marked_for_rollback_is_seen() throws Exception {
        Jta.MANAGER.begin();
        assertThat(container.whyNoCommit()).isEmpty();
        container.setRollbackOnly();
        assertThat(container.whyNoCommit().orElseThrow()).contains("setRollbackOnly");
        container.setRollbackOnly();
        Jta.MANAGER.rollback();
    }

    @Test
    void after_the_rollback_by_another_thread_a_delivery_can_go_on_to_its_end() throws Exception {
        Jta.MANAGER.begin();
        var mine = Jta.MANAGER.getTransaction();
        Thread other = new Thread(() -> {
            try {
                mine.rollback();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        other.start();
        other.join();
        assertThat(Jta.MANAGER.getStatus()).isEqualTo(Status.STATUS_ROLLEDBACK);
        assertThat(container.whyNoCommit().orElseThrow()).contains("timeout");
        container.setRollbackOnly();
        Jta.MANAGER.suspend();
    }
}
