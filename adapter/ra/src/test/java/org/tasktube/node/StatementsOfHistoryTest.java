package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.History;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.HookedDataSource;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What the history of a tube costs in statements. */
@Timeout(60)
class StatementsOfHistoryTest {

    private static final String HISTORY = "tasktube_history";

    private final Thread test = Thread.currentThread();

    /** The statements of the test's own thread. The maintenance sends others at its own times. */
    private final List<String> sent = new ArrayList<>();

    private void note(String statement) {
        if (Thread.currentThread() == test) {
            sent.add(statement);
        }
    }

    /** Puts, takes and acks one task and three tasks; returns the statements for tasks. */
    private List<String> work(RunningNode one, String type, History history) {
        Tube tube = one.node()
                .createTube(
                        new ClientConnection(),
                        TubeDefinition.of(RunningNode.newName(), type).history(history));
        sent.clear();
        tube.put("a");
        tube.ack(tube.take(Duration.ZERO).orElseThrow());
        tube.putAll(List.of("b", "c", "d"), PutOptions.defaults());
        List<Task> tasks = tube.take(3, Duration.ZERO);
        tube.release(tasks.get(0));
        tube.ackAll(tasks.subList(1, 3));
        tube.truncate();
        return sent.stream().filter(text -> text.contains("tasktube_task")).toList();
    }

    /** What marks sub-queues, or removes all tasks, asks the tube's row whether its history has the move. */
    @ParameterizedTest
    @DatabaseSource
    void without_a_history_no_statement_of_a_plain_tube_has_a_word_of_it_but_a_truncation(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(HookedDataSource.of(database, this::note))) {
            List<String> off = work(one, TubeDefinition.FIFOTTL, History.OFF);
            assertThat(off)
                    .filteredOn(text -> !text.contains("count(*)"))
                    .isNotEmpty()
                    .noneMatch(text -> text.contains(HISTORY));
            assertThat(work(one, TubeDefinition.FIFOTTL, History.FAILURES)).isEqualTo(off);
            assertThat(work(one, TubeDefinition.UTUBETTL, History.FAILURES))
                    .isEqualTo(work(one, TubeDefinition.UTUBETTL, History.OFF));
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_put_is_one_insert_with_a_history_too(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(HookedDataSource.of(database, this::note))) {
            Tube tube = one.node()
                    .createTube(
                            new ClientConnection(),
                            TubeDefinition.fifottl(RunningNode.newName()).history(History.ALL));
            sent.clear();
            tube.put("a");
            assertThat(sent)
                    .filteredOn(text -> text.contains("tasktube"))
                    .singleElement()
                    .asString()
                    .contains("INSERT INTO tasktube_task")
                    .doesNotContain(HISTORY);
        }
    }

    @Test
    void in_postgresql_each_change_adds_its_moves_in_its_own_statement() {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                RunningNode one = new RunningNode(HookedDataSource.of(database, this::note))) {
            List<String> off = work(one, TubeDefinition.FIFOTTL, History.OFF);
            List<String> all = work(one, TubeDefinition.FIFOTTL, History.ALL);
            assertThat(all.stream().filter(text -> text.contains(HISTORY))).isNotEmpty();
            assertThat(all).hasSameSizeAs(off);
        }
    }
}
