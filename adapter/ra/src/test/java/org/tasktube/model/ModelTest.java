package org.tasktube.model;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.tasktube.TubeDefinition;
import org.tasktube.store.StoredTube;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.fail;

/**
 * Random sequences of all that a store can do, by several sessions with transactions that are open at the same time, under
 * a clock that is set: a store does in them what a model in plain lists does. What the model leaves out is waiting: what
 * another open transaction has changed is let alone.
 *
 * <p>A failure prints a seed; {@code -Dmodel.seed=…} does that sequence alone. {@code -Dmodel.share=…} does more or fewer
 * sequences, in percent.
 */
class ModelTest {

    private static final int IN_MEMORY = 5_000;
    private static final int IN_A_DATABASE = 2_500;

    /** How many percent of the sequences in memory are long ones; in a database these take too much time. */
    private static final int LONG = 10;

    @Test
    void memory_does_what_the_model_does() throws SQLException {
        try (Environment environment = new MemoryEnvironment()) {
            compare(environment, IN_MEMORY, LONG);
        }
    }

    @Test
    void h2_does_what_the_model_does() throws SQLException {
        try (Environment environment = new DatabaseEnvironment(TestDatabase.H2)) {
            compare(environment, IN_A_DATABASE, 0);
        }
    }

    @Test
    void postgresql_does_what_the_model_does() throws SQLException {
        try (Environment environment = new DatabaseEnvironment(TestDatabase.POSTGRESQL)) {
            compare(environment, IN_A_DATABASE, 0);
        }
    }

    private static void compare(Environment environment, int sequences, int percentLong) throws SQLException {
        List<List<StoredTube>> tubes = createTubes(environment);
        Long one = Long.getLong("model.seed");
        if (one != null) {
            compare(environment, tubes, percentLong, one, 1);
            return;
        }
        Random seeds = new Random();
        long count = sequences * Long.getLong("model.share", 100) / 100;
        for (int i = 1; i <= count; i++) {
            compare(environment, tubes, percentLong, seeds.nextLong(), i);
        }
    }

    /** Two tubes of each type, which all sequences use. */
    private static List<List<StoredTube>> createTubes(Environment environment) {
        List<List<StoredTube>> tubes = new ArrayList<>();
        for (String type : List.of("fifo", "fifottl", "limfifottl", "utube", "utubettl")) {
            List<StoredTube> ofType = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                TubeDefinition tube = TubeDefinition.of(type + i, type);
                ofType.add(environment.create(
                        type.startsWith("lim") ? tube.capacity(3 + i) : tube, type.startsWith("utube")));
            }
            tubes.add(ofType);
        }
        return tubes;
    }

    private static void compare(
            Environment environment, List<List<StoredTube>> tubes, int percentLong, long seed, int number)
            throws SQLException {
        Random random = new Random(seed);
        List<StoredTube> ofType = tubes.get(random.nextInt(tubes.size()));
        List<Step> steps = Step.sequence(random, percentLong);
        if (Scenario.difference(environment, ofType, steps).isPresent()) {
            List<Step> shortest = shortest(environment, ofType, steps);
            Optional<String> told = Scenario.difference(environment, ofType, shortest);
            fail("sequence " + number + " of this run, -Dmodel.seed=" + seed + ", in short:\n"
                    + told.orElse("  (it did not differ again)"));
        }
    }

    /** Leaves out steps, one after the other, as long as there is a difference. */
    private static List<Step> shortest(Environment environment, List<StoredTube> tubes, List<Step> steps)
            throws SQLException {
        for (int i = steps.size() - 1; i >= 0; i--) {
            List<Step> fewer = new ArrayList<>(steps);
            fewer.remove(i);
            if (Scenario.difference(environment, tubes, fewer).isPresent()) {
                return shortest(environment, tubes, fewer);
            }
        }
        return steps;
    }
}
