package org.tasktube.model;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.tasktube.TubeDefinition;
import org.tasktube.itest.watchdog.FullRun;
import org.tasktube.store.StoredTube;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.fail;

/**
 * Random sequences of all that a store can do, by several sessions with transactions that are open at the same time,
 * under a clock that is set: a store does in them what a model in plain lists does. What the model leaves out is
 * waiting: what another open transaction has changed is not touched.
 *
 * <p>A failure prints a seed; {@code -Dmodel.seed=…} does only that sequence. {@code -Dmodel.share=…} does more or
 * fewer sequences, in percent.
 */
class ModelTest {

    /** The types of tubes. The last one is as of a driver with each option: it has sub-queues and a capacity. */
    private static final List<String> TYPES =
            List.of("fifo", "fifottl", "limfifottl", "utube", "utubettl", "limutubettl");

    private static final int IN_A_DATABASE = FullRun.steps(120, 3_000);

    private int created;

    @Test
    void temporary_tubes_do_what_the_model_does() throws SQLException {
        try (Environment environment = new DatabaseEnvironment(TestDatabase.H2, true)) {
            compare(environment, IN_A_DATABASE);
        }
    }

    @Test
    void h2_does_what_the_model_does() throws SQLException {
        try (Environment environment = new DatabaseEnvironment(TestDatabase.H2, false)) {
            compare(environment, IN_A_DATABASE);
        }
    }

    @Test
    void postgresql_does_what_the_model_does() throws SQLException {
        try (Environment environment = new DatabaseEnvironment(TestDatabase.POSTGRESQL, false)) {
            compare(environment, IN_A_DATABASE);
        }
    }

    private void compare(Environment environment, int sequences) throws SQLException {
        Map<String, List<StoredTube>> tubes = new HashMap<>();
        TYPES.forEach(type -> tubes.put(type, createTubes(environment, type)));
        Long one = Long.getLong("model.seed");
        if (one != null) {
            compare(environment, tubes, one, 1);
            return;
        }
        Random seeds = new Random();
        long count = sequences * Long.getLong("model.share", 100) / 100;
        for (int i = 1; i <= count; i++) {
            compare(environment, tubes, seeds.nextLong(), i);
        }
    }

    /** Returns two new tubes of a type. */
    private List<StoredTube> createTubes(Environment environment, String type) {
        return IntStream.range(0, 2)
                .mapToObj(i -> {
                    TubeDefinition tube = TubeDefinition.of("t" + ++created, type);
                    return environment.create(
                            type.startsWith("lim") ? tube.capacity(3 + i) : tube, type.contains("utube"));
                })
                .toList();
    }

    /** Runs a sequence in the tubes that all sequences of its type use. */
    private void compare(Environment environment, Map<String, List<StoredTube>> tubes, long seed, int number)
            throws SQLException {
        Random random = new Random(seed);
        String type = TYPES.get(random.nextInt(TYPES.size()));
        List<Step> steps = Step.sequence(random);
        Optional<String> difference = Scenario.difference(environment, tubes.get(type), steps);
        if (difference.isPresent()) {
            List<Step> shortest = shortest(environment, type, steps);
            fail("sequence " + number + " of this run, -Dmodel.seed=" + seed + ", in short:\n"
                    + inNewTubes(environment, type, shortest)
                            .orElse("  (in new tubes it does not differ; in those of all sequences it was:)\n"
                                    + difference.get()));
        }
    }

    /** A difference can leave a tube that differs for good, by a slot that is lost. */
    private Optional<String> inNewTubes(Environment environment, String type, List<Step> steps) throws SQLException {
        return Scenario.difference(environment, createTubes(environment, type), steps);
    }

    /** Leaves out steps, one after the other, as long as there is a difference. */
    private List<Step> shortest(Environment environment, String type, List<Step> steps) throws SQLException {
        for (int i = steps.size() - 1; i >= 0; i--) {
            List<Step> fewer = new ArrayList<>(steps);
            fewer.remove(i);
            if (inNewTubes(environment, type, fewer).isPresent()) {
                return shortest(environment, type, fewer);
            }
        }
        return steps;
    }
}
