package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Marks of sub-queues are read some at a time. */
class SubQueueMarksTest {

    private static final int MORE_THAN_AT_ONCE = 1_100;

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_take_finds_what_is_ready_after_many_puts_into_a_busy_sub_queue(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode running = new RunningNode(database)) {
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.UTUBE);
            PutOptions busy = PutOptions.defaults().utube("busy");
            tube.put("held", busy);
            assertThat(tube.take(Duration.ZERO)).isPresent();
            for (int i = 0; i < MORE_THAN_AT_ONCE; i++) {
                tube.put("waits", busy);
            }
            tube.put("free", PutOptions.defaults().utube("free"));
            assertThat(tube.take(Duration.ZERO)).map(Task::text).contains("free");
        }
    }
}
