package org.tasktube.simulation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.logging.Handler;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.itest.watchdog.FullRun;
import org.tasktube.testing.LogLines;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three servers, their callers and their database, in a time of their own: whatever happens, nothing is lost.
 *
 * <p>{@code -Dsimulation.seed=} begins with a history, and {@code -Dsimulation.seconds=} says how long to go on.
 */
@Timeout(7_200)
@Tag("full")
class SimulationTest {

    private static final int FEWEST = 20;

    @Test
    void no_history_loses_doubles_or_leaves_a_task() throws Exception {
        beQuiet(!Boolean.getBoolean("simulation.log"));
        Simulated simulated = new Simulated();
        Long seconds = Long.getLong("simulation.seconds");
        // The ordinary run has the same histories each time: it is for those who change something
        long first =
                seconds == null && !FullRun.is() ? Long.getLong("simulation.seed", 1) : FullRun.seed("simulation.seed");
        Duration time = Duration.ofSeconds(seconds == null ? FullRun.steps(40, 300) : seconds);
        long end = System.nanoTime() + time.toNanos();
        long steps = 0;
        long done = 0;
        long seed = first;
        for (; System.nanoTime() < end; seed++) {
            assertThat(simulated.run(seed))
                    .as("-Dsimulation.seconds=1 -Dsimulation.seed=" + seed)
                    .isEmpty();
            steps += simulated.number("steps");
            done += simulated.number("done");
        }
        System.out.println((seed - first) + " histories, " + steps + " steps, " + done + " tasks");
        assertThat(done).as("a history in which nothing works shows nothing").isGreaterThan(FEWEST * (seed - first));
    }

    @Test
    void a_seed_is_always_the_same_history() throws Exception {
        beQuiet(true);
        for (long seed = 1; seed <= 5; seed++) {
            Simulated one = new Simulated();
            // A server remembers what the first run has taught it
            one.run(seed);
            one.run(seed);
            long choices = one.number("choices");
            one.run(seed);
            assertThat(one.number("choices")).as("history " + seed).isEqualTo(choices);
        }
    }

    /** Prints none of its lines of the log, and those of the tests beside it. */
    private static void beQuiet(boolean quiet) {
        for (Handler handler : Logger.getLogger("").getHandlers()) {
            handler.setFilter(record -> !quiet || !LogLines.isOfSimulation());
        }
    }

    /** The simulation in a class loader of its own. */
    private static final class Simulated {

        private final Object simulation;
        private final Method run;

        Simulated() throws ReflectiveOperationException {
            simulation = new SimulatedClasses(SimulationTest.class.getClassLoader())
                    .loadClass(Simulation.class.getName())
                    .getConstructor()
                    .newInstance();
            run = simulation.getClass().getMethod("run", long.class);
        }

        String run(long seed) throws ReflectiveOperationException {
            return (String) run.invoke(simulation, seed);
        }

        long number(String what) throws ReflectiveOperationException {
            return ((Number) simulation.getClass().getMethod(what).invoke(simulation)).longValue();
        }
    }
}
