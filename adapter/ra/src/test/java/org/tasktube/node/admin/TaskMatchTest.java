package org.tasktube.node.admin;

import com.zaxxer.hikari.HikariDataSource;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.PutOptions;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.TaskFilter;
import org.tasktube.node.StoreAccess;
import org.tasktube.node.Waiting;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.OrderKey;
import org.tasktube.store.Scan;
import org.tasktube.store.ScannedTask;
import org.tasktube.store.StoredTube;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

class TaskMatchTest {

    /** The data of a range can be gigabytes. */
    @ParameterizedTest
    @EnumSource
    void a_search_by_data_ends_within_a_range_when_its_time_is_over(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode running = new RunningNode(database, "one")) {
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
            tube.putAll(Collections.nCopies(500, "x"), PutOptions.defaults());
            StoreAccess access = Waiting.access(running.node());
            StoredTube stored = access.registry().tube(tube.name()).orElseThrow();
            TaskMatch match = new TaskMatch(TaskFilter.parse("data:x"), List.of(stored), access);
            List<ScannedTask> range = access.tasks(false)
                    .scan(new Scan.InOrder(stored, TaskState.READY, OrderKey.START, 500), match.names())
                    .tasks();

            TaskMatch.Fitting some = match.fitting(range, () -> true);
            assertThat(some.tasks()).isNotEmpty().hasSizeLessThan(500);
            assertThat(some.end()).contains(some.tasks().get(some.tasks().size() - 1));
            assertThat(match.fitting(range, () -> false)).isEqualTo(new TaskMatch.Fitting(range, Optional.empty()));
        }
    }
}
