package org.tasktube.rules;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.tasktube.DriverRegistration;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.spi.Position;
import org.tasktube.spi.TubeDriver;
import org.tasktube.spi.TubeOption;
import org.tasktube.testing.RunningQueue;

import static java.time.Duration.ZERO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Trial.drain;
import static org.tasktube.rules.Trial.take;
import static org.tasktube.rules.Trial.with;

/** What a driver of one's own can do, and what happens when it is broken. */
final class DriverRules implements Chapter {

    private static final String ABOUT_DRIVERS = "it is about a driver of one's own";

    @Override
    public String heading() {
        return "Tube types: a driver that the user registers";
    }

    @Override
    public List<Rule> rules() {
        return List.of(
                        rule("It says the order: the newest first, within its pri", this::the_newest_goes_first),
                        rule("Its order is kept through release and bury", this::its_order_is_kept),
                        rule("A name taken is a clear error", this::a_name_taken_is_an_error),
                        rule(
                                "A name that cannot be a type's, or null, is a clear error",
                                this::a_bad_answer_is_an_error),
                        rule(
                                "One that gives no position, or throws, fails the put and loses nothing",
                                this::a_broken_position_fails_the_put),
                        rule(
                                "One that is not registered any more is a clear error, and its tubes stand with their tasks",
                                this::without_its_driver_a_tube_stands))
                .stream()
                .map(rule -> rule.only(Type.LIFO, ABOUT_DRIVERS))
                .toList();
    }

    private void the_newest_goes_first(Trial trial) {
        trial.tube().put("a");
        trial.tube().put("b");
        trial.tube().put("later", with().pri(1));
        trial.tube().put("c");
        assertThat(drain(trial.tube())).containsExactly("c", "b", "a", "later");
    }

    private void its_order_is_kept(Trial trial) {
        trial.tube().put("a");
        trial.tube().put("b");
        Task newest = trial.take();
        trial.tube().put("c");
        trial.tube().release(newest);
        Task buried = trial.take();
        trial.tube().bury(buried);
        trial.tube().kick();
        assertThat(drain(trial.tube())).containsExactly("c", "b", "a");
    }

    private void a_name_taken_is_an_error(Trial trial) {
        for (Type type : Type.values()) {
            assertThatThrownBy(() -> trial.connection().register(new Lifo(type.typeName())))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'" + type + "' already");
        }
        trial.tube().put("a");
        assertThat(trial.take().text()).isEqualTo("a");
    }

    private void a_bad_answer_is_an_error(Trial trial) {
        for (String name : new String[] {null, "", "1st", "a b", "x".repeat(33)}) {
            assertThatThrownBy(() -> trial.connection().register(new Lifo(name)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> trial.connection().register(new Broken(RunningQueue.newName(), null, Position::last)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("options()");
    }

    /** A driver that answers what it is told to. */
    private record Broken(String type, Set<TubeOption> options, Supplier<Position> answer) implements TubeDriver {

        @Override
        public Position position(TaskData data, PutOptions given) {
            return answer.get();
        }
    }

    private static Position refuse() {
        throw new IllegalArgumentException("no place for this one");
    }

    private void a_broken_position_fails_the_put(Trial trial) {
        registered(trial, new Broken(RunningQueue.newName(), Set.of(), DriverRules::refuse), tube -> {
            assertThatThrownBy(() -> tube.put("a")).hasMessageContaining("no place for this one");
            assertThat(tube.take(ZERO)).isEmpty();
            assertThat(tube.statistics().total()).isZero();
        });
        AtomicReference<Position> answer = new AtomicReference<>(Position.last());
        registered(trial, new Broken(RunningQueue.newName(), Set.of(), answer::get), tube -> {
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
    private static void registered(Trial trial, TubeDriver driver, Consumer<Tube> step) {
        DriverRegistration registration = trial.connection().register(driver);
        try {
            step.accept(of(trial, driver));
        } finally {
            registration.close();
        }
    }

    private static Tube of(Trial trial, TubeDriver driver) {
        TubeDefinition definition = TubeDefinition.of(RunningQueue.newName(), driver.type());
        return trial.connection().createTube(trial.define().temporary() ? definition.asTemporary() : definition);
    }

    private void without_its_driver_a_tube_stands(Trial trial) {
        Lifo driver = new Lifo(RunningQueue.newName());
        DriverRegistration registration = trial.connection().register(driver);
        Tube tube = of(trial, driver);
        tube.put("a");
        tube.put("b");
        Task held = take(tube);
        registration.close();
        assertThatThrownBy(() -> tube.put("c"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(driver.type());
        assertThatThrownBy(() -> trial.connection().createTube(TubeDefinition.of("another", driver.type())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(driver.type());
        assertThat(tube.statistics().total()).isEqualTo(2);
        trial.connection().register(driver);
        tube.put("c");
        tube.release(held);
        assertThat(drain(tube)).containsExactly("c", "b", "a");
    }
}
