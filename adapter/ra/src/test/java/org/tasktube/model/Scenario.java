package org.tasktube.model;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.tasktube.Task;
import org.tasktube.store.ClaimedTask;
import org.tasktube.store.OrderKey;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transitioned;
import org.tasktube.store.sql.TaskStore;
import org.tasktube.testing.Calls;
import org.tasktube.testing.TestStore;

/** One sequence, done to the model and to a store; ends at the first difference between them. */
final class Scenario {

    private final Environment environment;
    private final Model model;
    private final Map<Integer, Long> ids = new HashMap<>();
    private final Map<Long, Integer> numbers = new HashMap<>();
    private final List<ClaimedTask> claimed = new ArrayList<>();
    private final List<String> log = new ArrayList<>();
    private final PutSteps puts = new PutSteps(this);
    private final TransitionSteps transitions = new TransitionSteps(this);
    private final ReadSteps reads = new ReadSteps(this);

    private int actor;
    private ModelTube tube;
    private Random dice;

    private Scenario(Environment environment, List<StoredTube> tubes) {
        this.environment = environment;
        this.model = new Model(tubes);
    }

    /** What was done, up to the difference, if there is one. */
    static Optional<String> difference(Environment environment, List<StoredTube> tubes, List<Step> steps)
            throws SQLException {
        Scenario scenario = new Scenario(environment, tubes);
        environment.setClock(TestStore.START);
        try {
            scenario.run(steps);
            scenario.run(Step.END);
            return Optional.empty();
        } catch (RuntimeException | AssertionError e) {
            scenario.say("DIFFERENCE " + e);
            return Optional.of(String.join("\n", scenario.log));
        } finally {
            scenario.clear();
        }
    }

    private void run(List<Step> steps) throws SQLException {
        for (Step step : steps) {
            dice = new Random(step.dice());
            tube = model.tubes().get(step.tube());
            as(step.actor());
            int before = log.size();
            perform(step);
            if (log.size() > before) {
                compare();
            }
        }
    }

    private void clear() {
        for (int who = 0; who < Model.ACTORS; who++) {
            if (model.isInTransaction(who)) {
                environment.end(who, false);
            }
        }
        environment.as(0);
        for (ModelTube each : model.tubes()) {
            Calls.truncate(environment.store(), each.stored());
        }
    }

    private void perform(Step step) {
        switch (step.op()) {
            case BEGIN -> begin();
            case COMMIT -> end(true);
            case ROLLBACK -> end(false);
            case ADVANCE -> advance();
            case END_ALL -> endAll();
            case PUT -> puts.put();
            case PUT_UNIQUE -> puts.putUnique();
            case PUT_ALL -> puts.putAll();
            case REPLACE -> puts.replace();
            case FILL -> puts.fill();
            case FIND -> reads.find();
            case FIRST -> reads.first();
            case PAGE -> reads.page();
            case STATES -> reads.states();
            case COUNTS -> reads.counts();
            case TUBES -> reads.tubes();
            case SWEEP -> reads.sweep();
            default -> transitions.perform(step.op());
        }
    }

    // Clock and transactions

    private void advance() {
        long millis = pick(1, 5, 10, 15, 20, 50, 200);
        model.advance(millis);
        environment.setClock(TestStore.START.plusMillis(model.now()));
        say("the clock goes to " + model.now());
    }

    private void begin() {
        if (actor != 0 && !model.isInTransaction(actor)) {
            say("begin");
            model.begin(actor);
            environment.begin(actor);
        }
    }

    private void end(boolean commit) {
        if (model.isInTransaction(actor)) {
            say(commit ? "commit" : "rollback");
            environment.end(actor, commit);
            model.end(actor, commit);
        }
    }

    private void endAll() {
        for (int who = 0; who < Model.ACTORS; who++) {
            as(who);
            end(true);
        }
        as(0);
    }

    // What the parts need

    Model model() {
        return model;
    }

    TaskStore store() {
        return environment.store();
    }

    boolean hasExactCapacity() {
        return environment.hasExactCapacity();
    }

    ModelTube tube() {
        return tube;
    }

    StoredTube stored() {
        return tube.stored();
    }

    int actor() {
        return actor;
    }

    void in(ModelTube which) {
        tube = which;
    }

    void as(int who) {
        actor = who;
        environment.as(who);
    }

    /** As who is never in a transaction, and then as before. */
    void outside(Runnable work) {
        environment.as(0);
        work.run();
        environment.as(actor);
    }

    Random dice() {
        return dice;
    }

    boolean chance(int of100) {
        return dice.nextInt(100) < of100;
    }

    long pick(long... values) {
        return values[dice.nextInt(values.length)];
    }

    <T> T pick(List<T> values) {
        return values.get(dice.nextInt(values.size()));
    }

    /** Takings as the store gave them, by the index that they have in the model. */
    Task claimed(int taking) {
        return claimed.get(taking).task();
    }

    OrderKey keyOf(int taking) {
        return claimed.get(taking).key();
    }

    void claimed(ClaimedTask task) {
        claimed.add(task);
    }

    void isPut(int number, long id) {
        ids.put(number, id);
        Integer before = numbers.put(id, number);
        if (before != null) {
            throw new AssertionError("task " + number + " has the id that task " + before + " had");
        }
    }

    /** The id of a task that was put at some time; of one that never was for a number that is none. */
    long id(int number) {
        return ids.getOrDefault(number, -7L);
    }

    int number(long id) {
        return numbers.getOrDefault(id, Model.NONE);
    }

    List<Integer> numbers(List<Long> of) {
        return of.stream().map(this::number).toList();
    }

    /** A number of a task that was put, here or in the other tube. */
    int anyNumber() {
        return ids.isEmpty() ? 0 : pick(List.copyOf(new TreeMap<>(ids).keySet()));
    }

    // Comparison

    void say(String what) {
        String where = tube == null
                ? ""
                : " " + tube.stored().definition().type() + model.tubes().indexOf(tube);
        log.add("  " + (model.isInTransaction(actor) ? "in transaction " : "session ") + actor + where + ": " + what);
    }

    void same(String what, Object expected, Object actual) {
        say(what + " → " + actual);
        if (!expected.equals(actual)) {
            throw new AssertionError("the model says " + expected + ", the store " + actual);
        }
    }

    void oneOf(String what, Set<?> expected, Object actual) {
        say(what + " → " + actual);
        if (!expected.contains(actual)) {
            throw new AssertionError("the model says one of " + expected + ", the store " + actual);
        }
    }

    /** Whether a transition was applied, and the time until the next deadline of the task. */
    void transitioned(String what, Optional<Version> expected, Optional<Transitioned> actual) {
        same(what, expected.map(task -> "applied " + task.untilEvent(model.now())), actual.map(Scenario::text));
    }

    private static String text(Transitioned applied) {
        return "applied " + applied.untilDeadline().map(Duration::toMillis);
    }

    /** All that the actor sees. */
    private void compare() throws SQLException {
        Map<Integer, String> actual = new TreeMap<>();
        environment
                .contents(model.tubes().stream().map(ModelTube::stored).toList())
                .forEach((id, task) -> actual.put(number(id), task.toString()));
        Map<Integer, String> expected = new TreeMap<>();
        model.tubes()
                .forEach(each -> each.seen(actor).forEach((number, task) -> expected.put(number, task.toString())));
        if (!expected.equals(actual)) {
            Map<Integer, String> unexpected = new TreeMap<>(actual);
            unexpected.entrySet().removeIf(entry -> entry.getValue().equals(expected.get(entry.getKey())));
            expected.entrySet().removeIf(entry -> entry.getValue().equals(actual.get(entry.getKey())));
            throw new AssertionError("then the model has " + expected + ", the store " + unexpected);
        }
    }
}
