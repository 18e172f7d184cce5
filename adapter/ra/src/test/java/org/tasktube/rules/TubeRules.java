package org.tasktube.rules;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeExistsException;
import org.tasktube.TubeInUseException;
import org.tasktube.TubeNotFoundException;
import org.tasktube.UnsupportedOptionException;
import org.tasktube.spi.TubeOption;
import org.tasktube.testing.RunningQueue;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Trial.LONG;
import static org.tasktube.rules.Trial.get;
import static org.tasktube.rules.Trial.with;
import static org.tasktube.spi.TubeOption.CAPACITY;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.PRI;
import static org.tasktube.spi.TubeOption.TTL;
import static org.tasktube.spi.TubeOption.TTR;
import static org.tasktube.spi.TubeOption.UTUBE;

/** What a tube of each type is, how it comes, and how it goes. */
final class TubeRules implements Chapter {

    private static final Map<TubeOption, PutOptions> OF_PUT = Map.of(
            PRI, with().pri(1),
            TTL, with().ttl(ofMinutes(1)),
            TTR, with().ttr(ofMinutes(1)),
            DELAY, with().delay(ofMinutes(1)),
            UTUBE, with().utube("a"));

    private static final Map<TubeOption, UnaryOperator<TubeDefinition>> OF_TUBE = Map.of(
            PRI, tube -> tube.pri(1),
            TTL, tube -> tube.ttl(ofMinutes(1)),
            TTR, tube -> tube.ttr(ofMinutes(1)),
            DELAY, tube -> tube.delay(ofMinutes(1)),
            CAPACITY, tube -> tube.capacity(1));

    @Override
    public String heading() {
        return "Tube types";
    }

    @Override
    public List<Rule> rules() {
        return List.of(
                rule("Each type has its options: what it has, put and the tube take", this::what_a_type_has_is_taken),
                rule(
                        "An option that the type does not support is an error that names both, never ignored",
                        this::what_a_type_lacks_is_refused_by_name),
                rule(
                        "Any type may be temporary (in memory) or persistent (in the database)",
                        this::a_tube_is_what_it_was_defined_as),
                rule("Tube options set the defaults of put: pri, ttl, ttr, delay", this::tube_options_are_defaults)
                        .needs(PRI, TTL, TTR, DELAY),
                rule(
                        "A tube name is 1 to 32 of [A-Za-z0-9_-], starting with a letter",
                        this::a_name_is_1_to_32_and_starts_with_a_letter),
                rule(
                        "createTube of a name that exists is an error unless ifNotExists, which returns the tube that"
                                + " stands, and is an error when type or options differ",
                        this::a_tube_exists_once),
                rule(
                        "drop refuses while tasks are taken or consumers wait, with seed 000's words",
                        this::drop_refuses_while_tasks_are_taken_or_consumers_wait),
                rule("A dropped tube is gone; one of its name is a new one", this::a_dropped_tube_is_gone));
    }

    private void what_a_type_has_is_taken(Trial trial) {
        OF_PUT.forEach((option, options) -> {
            if (trial.has(option)) {
                assertThat(trial.tube().peek(trial.tube().put("a", options).id()))
                        .as(option.option())
                        .isPresent();
            }
        });
        OF_TUBE.forEach((option, change) -> {
            if (trial.has(option)) {
                assertThat(trial.create(change).definition())
                        .as(option.option())
                        .matches(made -> made.equals(change.apply(made)));
            }
        });
    }

    private void what_a_type_lacks_is_refused_by_name(Trial trial) {
        OF_PUT.forEach((option, options) -> {
            if (!trial.has(option)) {
                refuses(trial, option, trial.tube().name(), () -> trial.tube().put("a", options));
            }
        });
        OF_TUBE.forEach((option, change) -> {
            if (!trial.has(option)) {
                refuses(trial, option, "", () -> trial.create(change));
            }
        });
        trial.tube().put("a");
        Task task = trial.take();
        if (!trial.has(TTR)) {
            refuses(trial, TTR, trial.tube().name(), () -> trial.tube().touch(task, ofSeconds(1)));
            refuses(trial, TTR, trial.tube().name(), () -> trial.tube().heartbeat(task));
        }
        if (!trial.has(DELAY)) {
            ReleaseOptions delayed = ReleaseOptions.defaults().delay(ofSeconds(1));
            refuses(trial, DELAY, trial.tube().name(), () -> trial.tube().release(task, delayed));
        }
        if (!trial.has(TTL)) {
            ReleaseOptions living = ReleaseOptions.defaults().ttl(ofSeconds(1));
            refuses(trial, TTL, trial.tube().name(), () -> trial.tube().release(task, living));
        }
        assertThat(trial.tube().statistics().total()).isEqualTo(1);
        trial.tube().ack(task);
    }

    private static void refuses(Trial trial, TubeOption option, String tube, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOf(UnsupportedOptionException.class)
                .hasMessageContaining(tube)
                .hasMessageContaining("is of type " + trial.type() + ", which has no " + option.option());
    }

    private void a_tube_is_what_it_was_defined_as(Trial trial) {
        TubeDefinition definition = trial.define();
        assertThat(trial.connection().createTube(definition).definition()).isEqualTo(definition);
        assertThat(trial.connection().tubes()).contains(definition);
        assertThat(trial.connect().tube(definition.name()).definition()).isEqualTo(definition);
    }

    private void tube_options_are_defaults(Trial trial) {
        Tube own = trial.create(
                tube -> tube.pri(7).ttl(ofMinutes(9)).ttr(ofMinutes(2)).delay(ofMinutes(3)));
        TaskMeta meta = own.meta(own.put("a").id()).orElseThrow();
        assertThat(meta.pri()).isEqualTo(7);
        assertThat(meta.ttr()).contains(ofMinutes(2));
        assertThat(meta.ttl()).contains(ofMinutes(12));
        assertThat(meta.state()).isEqualTo(TaskState.DELAYED);
        Task given =
                own.put("b", with().pri(1).ttr(ofMinutes(4)).ttl(ofMinutes(5)).delay(ZERO));
        TaskMeta other = own.meta(given.id()).orElseThrow();
        assertThat(other.pri()).isEqualTo(1);
        assertThat(other.ttr()).contains(ofMinutes(4));
        assertThat(other.ttl()).contains(ofMinutes(5));
        assertThat(other.state()).isEqualTo(TaskState.READY);
    }

    private void a_name_is_1_to_32_and_starts_with_a_letter(Trial trial) {
        String unique = RunningQueue.newName();
        String longest = unique + "-" + "_".repeat(31 - unique.length());
        assertThat(trial.connection().createTube(trial.type().define(longest)).name())
                .hasSize(32);
        for (String name : List.of("", "1a", "-a", "_a", "a b", "a.b", "ä", longest + "x")) {
            assertThatThrownBy(() -> trial.connection().createTube(trial.type().define(name)))
                    .as(name)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'" + name + "'");
            assertThatThrownBy(() -> trial.connection().tube(name)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    private void a_tube_exists_once(Trial trial) {
        TubeConnection connection = trial.connection();
        TubeDefinition same = trial.tube().definition();
        Task task = trial.tube().put("a");
        assertThatThrownBy(() -> connection.createTube(same))
                .isInstanceOf(TubeExistsException.class)
                .hasMessageContaining(same.name());
        assertThat(connection.createTubeIfNotExists(same).peek(task.id())).isPresent();
        String otherType = trial.type() == Type.FIFO ? TubeDefinition.FIFOTTL : TubeDefinition.FIFO;
        assertThatThrownBy(() -> connection.createTubeIfNotExists(TubeDefinition.of(same.name(), otherType)))
                .isInstanceOf(TubeExistsException.class)
                .hasMessageContaining(same.name());
        OF_TUBE.forEach((option, change) -> {
            if (trial.has(option)) {
                assertThatThrownBy(() -> connection.createTubeIfNotExists(change.apply(same)))
                        .as(option.option())
                        .isInstanceOf(TubeExistsException.class);
            }
        });
        TubeDefinition fresh = trial.define();
        assertThat(connection.createTubeIfNotExists(fresh).definition()).isEqualTo(fresh);
    }

    private void drop_refuses_while_tasks_are_taken_or_consumers_wait(Trial trial) {
        Tube tube = trial.tube();
        tube.put("a");
        Task task = trial.take();
        assertThatThrownBy(tube::drop)
                .isInstanceOf(TubeInUseException.class)
                .hasMessageContaining("There are taken tasks in the tube");
        tube.ack(task);
        Future<List<Task>> take = trial.later(() -> trial.another().take(1, LONG));
        trial.awaitTakers(1);
        assertThatThrownBy(tube::drop)
                .isInstanceOf(TubeInUseException.class)
                .hasMessageContaining("There are consumers connected the tube");
        tube.put("b");
        assertThat(get(take)).extracting(Task::text).containsExactly("b");
    }

    private void a_dropped_tube_is_gone(Trial trial) {
        Tube tube = trial.tube();
        tube.put("a");
        tube.drop();
        assertThatThrownBy(() -> tube.put("b"))
                .isInstanceOf(TubeNotFoundException.class)
                .hasMessageContaining(tube.name());
        assertThatThrownBy(() -> trial.connection().tube(tube.name())).isInstanceOf(TubeNotFoundException.class);
        Tube again = trial.connection().createTube(tube.definition());
        assertThat(again.take(ZERO)).isEmpty();
        assertThat(again.statistics().total()).isZero();
    }
}
