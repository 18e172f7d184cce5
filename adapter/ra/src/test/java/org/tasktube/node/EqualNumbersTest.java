package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.PutOptions;
import org.tasktube.TaskData;
import org.tasktube.Tube;
import org.tasktube.admin.Operation;
import org.tasktube.admin.OperationAct;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.admin.TaskPage;
import org.tasktube.session.ClientConnection;
import org.tasktube.spi.Position;
import org.tasktube.spi.TubeDriver;
import org.tasktube.spi.TubeOption;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A driver of an application that gives many tasks the same number. */
@Tag("full")
class EqualNumbersTest {

    private static final int TASKS = 900;
    private static final int PAGE = 100;

    private record ByThree(String type) implements TubeDriver {

        @Override
        public Set<TubeOption> options() {
            return Set.of();
        }

        @Override
        public Position position(TaskData data, PutOptions options) {
            return Position.at(Long.parseLong(data.text()) % 3);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_search_finds_each_task_once_and_an_act_changes_all(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode running = new RunningNode(database, "one")) {
            running.node().register(new ByThree("three"));
            ClientConnection client = new ClientConnection();
            Tube tube = running.newTube(client, "three");
            List<String> numbers =
                    IntStream.range(0, TASKS).mapToObj(Integer::toString).toList();
            tube.putAll(numbers, PutOptions.defaults());
            TaskAdmin admin = running.node().admin(client);
            TaskFilter all = TaskFilter.parse("tube:" + tube.name());

            Set<Long> found = new HashSet<>();
            int rows = 0;
            Optional<String> from = Optional.empty();
            do {
                TaskPage page = admin.search(all, from, PAGE);
                page.tasks().forEach(task -> found.add(task.meta().id()));
                rows += page.tasks().size();
                from = page.next();
            } while (from.isPresent());
            assertThat(found).hasSize(TASKS);
            assertThat(rows).isEqualTo(TASKS);

            long id = OperationStart.of(admin, OperationAct.DELETE, all, "anna", "test")
                    .id();
            Eventually.holds(() -> admin.operation(id).state().isEnded(), "the end of the operation");
            assertThat(admin.operation(id)).extracting(Operation::changed).isEqualTo((long) TASKS);
            assertThat(admin.search(all, Optional.empty(), PAGE).tasks()).isEmpty();
        }
    }
}
