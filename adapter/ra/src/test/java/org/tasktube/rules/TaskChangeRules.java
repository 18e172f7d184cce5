package org.tasktube.rules;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.tasktube.OnConflict;
import org.tasktube.Task;
import org.tasktube.TaskChange;
import org.tasktube.TaskChangeListener;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeEvent;
import org.tasktube.testing.Eventually;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Trial.take;
import static org.tasktube.rules.Trial.with;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.TTL;
import static org.tasktube.spi.TubeOption.TTR;

/** Who is told what happens in a tube. */
final class TaskChangeRules implements Chapter {

    @Override
    public String heading() {
        return "Task changes";
    }

    @Override
    public List<Rule> rules() {
        return List.of(
                rule("onTaskChange(callback) returns the former one", this::it_returns_the_former_one),
                rule("called once for each operation, with the task and the kind", this::each_operation_is_told_once),
                rule("called for what happens by itself", this::what_happens_by_itself_is_told)
                        .needs(TTL, TTR, DELAY),
                rule("called after the commit", this::it_is_called_after_the_commit)
                        .only(Mode.IN_JTA, "there is no commit to wait for outside JTA"),
                rule("not called after a rollback", this::it_is_not_called_after_a_rollback)
                        .only(Mode.IN_JTA, "there is nothing to roll back outside JTA"),
                rule("what it throws is logged and changes nothing", this::what_it_throws_changes_nothing));
    }

    /** Notes what it is told. */
    private record Notes(List<TaskChange> changes) implements TaskChangeListener {

        Notes() {
            this(Collections.synchronizedList(new ArrayList<>()));
        }

        @Override
        public void onTaskChange(TaskChange change) {
            changes.add(change);
        }

        List<TubeEvent> events() {
            return List.copyOf(changes).stream().map(TaskChange::event).toList();
        }
    }

    private void it_returns_the_former_one(Trial trial) {
        Notes first = new Notes();
        Notes second = new Notes();
        assertThat(trial.tube().onTaskChange(first)).isEmpty();
        trial.tube().put("a");
        assertThat(trial.another().onTaskChange(second)).containsSame(first);
        trial.tube().put("b");
        assertThat(trial.tube().onTaskChange(null)).containsSame(second);
        trial.tube().put("c");
        assertThat(texts(first)).containsExactly("a");
        assertThat(texts(second)).containsExactly("b");
    }

    private static List<String> texts(Notes notes) {
        return notes.changes().stream()
                .map(change -> change.task().orElseThrow().text())
                .toList();
    }

    private void each_operation_is_told_once(Trial trial) {
        Tube tube = trial.tube();
        Notes notes = new Notes();
        tube.onTaskChange(notes);
        Task put = tube.put("a");
        tube.release(trial.take());
        tube.requeue(trial.take());
        tube.bury(trial.take());
        tube.kick();
        tube.bury(put);
        tube.dig(put.id());
        tube.putUnique("key", "b", with(), OnConflict.KEEP);
        tube.putUnique("key", "b", with(), OnConflict.KEEP);
        tube.put("c", with().asUrgent());
        tube.delete(take(tube).id());
        tube.ack(trial.take());
        tube.ack(trial.take(), TaskResult.completed("fine"));
        tube.take(ZERO);
        tube.truncate();
        assertThat(notes.events())
                .containsExactly(
                        TubeEvent.PUT,
                        TubeEvent.TAKE,
                        TubeEvent.RELEASE,
                        TubeEvent.TAKE,
                        TubeEvent.REQUEUE,
                        TubeEvent.TAKE,
                        TubeEvent.BURY,
                        TubeEvent.KICK,
                        TubeEvent.BURY,
                        TubeEvent.DIG,
                        TubeEvent.PUT,
                        TubeEvent.URGENT,
                        TubeEvent.TAKE,
                        TubeEvent.DELETE,
                        TubeEvent.TAKE,
                        TubeEvent.ACK,
                        TubeEvent.TAKE,
                        TubeEvent.DONE,
                        TubeEvent.TAKE_TIMEOUT,
                        TubeEvent.TRUNCATE);
        assertThat(notes.changes().subList(0, 10)).allSatisfy(change -> {
            assertThat(change.tube()).isEqualTo(tube.name());
            assertThat(change.task().map(Task::id)).contains(put.id());
        });
        assertThat(states(notes.changes().subList(0, 10)))
                .containsExactly(
                        TaskState.READY,
                        TaskState.TAKEN,
                        TaskState.READY,
                        TaskState.TAKEN,
                        TaskState.READY,
                        TaskState.TAKEN,
                        TaskState.BURIED,
                        TaskState.READY,
                        TaskState.BURIED,
                        TaskState.READY);
        assertThat(notes.changes().get(18).task()).isEmpty();
        assertThat(notes.changes().get(19).task()).isEmpty();
    }

    private static List<TaskState> states(List<TaskChange> changes) {
        return changes.stream()
                .map(change -> change.task().orElseThrow().state())
                .toList();
    }

    private void what_happens_by_itself_is_told(Trial trial) {
        Tube tube = trial.tube();
        Notes notes = new Notes();
        tube.onTaskChange(notes);
        Task put = tube.put("a", with().delay(ofMillis(20)).ttr(ofMillis(20)).ttl(ofMillis(300)));
        tube.take(Trial.LONG);
        Eventually.holds(() -> notes.events().contains(TubeEvent.TTL), "its ttl is told");
        assertThat(notes.events())
                .containsExactly(TubeEvent.PUT, TubeEvent.DELAY, TubeEvent.TAKE, TubeEvent.TTR, TubeEvent.TTL);
        assertThat(notes.changes())
                .allMatch(change -> change.task().orElseThrow().id() == put.id());
        assertThat(notes.changes().get(4).task().map(Task::text)).contains("a");
    }

    private void it_is_called_after_the_commit(Trial trial) throws Exception {
        Notes notes = new Notes();
        trial.tube().onTaskChange(notes);
        trial.together(() -> {
            trial.tube().put("a");
            trial.tube().ack(take(trial.tube()));
            assertThat(notes.changes()).isEmpty();
        });
        assertThat(notes.events()).containsExactly(TubeEvent.PUT, TubeEvent.TAKE, TubeEvent.ACK);
    }

    private void it_is_not_called_after_a_rollback(Trial trial) throws Exception {
        Notes notes = new Notes();
        trial.tube().put("a");
        trial.tube().onTaskChange(notes);
        trial.undone(() -> {
            trial.tube().put("b");
            trial.tube().ack(take(trial.tube()));
            trial.tube().truncate();
        });
        assertThat(notes.changes()).isEmpty();
    }

    private void what_it_throws_changes_nothing(Trial trial) {
        trial.tube().onTaskChange(change -> {
            throw new IllegalStateException("thrown on purpose at " + change.event());
        });
        trial.tube().put("a");
        Optional<Task> taken = trial.another().take(ZERO);
        assertThat(taken).isPresent();
        trial.tube().releaseAll();
        trial.tube().ack(trial.take());
        assertThat(trial.tube().statistics().total()).isZero();
        assertThat(trial.tube().statistics().done()).isEqualTo(1);
    }
}
