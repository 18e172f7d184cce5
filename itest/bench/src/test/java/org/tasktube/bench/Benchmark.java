package org.tasktube.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.tasktube.bench.app.Batches;
import org.tasktube.bench.app.IdleWorker;
import org.tasktube.bench.app.Side;

/**
 * Measures TaskTube and, by turns, queues by plain JDBC in the same server, and writes {@code performance.md}.
 * {@code -Dbench.quick} does little of everything, to see that it runs. {@code -Dbench.additions=8} measures in 8
 * rounds only the cost of a history and of an open console, and {@code -Dbench.compare} only compares after one start,
 * {@code -Dbench.compare=flow} only flow and latency, {@code horizon} flows beside an old snapshot, {@code many} flows
 * beside up to ten million tasks that wait in another tube. {@code row} (beans that write a row of their own),
 * {@code batch} (beans that get batches), {@code peers} (other queues in the same server) and {@code tubes} (kinds of
 * tubes, and beanstalkd) can be one run, {@code -Dbench.compare=row,batch,peers,tubes}. They write no page.
 */
public final class Benchmark {

    /**
     * The rate of a flow with rows rose for 80,000 tasks, from 700 to 1,000 a second. After 90,000 the compilers still had
     * 12 % of the processors.
     */
    private static final int FLOWS_TO_WARM_UP = 4;

    private static final List<Side> SIDES = List.of(Side.TASKTUBE, Side.SMALL, Side.OWN_STATEMENTS);
    private static final List<Side> WITH_ROW = List.of(Side.TASKTUBE_ROW, Side.SMALL_ROW);

    private static final List<Side> PEERS =
            List.of(Side.TASKTUBE, Side.SMALL, Side.DB_SCHEDULER, Side.JOBRUNR, Side.ARTEMIS);

    private static final List<Side> TUBES = List.of(
            Side.TASKTUBE,
            Side.SMALL,
            Side.TASKTUBE_TTR,
            Side.TASKTUBE_HISTORY,
            Side.TASKTUBE_SUB,
            Side.TASKTUBE_TEMPORARY,
            Side.BEANSTALKD);

    private static final List<Side> IN_BATCHES = List.of(Side.TASKTUBE_BATCH, Side.SMALL_BATCH);

    /** What {@code -Dbench.compare} can compare in put, drain, flow and latency. */
    private static final Map<String, List<Side>> GROUPS =
            Map.of("row", WITH_ROW, "batch", IN_BATCHES, "peers", PEERS, "tubes", TUBES);

    private static final List<Side> OURS =
            Stream.of(SIDES, WITH_ROW, IN_BATCHES).flatMap(List::stream).toList();

    private static final int BATCH = 100;
    private static final String ADDITIONS = "bench.additions";

    private final BenchServer server;
    private final Sizes sizes;
    private final Figures figures;

    private Benchmark(BenchServer server, Sizes sizes, Figures figures) {
        this.server = server;
        this.sizes = sizes;
        this.figures = figures;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        // what the management client has to say is not wanted here
        Logger.getLogger("").setLevel(Level.WARNING);
        if (System.getProperty("bench.compare") != null) {
            compareOnly();
            return;
        }
        if (System.getProperty(ADDITIONS) != null) {
            additions(Integer.getInteger(ADDITIONS));
            return;
        }
        Path report = run(sizes());
        System.out.println();
        System.out.println(Files.readString(report));
        System.out.println("This is in " + report);
    }

    private static Path target() {
        return Path.of(System.getProperty("bench.directory"));
    }

    private static Path directory() {
        return target().resolve("bench");
    }

    private static Sizes sizes() {
        return System.getProperty("bench.quick") == null ? Sizes.FULL : Sizes.QUICK;
    }

    /** Runs all and returns where the report is. */
    static Path run(Sizes sizes) throws IOException, InterruptedException {
        Path directory = directory();
        Path war = target().resolve("tasktube-bench.war");
        Report report = Report.begun(sizes);
        Figures figures = new Figures();
        for (int start = 1; start < sizes.starts(); start++) {
            try (BenchServer server = started(directory, war)) {
                new Benchmark(server, sizes, figures).compare();
            }
        }
        try (BenchServer server = started(directory, war)) {
            Benchmark benchmark = new Benchmark(server, sizes, figures);
            benchmark.compare();
            benchmark.measure();
            Path file = directory.resolve("performance.md");
            Files.writeString(file, report.text(figures, server.database()));
            return file;
        }
    }

    private static void compareOnly() throws IOException, InterruptedException {
        Figures figures = new Figures();
        try (BenchServer server = started(directory(), target().resolve("tasktube-bench.war"))) {
            Benchmark benchmark = new Benchmark(server, sizes(), figures);
            benchmark.compareOnly(System.getProperty("bench.compare"));
        }
        figures.efforts.forEach((work, sides) -> sides.forEach((side, efforts) -> step(
                "%s %s, a task: processor %.0f µs of the server, %.0f µs of the database; %.0f bytes of log, %.2f commits, %.2f syncs"
                        .formatted(
                                work,
                                side,
                                Series.median(efforts, Effort.PerTask::server),
                                Series.median(efforts, Effort.PerTask::database),
                                Series.median(efforts, Effort.PerTask::log),
                                Series.median(efforts, Effort.PerTask::commits),
                                Series.median(efforts, Effort.PerTask::syncs)))));
        medians("put, tasks/s", figures.put);
        medians("drain, tasks/s", figures.drain);
        medians("flow, tasks/s", figures.flow);
        medians("latency, ms", figures.medianLatency);
    }

    private static void medians(String what, Map<Side, Series> sides) {
        sides.forEach((side, series) -> {
            if (!series.isEmpty()) {
                step("%s, %s: %,.2f (%,.2f to %,.2f)"
                        .formatted(what, side, series.median(), series.least(), series.most()));
            }
        });
    }

    private void compareOnly(String what) throws IOException, InterruptedException {
        Set<String> groups = new LinkedHashSet<>(List.of(what.split(",")));
        if (GROUPS.keySet().containsAll(groups)) {
            compareGroups(groups);
            return;
        }
        switch (what) {
            case "horizon" -> heldHorizon();
            case "many" -> flowBesideMany();
            case "flow" -> {
                warmUpFlow();
                compareFlow();
                countStatementsOfFlow(Side.TASKTUBE);
            }
            default -> {
                compare();
                countStatementsOfFlow(Side.TASKTUBE);
            }
        }
    }

    private void compareGroups(Set<String> groups) throws IOException, InterruptedException {
        List<Side> sides = groups.stream()
                .flatMap(group -> GROUPS.get(group).stream())
                .distinct()
                .toList();
        BeanstalkdProcess beanstalkd = sides.contains(Side.BEANSTALKD) ? BeanstalkdProcess.start(directory()) : null;
        try (beanstalkd) {
            warmUp(sides);
            for (int round = 0; round < sizes.roundsPerStart(); round++) {
                putAndDrainByTurns(sides, round);
                for (Side side : inTurn(sides, round)) {
                    flow(side);
                }
            }
        }
        if (groups.contains("row")) {
            countStatementsOfFlow(Side.TASKTUBE_ROW);
            countStatementsOfFlow(Side.SMALL_ROW);
        }
    }

    /** Flows for some minutes each while a transaction keeps an old snapshot, so that no dead row can be removed. */
    private void heldHorizon() throws IOException, InterruptedException {
        List<Side> sides = List.of(Side.TASKTUBE, Side.SMALL);
        warmUp(sides);
        for (Side side : sides) {
            flow(side);
            try (Connection holder = server.database().holdSnapshot()) {
                step("A transaction of the isolation level " + holder.getTransactionIsolation() + " is open");
                long end = System.nanoTime() + sizes.horizon().toNanos();
                while (System.nanoTime() - end < 0) {
                    step("%s with an old snapshot: flow %,.0f/s".formatted(side, server.flow(side, sizes.flow())));
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private void flowBesideMany() throws IOException, InterruptedException {
        warmUp(List.of(Side.TASKTUBE));
        int before = 0;
        for (int waiting : sizes.besides()) {
            server.database().fill(Side.OWN_STATEMENTS, waiting - before, 0);
            before = waiting;
            step("%,d tasks wait in another tube".formatted(waiting));
            for (int round = 0; round < sizes.roundsPerStart(); round++) {
                flow(Side.TASKTUBE);
            }
        }
    }

    private static void additions(int rounds) throws IOException, InterruptedException {
        Figures figures = new Figures();
        try (BenchServer server = started(directory(), target().resolve("tasktube-bench.war"))) {
            Benchmark benchmark = new Benchmark(server, Sizes.FULL, figures);
            benchmark.warmUp(OURS);
            benchmark.measureAdditions(rounds);
        }
        Series none = figures.extra.get(Extra.NONE);
        figures.extra.forEach((extra, rates) -> {
            Series ratios = rates.over(none);
            step("%s: %,.0f/s, ratio of the medians %.3f, median of the rounds' ratios %.3f (%.3f to %.3f)"
                    .formatted(
                            extra,
                            rates.median(),
                            rates.median() / none.median(),
                            ratios.median(),
                            ratios.least(),
                            ratios.most()));
        });
    }

    private static BenchServer started(Path directory, Path war) throws IOException, InterruptedException {
        step("Setting up PostgreSQL and WildFly");
        return BenchServer.start(directory, war);
    }

    /**
     * Measures the two sides: in each start anew, because starts of the same code differ by as much as the sides do.
     */
    private void compare() throws IOException, InterruptedException {
        comparePutsAndDrains();
        compareFlow();
    }

    private void comparePutsAndDrains() throws IOException, InterruptedException {
        warmUp(OURS);
        for (int round = 0; round < sizes.roundsPerStart(); round++) {
            putAndDrainByTurns(SIDES, round);
            putAndDrainByTurns(WITH_ROW, round);
            putAndDrainByTurns(IN_BATCHES, round);
        }
    }

    private void putAndDrainByTurns(List<Side> sides, int round) throws IOException, InterruptedException {
        for (Side side : inTurn(sides, round)) {
            putAndDrain(side);
        }
    }

    private void warmUpFlow() throws IOException, InterruptedException {
        for (Side side : SIDES) {
            step("Warming up " + side);
            server.flow(side, 2 * sizes.warmUp());
        }
    }

    private void compareFlow() throws IOException, InterruptedException {
        for (int round = 0; round < sizes.roundsPerStart(); round++) {
            for (Side side : inTurn(SIDES, round)) {
                flow(side);
            }
        }
    }

    /** The side that is measured second finds the database as the first has left it, so they take turns. */
    private static List<Side> inTurn(List<Side> sides, int round) {
        List<Side> order = new ArrayList<>(sides);
        Collections.rotate(order, round);
        return order;
    }

    private void measure() throws IOException, InterruptedException {
        measureAdditions(sizes.rounds());
        idle();
        fewAndMany();
        subQueues();
    }

    private void measureAdditions(int rounds) throws IOException, InterruptedException {
        for (int round = 0; round < rounds; round++) {
            for (Extra extra : Extra.order(round)) {
                putAndDrain(extra);
            }
        }
    }

    private void warmUp(List<Side> all) throws IOException, InterruptedException {
        step("Warming up with " + sizes.warmUp() + " tasks each");
        server.database().countStatements(true);
        for (Side side : all) {
            server.put(side, of(side, sizes.warmUp()));
            server.drain(side, of(side, sizes.warmUp()));
        }
        if (all.contains(Side.OWN_STATEMENTS)) {
            server.database().checkSameStatements();
        }
        server.database().countStatements(false);
        // A flow runs code that the others do not, while the compilers get little of the processors
        for (int i = 0; i < FLOWS_TO_WARM_UP; i++) {
            for (Side side : all) {
                server.flow(side, of(side, sizes.flow()));
            }
        }
    }

    /** A slow side does a part, so that the others have their rounds on the same quarter of an hour. */
    private static int of(Side side, int tasks) {
        return side == Side.JOBRUNR ? tasks / 10 : tasks;
    }

    private void putAndDrain(Side side) throws IOException, InterruptedException {
        Effort before = server.effort();
        int tasks = of(side, sizes.tasks());
        double put = server.put(side, tasks);
        Effort between = server.effort();
        double drain = server.drain(side, tasks);
        figures.add(Figures.Work.PUT, side, between.since(before, tasks));
        figures.add(Figures.Work.DRAIN, side, server.effort().since(between, tasks));
        figures.put.get(side).add(put);
        figures.drain.get(side).add(drain);
        step("%s: put %,.0f/s, drain %,.0f/s".formatted(side, put, drain));
    }

    private void putAndDrain(Extra extra) throws IOException, InterruptedException {
        double rate = server.putAndDrain(extra, sizes.tasks());
        figures.extra.get(extra).add(rate);
        step("%s: put and drain %,.0f/s".formatted(extra, rate));
    }

    private void flow(Side side) throws IOException, InterruptedException {
        Effort before = server.effort();
        int tasks = of(side, sizes.flow());
        double flow = server.flow(side, tasks);
        figures.add(Figures.Work.FLOW, side, server.effort().since(before, tasks));
        // It polls each 5 s, and would take more than an hour
        int each = side == Side.JOBRUNR ? Math.max(2, sizes.latency() / 200) : sizes.latency();
        BenchServer.Latency latency = server.latency(side, each);
        figures.flow.get(side).add(flow);
        figures.medianLatency.get(side).add(latency.median());
        figures.slowLatency.get(side).add(latency.slow());
        step("%s: flow %,.0f/s, latency %.2f ms, at worst but for 1 %% %.2f ms"
                .formatted(side, flow, latency.median(), latency.slow()));
    }

    private void countStatementsOfFlow(Side side) throws IOException, InterruptedException {
        server.database().countStatements(true);
        server.flow(side, sizes.flow());
        server.database().countStatements(false);
        step("flow of %,d tasks:".formatted(sizes.flow()));
        server.database().mostCounted(8).forEach(Benchmark::step);
    }

    private void idle() throws InterruptedException {
        for (int i = 0; i < IdleWorker.COUNT; i++) {
            server.startDelivery("Idle" + i);
        }
        server.database().countStatements(true);
        Thread.sleep(sizes.idle().toMillis());
        figures.idleStatements =
                (double) server.database().statements() / sizes.idle().toSeconds();
        server.database().countStatements(false);
        for (int i = 0; i < IdleWorker.COUNT; i++) {
            server.stopDelivery("Idle" + i);
        }
        step("idle: %.1f statements/s".formatted(figures.idleStatements));
    }

    private void subQueues() throws IOException, InterruptedException {
        fillSubQueues(Sizes.FEW, sizes.inFew());
        for (int round = 0; round < sizes.rounds(); round++) {
            workOff(Batches.PLAIN, Sizes.FEW, sizes.tasks(), figures.plainInTens);
            workOff(Batches.SUB_QUEUES, BATCH, sizes.tasks(), figures.fewSubQueues);
            workOff(Batches.PLAIN, BATCH, sizes.tasks(), figures.plainInHundreds);
        }
        for (int round = 0; round < sizes.rounds(); round++) {
            workOffMany(Sizes.FEW, figures.plainBesideManyInTens, figures.manySubQueuesInTens);
            workOffMany(BATCH, figures.plainBesideMany, figures.manySubQueues);
        }
        fillSubQueues(Sizes.FEW, sizes.blocked());
        for (int round = 0; round < sizes.rounds(); round++) {
            figures.takeOfPlain.add(server.takes(sizes.latency() / 2).median());
            figures.takeBehindBusy.add(
                    server.takesBehindBusy(sizes.latency() / 2).median());
        }
        step("take of one behind %,d tasks of busy sub-queues: %.2f ms"
                .formatted(sizes.blocked(), figures.takeBehindBusy.median()));
    }

    /** All of them each time: the first takes promote the heads for the later ones. */
    private void workOffMany(int batch, Series plain, Series subQueues) throws IOException, InterruptedException {
        fillSubQueues(sizes.many(), sizes.many());
        workOff(Batches.PLAIN, batch, sizes.many(), plain);
        workOff(Batches.SUB_QUEUES, batch, sizes.many(), subQueues);
    }

    /** By plans that were made when there was next to nothing. */
    private void fillSubQueues(int subQueues, int tasks) {
        step("Filling in %,d tasks of %,d sub-queues, and as many without".formatted(tasks, subQueues));
        server.database().empty();
        server.database().fillSubQueues(subQueues, tasks);
    }

    private void workOff(String tube, int batch, int tasks, Series series) throws IOException, InterruptedException {
        double rate = server.workOff(tube, batch, tasks);
        series.add(rate);
        step("%s in batches of up to %d: %,.0f/s".formatted(tube, batch, rate));
    }

    /** Drained tasks leave dead rows until the next vacuum, so both begin with none. */
    private void fewAndMany() throws IOException, InterruptedException {
        planForNone();
        for (int round = 0; round < sizes.rounds(); round++) {
            server.database().fill(Side.TASKTUBE, sizes.tasks(), 0);
            drainSome("few", figures.drainOfFew);
        }
        planForNone();
        figures.heapOfNone = server.heap();
        step("Filling in %,d tasks waiting and %,d delayed".formatted(sizes.waiting(), sizes.delayed()));
        server.database().fill(Side.TASKTUBE, sizes.waiting() + sizes.rounds() * sizes.tasks(), sizes.delayed());
        for (int round = 0; round < sizes.rounds(); round++) {
            drainSome("many", figures.drainOfMany);
        }
        figures.heapOfMany = server.heap();
    }

    /**
     * Where all was worked off autovacuum soon leaves an empty table, and the plans that PostgreSQL makes for that, it
     * keeps when a million tasks come.
     */
    private void planForNone() throws IOException, InterruptedException {
        server.database().vacuum();
        server.flow(Side.TASKTUBE, sizes.latency());
    }

    private void drainSome(String what, Series series) throws IOException, InterruptedException {
        double drain = server.drainSome(Side.TASKTUBE, sizes.tasks());
        series.add(drain);
        step("of %s: drain %,.0f/s".formatted(what, drain));
    }

    private static void step(String what) {
        System.out.println("[bench] " + what);
    }
}
