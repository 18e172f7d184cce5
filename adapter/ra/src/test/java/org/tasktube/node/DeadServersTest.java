package org.tasktube.node;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.tasktube.StoreException;
import org.tasktube.store.Peer;
import org.tasktube.store.Registry;
import org.tasktube.testing.Proxies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The end of another server is reported once, whatever becomes of its tasks. */
class DeadServersTest {

    private static final Settings SETTINGS =
            new Settings("own", 1 << 20, Duration.ofSeconds(1), Duration.ofSeconds(10), Duration.ZERO);

    @Test
    void a_server_that_has_stopped_is_reported_although_its_release_fails() {
        Registry registry = Proxies.of(Registry.class, (method, arguments) -> {
            if (method.getName().equals("peers")) {
                return List.of(new Peer(2, "other", Instant.EPOCH, false, true));
            }
            throw new StoreException("the database is away", null);
        });
        AtomicInteger reports = new AtomicInteger();
        DeadServers dead = new DeadServers(SETTINGS, new MaintenanceEffects(null, null, null, null, null));
        dead.onLeave(reports::incrementAndGet);
        for (int look = 0; look < 3; look++) {
            assertThatThrownBy(() -> dead.release(registry, 1, dead.read(registry), false))
                    .isInstanceOf(StoreException.class);
            assertThat(reports).hasValue(1);
        }
    }
}
