package org.tasktube.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.tasktube.TaskData;
import org.tasktube.TaskState;
import org.tasktube.spi.Position;
import org.tasktube.store.NewTask;
import org.tasktube.store.Put;
import org.tasktube.store.Transitioned;

/** Steps that put. */
final class PutSteps {

    private final Scenario scenario;

    PutSteps(Scenario scenario) {
        this.scenario = scenario;
    }

    /** A task to be put, in the words of the model and of a store. */
    private record Fresh(Version version, boolean urgent, NewTask task) {
        @Override
        public String toString() {
            return "data=" + version.data + " headers=" + version.headers + " pri=" + version.pri
                    + (urgent ? " urgent" : "") + " until event "
                    + millis(task.untilEvent()) + " until expiry " + millis(task.untilExpiry()) + " ttr=" + version.ttr
                    + " utube=" + version.utube + " key=" + version.key;
        }

        private static String millis(Optional<Duration> time) {
            return time.map(Duration::toMillis).map(String::valueOf).orElse("-");
        }
    }

    private Fresh fresh(Optional<String> key) {
        boolean timed = scenario.stored().definition().type().endsWith("ttl");
        Version version = new Version();
        version.data = "d" + scenario.dice().nextInt(1000);
        version.headers = headers();
        version.key = key.orElse(null);
        version.created = scenario.model().now();
        version.utube =
                scenario.stored().subQueues() && scenario.chance(85) ? scenario.pick(List.of("a", "b", "c")) : null;
        long delay = timed && scenario.chance(25) ? scenario.pick(15, 50) : 0;
        boolean urgent = delay == 0 && scenario.chance(15);
        version.pri = urgent || !timed ? 0 : (int) scenario.pick(0, 0, 1, 2);
        Long ttl = timed && scenario.chance(50) ? Long.valueOf(scenario.pick(10, 20, 60, 200)) : null;
        // Without a ttr it is the ttl
        version.ttr = timed && scenario.chance(40) ? Long.valueOf(scenario.pick(5, 10, 40)) : ttl;
        version.expires = ttl == null ? null : Long.valueOf(version.created + delay + ttl);
        version.state = delay > 0 ? TaskState.DELAYED : TaskState.READY;
        version.event = delay > 0 ? Long.valueOf(version.created + delay) : version.expires;
        version.waits = true;
        return new Fresh(version, urgent, newTask(version, urgent));
    }

    private Map<String, String> headers() {
        Map<String, String> headers = new LinkedHashMap<>();
        int count = scenario.chance(50) ? 0 : 1 + scenario.dice().nextInt(3);
        for (int i = 0; i < count; i++) {
            String name = scenario.pick(List.of("traceparent", "a.b", "X-1", "_"));
            headers.put(name, scenario.pick(List.of("", "x", "\"\\\n", "\u20ac \ud83d\ude00", "{}")));
        }
        return headers;
    }

    private static NewTask newTask(Version version, boolean urgent) {
        return new NewTask(
                version.state,
                version.pri,
                urgent ? Position.first() : Position.last(),
                Optional.ofNullable(version.event).map(time -> Duration.ofMillis(time - version.created)),
                Optional.ofNullable(version.expires).map(time -> Duration.ofMillis(time - version.created)),
                Optional.ofNullable(version.ttr).map(Duration::ofMillis),
                Optional.ofNullable(version.utube),
                Optional.ofNullable(version.key),
                version.headers,
                TaskData.of(version.data));
    }

    void put() {
        put(List.of(fresh(Optional.empty())));
    }

    void putAll() {
        int count = 2 + scenario.dice().nextInt(3);
        put(IntStream.range(0, count).mapToObj(i -> fresh(Optional.empty())).toList());
    }

    private Put.Outcome put(List<Fresh> tasks) {
        Put put = scenario.store()
                .put(scenario.stored(), tasks.stream().map(Fresh::task).toList());
        check("put " + tasks, put.outcome(), tasks.size());
        if (put.outcome() == Put.Outcome.DONE) {
            recordPut(tasks, put.ids());
        }
        return put.outcome();
    }

    private void check(String what, Put.Outcome outcome, int count) {
        boolean mustFit = scenario.tube().mustFit(count);
        boolean canFit = scenario.tube().canFit(scenario.actor(), count);
        if (mustFit || !canFit || scenario.hasExactCapacity()) {
            scenario.same(what, canFit ? Put.Outcome.DONE : Put.Outcome.FULL, outcome);
        } else {
            scenario.say(what + " → " + outcome);
        }
        requested(count);
    }

    private void requested(int slots) {
        if (scenario.model().isInTransaction(scenario.actor())) {
            scenario.tube().requestSlots(scenario.actor(), slots);
        }
    }

    private void recordPut(List<Fresh> tasks, List<Long> ids) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < tasks.size(); i++) {
            Fresh task = tasks.get(i);
            int number = scenario.model().put(scenario.tube(), task.version, task.urgent, scenario.actor());
            scenario.isPut(number, ids.get(i));
            numbers.add(number);
        }
        scenario.say("  these are " + numbers);
        for (int i = 1; i < ids.size(); i++) {
            if (ids.get(i) <= ids.get(i - 1)) {
                throw new AssertionError("ids do not ascend: " + ids);
            }
        }
    }

    void putUnique() {
        String key = scenario.pick(List.of("k1", "k2"));
        if (scenario.tube().isKeyLocked(key, scenario.actor())) {
            return;
        }
        Fresh task = fresh(Optional.of(key));
        Optional<Integer> there = scenario.model().withKey(scenario.tube(), key, scenario.actor());
        if (there.isEmpty()) {
            put(List.of(task));
            return;
        }
        Put put = scenario.store().put(scenario.stored(), List.of(task.task));
        requested(1);
        scenario.same(
                "put unique " + task,
                "EXISTS " + there.get(),
                put.outcome() + " " + scenario.numbers(put.ids()).get(0));
        if (scenario.chance(50)) {
            replace(there.get(), TaskState.READY, task);
            replace(there.get(), TaskState.DELAYED, task);
        }
    }

    void replace() {
        int number = scenario.anyNumber();
        if (!scenario.model().isLocked(number, scenario.actor())) {
            replace(number, scenario.chance(70) ? TaskState.READY : TaskState.DELAYED, fresh(Optional.empty()));
        }
    }

    private void replace(int number, TaskState from, Fresh task) {
        Version by = task.version;
        Optional<Version> expected = scenario.model()
                .change(scenario.tube(), number, from, scenario.actor(), version -> {
                    version.state = by.state;
                    version.pri = by.pri;
                    version.created = by.created;
                    version.event = by.event;
                    version.expires = by.expires;
                    version.ttr = by.ttr;
                    version.utube = by.utube;
                    version.data = by.data;
                    version.headers = by.headers;
                    version.waits = true;
                });
        Optional<Transitioned> actual =
                scenario.store().replace(scenario.stored(), scenario.id(number), from, task.task);
        scenario.transitioned("replace " + from + " " + number + " by " + task, expected, actual);
    }

    /** As many tasks fit as there are free slots, and no more. */
    void fill() {
        for (ModelTube tube : scenario.model().tubes()) {
            scenario.in(tube);
            while (tube.stored().hasCapacity() && put(List.of(fresh(Optional.empty()))) == Put.Outcome.DONE) {
                scenario.say("one more");
            }
        }
    }
}
