package org.tasktube.rules;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskMeta;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeExistsException;
import org.tasktube.TubeInUseException;
import org.tasktube.TubeNotFoundException;
import org.tasktube.UnsupportedOptionException;
import org.tasktube.spi.TubeOption;
import org.tasktube.testing.RunningNode;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Scenario.LONG;
import static org.tasktube.rules.Scenario.get;
import static org.tasktube.rules.Scenario.with;
import static org.tasktube.spi.TubeOption.CAPACITY;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.PRI;
import static org.tasktube.spi.TubeOption.TTL;
import static org.tasktube.spi.TubeOption.TTR;
import static org.tasktube.spi.TubeOption.UTUBE;

/** What a tube of each type is, how it comes, and how it goes. */
final class TubeRules extends RuleGroup {

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
    String heading() {
        return "Tube types";
    }

    @Override
    List<Rule> rules() {
        return List.of(
                rule(
                        "The tube's definition and put accept each option that the type has",
                        this::what_a_type_has_is_taken),
                rule(
                        "An option that the type does not have is never ignored: the call fails with an error "
                                + "that names both",
                        this::what_a_type_lacks_is_refused_by_name),
                rule(
                        "A tube of any type can be temporary, in a table without a log, or persistent",
                        this::a_tube_is_what_it_was_defined_as),
                rule("The tube's pri, ttl, ttr and delay are the defaults of put", this::tube_options_are_defaults)
                        .needs(PRI, TTL, TTR, DELAY),
                rule(
                        "The name of a tube is 1 to 32 of `A-Z a-z 0-9 _ -` and begins with a letter",
                        this::a_name_is_1_to_32_and_starts_with_a_letter),
                rule(
                        "createTube fails if the name exists. createTubeIfNotExists returns the existing tube, "
                                + "and fails if its type or options differ",
                        this::a_tube_exists_once),
                rule(
                        "drop fails while tasks are TAKEN or a take waits, with an error that says which",
                        this::drop_refuses_while_tasks_are_taken_or_consumers_wait),
                rule(
                        "A dropped tube is gone. A later tube of its name is a new one",
                        this::a_dropped_tube_does_not_exist),
                rule(
                        "dropForcibly removes a tube with its TAKEN tasks, and waiting takes fail",
                        this::a_tube_can_be_dropped_by_force),
                rule(
                        "findTube(name) returns an empty `Optional` if no tube has the name",
                        this::a_tube_is_found_if_it_is_there),
                rule(
                        "tube(name) fails for an unknown name, with an error that names it",
                        this::an_unknown_tube_is_an_error),
                rule(
                        "A tube of an unknown type fails with an error that names the known types",
                        this::an_unknown_type_is_an_error));
    }

    private void what_a_type_has_is_taken(Scenario scenario) {
        OF_PUT.forEach((option, options) -> {
            if (scenario.has(option)) {
                assertThat(scenario.tube()
                                .peek(scenario.tube().put("a", options).id()))
                        .as(option.option())
                        .isPresent();
            }
        });
        OF_TUBE.forEach((option, change) -> {
            if (scenario.has(option)) {
                assertThat(scenario.create(change).definition())
                        .as(option.option())
                        .matches(made -> made.equals(change.apply(made)));
            }
        });
    }

    private void what_a_type_lacks_is_refused_by_name(Scenario scenario) {
        OF_PUT.forEach((option, options) -> {
            if (!scenario.has(option)) {
                refuses(scenario, option, scenario.tube().name(), () -> scenario.tube()
                        .put("a", options));
            }
        });
        OF_TUBE.forEach((option, change) -> {
            if (!scenario.has(option)) {
                refuses(scenario, option, "", () -> scenario.create(change));
            }
        });
        scenario.tube().put("a");
        Task task = scenario.take();
        if (!scenario.has(TTR)) {
            refuses(scenario, TTR, scenario.tube().name(), () -> scenario.tube().touch(task, ofSeconds(1)));
            refuses(scenario, TTR, scenario.tube().name(), () -> scenario.tube().heartbeat(task));
        }
        if (!scenario.has(DELAY)) {
            ReleaseOptions delayed = ReleaseOptions.defaults().delay(ofSeconds(1));
            refuses(scenario, DELAY, scenario.tube().name(), () -> scenario.tube()
                    .release(task, delayed));
        }
        if (!scenario.has(TTL)) {
            ReleaseOptions living = ReleaseOptions.defaults().ttl(ofSeconds(1));
            refuses(scenario, TTL, scenario.tube().name(), () -> scenario.tube().release(task, living));
        }
        assertThat(scenario.tube().statistics().total()).isEqualTo(1);
        scenario.tube().ack(task);
    }

    private static void refuses(Scenario scenario, TubeOption option, String tube, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOf(UnsupportedOptionException.class)
                .hasMessageContaining(tube)
                .hasMessageContaining("is of type " + scenario.type() + ", which has no " + option.option());
    }

    private void a_tube_is_what_it_was_defined_as(Scenario scenario) {
        TubeDefinition definition = scenario.define();
        assertThat(scenario.connection().createTube(definition).definition()).isEqualTo(definition);
        assertThat(scenario.connection().tubes()).contains(definition);
        assertThat(scenario.connect().tube(definition.name()).definition()).isEqualTo(definition);
    }

    private void tube_options_are_defaults(Scenario scenario) {
        Tube own = scenario.create(
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

    private void a_name_is_1_to_32_and_starts_with_a_letter(Scenario scenario) {
        String unique = RunningNode.newName();
        String longest = unique + "-" + "_".repeat(31 - unique.length());
        assertThat(scenario.connection()
                        .createTube(scenario.type().define(longest))
                        .name())
                .hasSize(32);
        for (String name : List.of("", "1a", "-a", "_a", "a b", "a.b", "ä", longest + "x")) {
            assertThatThrownBy(() ->
                            scenario.connection().createTube(scenario.type().define(name)))
                    .as(name)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'" + name + "'");
            assertThatThrownBy(() -> scenario.connection().tube(name)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    private void a_tube_exists_once(Scenario scenario) {
        TubeConnection connection = scenario.connection();
        TubeDefinition same = scenario.tube().definition();
        Task task = scenario.tube().put("a");
        assertThatThrownBy(() -> connection.createTube(same))
                .isInstanceOf(TubeExistsException.class)
                .hasMessageContaining(same.name());
        assertThat(connection.createTubeIfNotExists(same).peek(task.id())).isPresent();
        String otherType = scenario.type() == Type.FIFO ? TubeDefinition.FIFOTTL : TubeDefinition.FIFO;
        assertThatThrownBy(() -> connection.createTubeIfNotExists(TubeDefinition.of(same.name(), otherType)))
                .isInstanceOf(TubeExistsException.class)
                .hasMessageContaining(same.name());
        OF_TUBE.forEach((option, change) -> {
            if (scenario.has(option)) {
                assertThatThrownBy(() -> connection.createTubeIfNotExists(change.apply(same)))
                        .as(option.option())
                        .isInstanceOf(TubeExistsException.class);
            }
        });
        TubeDefinition fresh = scenario.define();
        assertThat(connection.createTubeIfNotExists(fresh).definition()).isEqualTo(fresh);
    }

    private void drop_refuses_while_tasks_are_taken_or_consumers_wait(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.put("a");
        Task task = scenario.take();
        assertThatThrownBy(tube::drop)
                .isInstanceOf(TubeInUseException.class)
                .hasMessageContaining("There are taken tasks in the tube");
        tube.ack(task);
        Future<List<Task>> take = scenario.later(() -> scenario.another().take(1, LONG));
        scenario.awaitTakers(1);
        assertThatThrownBy(tube::drop)
                .isInstanceOf(TubeInUseException.class)
                .hasMessageContaining("There are consumers connected to the tube");
        tube.put("b");
        assertThat(get(take)).extracting(Task::text).containsExactly("b");
        assertThat(tube.truncate()).isEqualTo(1);
        tube.drop();
        assertThat(scenario.connection().findTube(tube.name())).isEmpty();
    }

    private void a_dropped_tube_does_not_exist(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.put("a");
        tube.drop();
        assertThatThrownBy(() -> tube.put("b"))
                .isInstanceOf(TubeNotFoundException.class)
                .hasMessageContaining(tube.name());
        assertThatThrownBy(() -> scenario.connection().tube(tube.name())).isInstanceOf(TubeNotFoundException.class);
        Tube again = scenario.connection().createTube(tube.definition());
        assertThat(again.take(ZERO)).isEmpty();
        assertThat(again.statistics().total()).isZero();
    }

    private void a_tube_can_be_dropped_by_force(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.put("a");
        Task held = scenario.take();
        Future<List<Task>> take = scenario.later(() -> scenario.another().take(1, LONG));
        scenario.awaitTakers(1);
        tube.dropForcibly();
        assertThatThrownBy(() -> get(take)).isInstanceOf(TubeNotFoundException.class);
        assertThatThrownBy(() -> tube.ack(held))
                .isInstanceOfAny(TubeNotFoundException.class, TaskNotFoundException.class);
        assertThat(scenario.connection().findTube(tube.name())).isEmpty();
    }

    private void an_unknown_tube_is_an_error(Scenario scenario) {
        String unknown = RunningNode.newName();
        assertThatThrownBy(() -> scenario.connection().tube(unknown))
                .isInstanceOf(TubeNotFoundException.class)
                .hasMessageContaining(unknown);
    }

    private void an_unknown_type_is_an_error(Scenario scenario) {
        TubeDefinition unknown = TubeDefinition.of(RunningNode.newName(), "nosuch");
        assertThatThrownBy(() -> scenario.connection().createTube(unknown))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nosuch")
                .hasMessageContaining(scenario.type().toString());
        assertThat(scenario.connection().findTube(unknown.name())).isEmpty();
    }

    private void a_tube_is_found_if_it_is_there(Scenario scenario) {
        TubeConnection connection = scenario.connection();
        assertThat(connection.findTube(scenario.tube().name()).map(Tube::definition))
                .contains(scenario.tube().definition());
        assertThat(connection.findTube(RunningNode.newName())).isEmpty();
        assertThatThrownBy(() -> connection.findTube("no name")).isInstanceOf(IllegalArgumentException.class);
    }
}
