package org.tasktube.ra;

import jakarta.transaction.TransactionSynchronizationRegistry;
import java.util.function.Predicate;
import org.tasktube.inflow.Container;

/** The server that beans are called in. */
record BeanContainer(TransactionSynchronizationRegistry registry, Predicate<Throwable> refusal) implements Container {

    @Override
    public boolean isRollbackOnly() {
        return registry.getRollbackOnly();
    }

    @Override
    public void setRollbackOnly() {
        registry.setRollbackOnly();
    }

    @Override
    public boolean isRefusal(Throwable thrown) {
        return refusal.test(thrown);
    }
}
