package org.tasktube.queue;

import com.zaxxer.hikari.HikariDataSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.testing.RunningQueue;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What a bean that identifies as the session it is fed by does with its tasks, and what is left for its delivery. */
class FedSessionTest {

    @Test
    void of_tasks_claimed_together_only_the_one_that_a_bean_acked_itself_counts_as_let_go() {
        Client fed = Client.feeding();
        Client bean = new Client();
        try (HikariDataSource database = TestDatabase.H2.create();
                RunningQueue running = new RunningQueue(database)) {
            Queue queue = running.queue();
            Tube tube = running.newTube(bean, TubeDefinition.FIFO);
            tube.putAll(List.of("acked by the bean", "acked for it", "left"), PutOptions.defaults());
            TubeQueue claimed = queue.find(tube.name()).orElseThrow();
            List<Task> tasks = claimed.claimOn(fed, 3);
            queue.identify(bean, fed.id().toString());
            tube.ack(tasks.get(0));
            claimed.ack(fed, tasks.get(1));
            assertThat(tasks).extracting(fed::hasLetGo).containsExactly(true, false, false);
            assertThat(fed.hasLetGo(tasks.get(0))).isFalse();
            assertThat(tube.statistics().taken()).isOne();
        }
    }
}
