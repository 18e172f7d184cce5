package org.tasktube.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.tasktube.bench.app.IdleWorker;
import org.tasktube.bench.app.Side;

/** The figures as a page of Markdown. */
final class Report {

    private static final double MEBIBYTE = 1024 * 1024;
    private static final double GIBIBYTE = 1024 * MEBIBYTE;

    private final Sizes sizes;
    private final long start = System.nanoTime();
    private final double loadBefore =
            ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();

    private Report(Sizes sizes) {
        this.sizes = sizes;
    }

    static Report begun(Sizes sizes) {
        return new Report(sizes);
    }

    String text(Figures figures, BenchDatabase database) throws IOException {
        return String.join("\n", head(database), table(figures), HOW);
    }

    private String head(BenchDatabase database) throws IOException {
        return format(
                """
                # Performance

                How fast is TaskTube beside plain JDBC? `mvn -Pbench` made this page on %s in %d minutes.
                It compared TaskTube and the reference in %d starts of the server, by turns, %d rounds in each.
                It measured everything else in %d rounds after the last start.

                - TaskTube %s, WildFly %s, Java %s
                - PostgreSQL %s (fsync %s, shared_buffers %s)
                - %s, %d processors, %d GiB of memory
                - %s %s; the load average was %.1f at the start
                """,
                LocalDate.now(ZoneOffset.UTC),
                Duration.ofNanos(System.nanoTime() - start).plusSeconds(30).toMinutes(),
                sizes.starts(),
                sizes.roundsPerStart(),
                sizes.rounds(),
                System.getProperty("tasktube.version"),
                System.getProperty("wildfly.version"),
                Runtime.version(),
                database.version(),
                database.setting("fsync"),
                database.setting("shared_buffers"),
                processor(),
                Runtime.getRuntime().availableProcessors(),
                memory(),
                System.getProperty("os.name"),
                System.getProperty("os.version"),
                loadBefore);
    }

    private static long memory() {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return Math.round(system.getTotalMemorySize() / GIBIBYTE);
    }

    /** As Linux says it. */
    private static String processor() throws IOException {
        Path cpus = Path.of("/proc/cpuinfo");
        if (!Files.exists(cpus)) {
            return System.getProperty("os.arch");
        }
        try (Stream<String> lines = Files.lines(cpus)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        }
    }

    private String table(Figures figures) {
        String drainOfMany =
                format("drain with %,d waiting and %,d delayed, tasks/s", sizes.waiting(), sizes.delayed());
        return String.join(
                "\n",
                "| | TaskTube | reference | ratio | goal |",
                "| --- | --- | --- | --- | --- |",
                compared("put, 4 threads, one transaction per task, tasks/s", figures.put, "%,.0f", "≥ 0.95"),
                compared(
                        "drain through a bean that does nothing, 8 sessions, one transaction per task, tasks/s",
                        figures.drain,
                        "%,.0f",
                        "≥ 1.6"),
                row(
                        "drain through a bean that writes a row of its own, tasks/s",
                        figures.drain.get(Side.TASKTUBE_ROW),
                        figures.drain.get(Side.SMALL_ROW),
                        "%,.0f",
                        "≥ 1.0"),
                row(
                        "drain through a bean that gets batches of 64 and does nothing, tasks/s; reference: plain JDBC, 64 deletes a commit",
                        figures.drain.get(Side.TASKTUBE_BATCH),
                        figures.drain.get(Side.SMALL_BATCH),
                        "%,.0f",
                        "≥ 0.7"),
                compared("flow: puts and a bean that does nothing, tasks/s", figures.flow, "%,.0f", "≥ 1.6"),
                compared("latency, median, ms", figures.medianLatency, "%.2f", "≤ 0.5"),
                compared("latency, 99th percentile, ms", figures.slowLatency, "%.2f", ""),
                own("put; reference: TaskTube's own statements", figures.put, "%,.0f"),
                own("drain; reference: TaskTube's own statements, an ack a commit", figures.drain, "%,.0f"),
                own("flow; reference: the same", figures.flow, "%,.0f"),
                own("latency, median, ms; reference: the same", figures.medianLatency, "%.2f"),
                row(
                        "put, then drain, with a history of all moves, tasks/s; reference: without",
                        figures.extra.get(Extra.HISTORY),
                        figures.extra.get(Extra.NONE),
                        "%,.0f",
                        "≥ 0.85"),
                row(
                        "put, then drain, with an open console, tasks/s; reference: without",
                        figures.extra.get(Extra.CONSOLE),
                        figures.extra.get(Extra.NONE),
                        "%,.0f",
                        "≥ 0.98"),
                row(
                        drainOfMany + "; reference: TaskTube with only the drained tasks, in the same way",
                        figures.drainOfMany,
                        figures.drainOfFew,
                        "%,.0f",
                        "≥ 0.8"),
                row(
                        "the same; reference: TaskTube's drain above",
                        figures.drainOfMany,
                        figures.drain.get(Side.TASKTUBE),
                        "%,.0f",
                        "≥ 0.8"),
                row(
                        format(
                                "take and ack in batches, %,d tasks in %d sub-queues, one task per sub-queue and take, tasks/s;"
                                        + " reference: a fifottl tube with as many tasks, in batches of %d",
                                sizes.inFew(), Sizes.FEW, Sizes.FEW),
                        figures.fewSubQueues,
                        figures.plainInTens,
                        "%,.0f",
                        "≥ 0.5"),
                row(
                        "the same; reference: the fifottl tube in batches of 100",
                        figures.fewSubQueues,
                        figures.plainInHundreds,
                        "%,.0f",
                        ""),
                row(
                        format(
                                "take and ack in batches of %d, %,d sub-queues of one task each, tasks/s; reference: a fifottl"
                                        + " tube with as many tasks",
                                Sizes.FEW, sizes.many()),
                        figures.manySubQueuesInTens,
                        figures.plainBesideManyInTens,
                        "%,.0f",
                        "≥ 0.5"),
                row(
                        "the same in batches of 100, where most of the time is each task's second update, which makes it"
                                + " the first of its sub-queue: round trips and commits cost little per task",
                        figures.manySubQueues,
                        figures.plainBesideMany,
                        "%,.0f",
                        "≥ 0.5"),
                row(
                        format(
                                "take of one task behind %,d tasks of %d busy sub-queues, median, ms; reference: of a fifottl"
                                        + " tube",
                                sizes.blocked(), Sizes.FEW),
                        figures.takeBehindBusy,
                        figures.takeOfPlain,
                        "%.2f",
                        "< 2 ms"),
                format(
                        "| heap for %,d waiting tasks, MiB | %.1f | %.1f with none | | ≤ 50 |",
                        sizes.waiting(),
                        (figures.heapOfMany - figures.heapOfNone) / MEBIBYTE,
                        figures.heapOfNone / MEBIBYTE),
                format(
                        "| idle with %d activations, statements/s | %.1f | | | ≤ 5 |",
                        IdleWorker.COUNT, figures.idleStatements),
                "");
    }

    private static String compared(String what, Map<Side, Series> sides, String number, String goal) {
        return row(what, sides.get(Side.TASKTUBE), sides.get(Side.SMALL), number, goal);
    }

    private static String own(String what, Map<Side, Series> sides, String number) {
        return row(what, sides.get(Side.TASKTUBE), sides.get(Side.OWN_STATEMENTS), number, "");
    }

    private static String row(String what, Series ours, Series reference, String number, String goal) {
        Series ratios = ours.over(reference);
        return "| " + what + " | " + cell(ours.median(), ours, number) + " | "
                + cell(reference.median(), reference, number) + " | "
                + cell(ours.median() / reference.median(), ratios, "%.2f") + " | " + goal + " |";
    }

    private static String cell(double value, Series spread, String number) {
        return format("**" + number + "** (" + number + " to " + number + ")", value, spread.least(), spread.most());
    }

    private static String format(String pattern, Object... arguments) {
        return String.format(Locale.ROOT, pattern, arguments);
    }

    private static final String HOW = """

            Each figure is the median of all its rounds, with the least and the most in brackets. A ratio is the
            ratio of the medians, with the least and the most of one round in brackets. A task carries 256
            bytes. Starts of the same code differ by up to 7 % in put and drain, so one start compares nothing.

            - **The reference** is the smallest queue that one would write by hand: one table of id, priority,
              due time, owner and data, its primary key, and one partial index of the tasks that are free. EJBs
              in the same server run it, each in a JTA transaction, over the same datasource. Four threads run
              one insert per task. One thread claims 64 tasks at a time with SKIP LOCKED, and 8 threads run one
              delete per task. It has no priorities that count, no deadlines, no sessions and no failures.
            - **TaskTube's own statements** are run by the same EJBs on TaskTube's tables, to show what the
              adapter adds. The benchmark checks in PostgreSQL that puts and claims are the same statements. A
              further tube, with the greatest id, has a task, so that nobody inserts at the right end of the
              index, which costs PostgreSQL less.
            - **put** is an EJB whose method gets a connection, puts and closes.
            - **drain** measures the time from the first task that a bean begins with to the last. Delivery
              starts when all tasks are there.
            - **flow** puts on 4 threads while the bean works on the tasks.
            - **latency** is the time from put's return, its transaction committed, until the bean begins. One
              task is measured at a time.
            - **put, then drain** takes the time of both together. The open console is a client that reads its
              events, as the overview does. The browser's own work is not in the figure.
            - **drain with many waiting** drains tasks that SQL put in bulk. The table was empty, and vacuumed,
              when PostgreSQL planned the statements. After the bulk put it is vacuumed again. Otherwise
              autovacuum would start within a minute on a million fresh rows, and be part of the measurement.
              Drained tasks leave dead rows at the head of the index, and each claim reads past them until
              autovacuum runs, once per minute. Both sides of the first comparison begin without dead rows, and
              drain as many tasks in a row. In the drain above, the slow puts between the rounds gave autovacuum
              time.
            - **sub-queues** are drained by one thread of a servlet, outside JTA: a take, an ackAll, the next
              take. SQL put these tasks there, too, with the marks that puts leave. The measurement includes
              finding the first task of each sub-queue. The take behind busy sub-queues looks for the first task
              of another one, while the first tasks of all sub-queues before it are held.
            - **heap** is the heap in use after a collection, before the tasks were there and after some of them
              were drained.
            - **idle** is the count of pg_stat_statements while %s beans wait at empty tubes.
            """.replace("%s", String.valueOf(IdleWorker.COUNT));
}
