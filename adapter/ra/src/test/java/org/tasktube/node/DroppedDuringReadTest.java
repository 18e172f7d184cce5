package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.History;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.TubeChange;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A tube is dropped and created again while this server uses a reading of the former one. */
@Tag("full")
@Timeout(60)
class DroppedDuringReadTest {

    private static final TubeDefinition ORDERS = TubeDefinition.fifo("orders");

    private final ClientConnection connection = new ClientConnection();

    @ParameterizedTest
    @DatabaseSource
    void consumers_of_the_new_tube_get_its_tasks(TestDatabase kind) throws Exception {
        AtomicReference<Runnable> afterRead = new AtomicReference<>(() -> {});
        Thread reader = Thread.currentThread();
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(
                        HookedDataSource.of(database, call -> {
                            if (Thread.currentThread() == reader && call.equals("CLOSE")) {
                                afterRead.getAndSet(() -> {}).run();
                            }
                        }),
                        "one")) {
            one.node().createTube(connection, ORDERS);
            AtomicReference<CompletableFuture<Optional<Task>>> take = new AtomicReference<>();
            afterRead.set(() -> CompletableFuture.runAsync(() -> {
                        one.node().tube(connection, "orders").drop();
                        Tube again = one.node().createTube(connection, ORDERS);
                        take.set(CompletableFuture.supplyAsync(() -> again.take(Duration.ofMinutes(2))));
                        Waiting.forTasks(one.node(), "orders", 1);
                    })
                    .join());
            one.node().admin(connection).tubeDetails();
            one.node().tube(connection, "orders").put("x");
            assertThat(take.get().get(60, TimeUnit.SECONDS).map(Task::text)).contains("x");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_read_that_a_later_one_has_overtaken_does_not_bring_the_tube_back(TestDatabase kind) {
        AtomicReference<Runnable> afterRead = new AtomicReference<>(() -> {});
        Thread reader = Thread.currentThread();
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(
                        HookedDataSource.of(database, call -> {
                            if (Thread.currentThread() == reader && call.equals("CLOSE")) {
                                afterRead.getAndSet(() -> {}).run();
                            }
                        }),
                        "one");
                RunningNode two = new RunningNode(database, "two")) {
            one.node().createTube(connection, ORDERS);
            Runnable read = () -> one.node()
                    .parts()
                    .directory()
                    .read(one.node().parts().access().store());
            afterRead.set(() -> CompletableFuture.runAsync(() -> {
                        two.node().tube(new ClientConnection(), "orders").drop();
                        read.run();
                    })
                    .join());
            read.run();
            assertThat(one.node().knows("orders")).isFalse();
        }
    }

    @Test
    void the_changed_defaults_of_the_former_tube_are_not_those_of_the_new_one() {
        AtomicReference<Runnable> afterRead = new AtomicReference<>(() -> {});
        Thread reader = Thread.currentThread();
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                RunningNode one = new RunningNode(
                        HookedDataSource.of(database, call -> {
                            if (Thread.currentThread() == reader && call.equals("CLOSE")) {
                                afterRead.getAndSet(() -> {}).run();
                            }
                        }),
                        "one")) {
            one.node().createTube(connection, ORDERS);
            one.node().admin(connection).changeTube("orders", TubeChange.NONE.history(History.ALL));
            afterRead.set(() -> CompletableFuture.runAsync(() -> {
                        one.node().tube(connection, "orders").drop();
                        one.node().createTube(connection, ORDERS);
                    })
                    .join());
            one.node().parts().directory().read(one.node().parts().access().store());
            Tube again = one.node().tube(connection, "orders");
            assertThat(again.definition()).isEqualTo(ORDERS);
            assertThat(again.put("x").id()).isPositive();
        }
    }
}
