package org.tasktube.tube;

import com.zaxxer.hikari.HikariDataSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskChange;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeEvent;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The holder's operations that no application can call. */
class HeldTasksTest {

    @Test
    void listeners_get_a_task_that_was_not_begun_as_it_was_before_its_take() {
        try (HikariDataSource database = TestDatabase.H2.create();
                RunningNode running = new RunningNode(database)) {
            Tube tube = running.withTemporary().newTube(new ClientConnection(), TubeDefinition.FIFO);
            Task put = tube.put("x", PutOptions.defaults().header("a", "1"));
            List<TaskChange> changes = new ArrayList<>();
            ClientConnection bean = ClientConnection.feeding();
            TubeEngine engine = running.node().find(tube.name()).orElseThrow();
            List<Task> claimed = engine.claimOn(bean, 1, Long.MAX_VALUE);
            tube.onTaskChange(changes::add);
            engine.held().returnUnstarted(bean.session(), claimed);
            assertThat(changes).extracting(TaskChange::event).containsExactly(TubeEvent.RELEASE);
            Task returned = changes.get(0).task().orElseThrow();
            assertThat(returned).isEqualTo(put);
            assertThat(returned.headers()).isEqualTo(Map.of("a", "1"));
        }
    }
}
