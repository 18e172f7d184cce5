package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.tasktube.StoreException;
import org.tasktube.store.Peer;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.Registry;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The end of another server is reported once, whatever becomes of its tasks. */
class DeadServersTest {

    private static final Settings SETTINGS =
            new Settings("own", 1 << 20, Duration.ofSeconds(1), Duration.ofSeconds(10), Duration.ZERO);

    @Test
    void a_server_that_has_stopped_is_reported_although_its_release_fails() throws Exception {
        AtomicBoolean isAway = new AtomicBoolean();
        try (HikariDataSource database = TestDatabase.H2.create();
                OpenStore store = SqlStores.open(
                        HookedDataSource.of(database, statement -> {
                            if (isAway.get()) {
                                throw new StoreException("the database is away", null);
                            }
                        }),
                        true,
                        () -> {})) {
            Registry registry = store.registry();
            int own = registry.registerNode("own");
            registry.leave(registry.registerNode("other"), Duration.ZERO);
            AtomicInteger reports = new AtomicInteger();
            DeadServers dead = new DeadServers(SETTINGS, new MaintenanceEffects(null, null, null, null, null));
            dead.onLeave(reports::incrementAndGet);
            for (int look = 0; look < 3; look++) {
                List<Peer> peers = dead.read(registry);
                assertThat(peers).anyMatch(Peer::dead);
                isAway.set(true);
                assertThatThrownBy(() -> dead.release(registry, own, peers, false))
                        .isInstanceOf(StoreException.class);
                assertThat(reports).hasValue(1);
                isAway.set(false);
            }
        }
    }
}
