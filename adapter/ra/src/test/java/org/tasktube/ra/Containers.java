package org.tasktube.ra;

import java.util.Optional;
import java.util.function.Predicate;
import org.tasktube.inflow.Container;
import org.tasktube.inflow.Refusal;
import org.tasktube.testing.Jta;

/** The adapter's own view of a container, over the tests' transactions. */
public final class Containers {

    private Containers() {}

    /** One whose pool of beans refuses what the predicate says. */
    public static Container refusing(Predicate<Throwable> noInstance) {
        return new BeanContainer(
                Jta.REGISTRY,
                thrown -> noInstance.test(thrown) ? Optional.of(Refusal.NO_INSTANCE) : Optional.empty(),
                () -> Optional.of(Jta.MANAGER),
                Jta.TRANSACTIONS);
    }

    /** One that offers no transaction manager. */
    public static Container bare() {
        return new BeanContainer(Jta.REGISTRY, thrown -> Optional.empty(), Optional::empty, Jta.TRANSACTIONS);
    }
}
