package org.tasktube.rules;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.spi.DriverRegistration;
import org.tasktube.spi.Position;
import org.tasktube.spi.TubeDriver;
import org.tasktube.spi.TubeDrivers;
import org.tasktube.spi.TubeOption;
import org.tasktube.testing.RunningNode;

import static java.time.Duration.ZERO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Scenario.drain;
import static org.tasktube.rules.Scenario.take;
import static org.tasktube.rules.Scenario.with;

/** What a driver of one's own can do, and what happens when it is broken. */
final class DriverRules extends RuleGroup {

    private static final String ABOUT_DRIVERS = "the rule is about drivers";

    @Override
    String heading() {
        return "Drivers";
    }

    @Override
    List<Rule> rules() {
        return List.of(
                        rule(
                                "The driver decides the order within a pri, here the newest first",
                                this::the_newest_goes_first),
                        rule("Tasks keep the driver's order through release and bury", this::its_order_is_kept),
                        rule(
                                "A driver with the name of an existing type is refused, with an error that names the "
                                        + "type",
                                this::a_name_taken_is_an_error),
                        rule(
                                "A driver with a name that no type can have, or with null, is refused",
                                this::a_bad_answer_is_an_error),
                        rule(
                                "If a driver returns no position, or throws, the put fails and no task is lost",
                                this::a_broken_position_fails_the_put),
                        rule(
                                "Without its driver a put fails with an error that names the type, and the tube keeps "
                                        + "its tasks",
                                this::without_its_driver_a_tube_stands))
                .stream()
                .map(rule -> rule.only(Type.LIFO, ABOUT_DRIVERS))
                .toList();
    }

    private void the_newest_goes_first(Scenario scenario) {
        scenario.tube().put("a");
        scenario.tube().put("b");
        scenario.tube().put("later", with().pri(1));
        scenario.tube().put("c");
        assertThat(drain(scenario.tube())).containsExactly("c", "b", "a", "later");
    }

    private void its_order_is_kept(Scenario scenario) {
        scenario.tube().put("a");
        scenario.tube().put("b");
        Task newest = scenario.take();
        scenario.tube().put("c");
        scenario.tube().release(newest);
        Task buried = scenario.take();
        scenario.tube().bury(buried);
        scenario.tube().kick();
        assertThat(drain(scenario.tube())).containsExactly("c", "b", "a");
    }

    private static TubeDrivers drivers(Scenario scenario) {
        return scenario.connection().unwrap(TubeDrivers.class);
    }

    private void a_name_taken_is_an_error(Scenario scenario) {
        for (Type type : Type.values()) {
            assertThatThrownBy(() -> drivers(scenario).register(new Lifo(type.typeName())))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'" + type + "' already");
        }
        scenario.tube().put("a");
        assertThat(scenario.take().text()).isEqualTo("a");
    }

    private void a_bad_answer_is_an_error(Scenario scenario) {
        for (String name : new String[] {null, "", "1st", "a b", "x".repeat(33)}) {
            assertThatThrownBy(() -> drivers(scenario).register(new Lifo(name)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> drivers(scenario).register(new Broken(RunningNode.newName(), null, Position::last)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("options()");
    }

    /** A driver whose answers are configured. */
    private record Broken(String type, Set<TubeOption> options, Supplier<Position> answer) implements TubeDriver {

        @Override
        public Position position(TaskData data, PutOptions given) {
            return answer.get();
        }
    }

    private static Position refuse() {
        throw new IllegalArgumentException("no position for this one");
    }

    private void a_broken_position_fails_the_put(Scenario scenario) {
        registered(scenario, new Broken(RunningNode.newName(), Set.of(), DriverRules::refuse), tube -> {
            assertThatThrownBy(() -> tube.put("a")).hasMessageContaining("no position for this one");
            assertThat(tube.take(ZERO)).isEmpty();
            assertThat(tube.statistics().total()).isZero();
        });
        AtomicReference<Position> answer = new AtomicReference<>(Position.last());
        registered(scenario, new Broken(RunningNode.newName(), Set.of(), answer::get), tube -> {
            tube.put("a");
            answer.set(null);
            assertThatThrownBy(() -> tube.put("b"))
                    .hasMessageContaining(tube.definition().type())
                    .hasMessageContaining(tube.name());
            assertThatThrownBy(() -> tube.putAll(List.of("b", "c"), with())).hasMessageContaining(tube.name());
            assertThat(drain(tube)).containsExactly("a");
        });
    }

    /** While a driver is registered, with a tube of it. */
    private static void registered(Scenario scenario, TubeDriver driver, Consumer<Tube> step) {
        DriverRegistration registration = drivers(scenario).register(driver);
        try {
            step.accept(of(scenario, driver));
        } finally {
            registration.close();
        }
    }

    private static Tube of(Scenario scenario, TubeDriver driver) {
        TubeDefinition definition = TubeDefinition.of(RunningNode.newName(), driver.type());
        return scenario.connection().createTube(scenario.define().temporary() ? definition.asTemporary() : definition);
    }

    private void without_its_driver_a_tube_stands(Scenario scenario) {
        Lifo driver = new Lifo(RunningNode.newName());
        DriverRegistration registration = drivers(scenario).register(driver);
        Tube tube = of(scenario, driver);
        tube.put("a");
        tube.put("b");
        Task held = take(tube);
        registration.close();
        assertThatThrownBy(() -> tube.put("c"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(driver.type());
        assertThatThrownBy(() -> scenario.connection().createTube(TubeDefinition.of("another", driver.type())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(driver.type());
        assertThat(tube.statistics().total()).isEqualTo(2);
        drivers(scenario).register(driver);
        tube.put("c");
        tube.release(held);
        assertThat(drain(tube)).containsExactly("c", "b", "a");
    }
}
