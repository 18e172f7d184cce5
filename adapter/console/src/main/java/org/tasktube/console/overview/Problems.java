package org.tasktube.console.overview;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.tasktube.TubeMode;
import org.tasktube.TubeStatistics;
import org.tasktube.admin.BeanStatus;
import org.tasktube.admin.BeanStatus.Reason;
import org.tasktube.admin.ClusterWork;
import org.tasktube.admin.DeadServer;
import org.tasktube.admin.OldTransaction;
import org.tasktube.admin.TubeWork;
import org.tasktube.admin.TubeWork.Beans;
import org.tasktube.admin.TubeWork.Moved;

/** Finds problems by rules that read statistics only: one sentence per problem, the worst first. */
public final class Problems {

    /** READY tasks that wait for so long without a take are a problem. */
    static final Duration IDLE = Duration.ofSeconds(30);
    /** Such a wait is bad from so long on. */
    static final Duration IDLE_BAD = Duration.ofMinutes(5);

    private static final String FAILING = "failing";
    private static final int FEWEST_ENDS = 20;
    private static final int FAILING_PERCENT = 20;
    private static final int PERCENT = 100;
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int MINUTES_PER_HOUR = 60;
    private static final int HOURS_PER_DAY = 24;

    private Problems() {}

    /** How bad a problem is: {@code bad} stops work, {@code warn} may be meant so. */
    public enum Severity {
        BAD,
        WARN;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A problem.
     *
     * @param kind adapter, server, bean, database, failing, idle, paused, draining or buried
     * @param severity bad or warn
     * @param tube the tube; null for the adapter, a server, a bean and the database
     * @param text one sentence
     * @param link the page that shows more, from the root of the console
     */
    public record Found(String kind, String severity, String tube, String text, String link) {

        /** Returns the problem without its text, which says for how long it has lasted. */
        public Found textless() {
            return new Found(kind, severity, tube, null, link);
        }
    }

    /**
     * Returns the problem of an adapter that is not RUNNING.
     *
     * @param why what its calls say then
     */
    public static Found ofAdapter(String server, String why) {
        return new Found("adapter", Severity.BAD.label(), null, "Server " + server + ": " + why + ".", "/servers");
    }

    /** Returns the problems of servers that have died and are not back. */
    public static List<Found> ofServers(List<DeadServer> dead) {
        return dead.stream()
                .map(each -> new Found(
                        "server",
                        Severity.BAD.label(),
                        null,
                        "Server " + each.name() + " has died, and " + tasks(each.released(), "taken")
                                + " of it were released at " + each.at()
                                + ". Start it again, or dismiss this on the page of the servers.",
                        "/servers"))
                .toList();
    }

    /** Returns the problems of beans that were refused, or whose tube does not exist. */
    public static List<Found> ofBeans(List<BeanStatus> beans) {
        return beans.stream()
                .flatMap(bean -> bean.hindrance().stream())
                .filter(found -> found.reason() == Reason.REFUSED || found.reason() == Reason.NO_TUBE)
                .map(found -> new Found(
                        "bean",
                        (found.reason() == Reason.REFUSED ? Severity.BAD : Severity.WARN).label(),
                        null,
                        found.text(),
                        "/servers"))
                .toList();
    }

    /** Returns the problem of a transaction of the database that is open for long; none without one. */
    public static List<Found> ofDatabase(Optional<OldTransaction> old) {
        return old.stream()
                .map(each -> new Found(
                        "database",
                        Severity.WARN.label(),
                        null,
                        "The transaction of " + each.holder() + " is open for " + rounded(each.age())
                                + "; until it ends, tables grow and takes become slower. If it is not meant so, "
                                + each.nextStep()
                                + ".",
                        "/servers"))
                .toList();
    }

    /** Returns the problems of tubes. */
    public static List<Found> ofTubes(List<TubeStatistics> tubes, ClusterWork work, Idle idle) {
        Map<String, Moved> lately = new HashMap<>();
        work.recent()
                .forEach(sample -> sample.tubes().forEach((tube, moved) -> lately.merge(tube, moved, Moved::plus)));
        Map<String, Beans> beans = work.tubes().stream().collect(Collectors.toMap(TubeWork::tube, TubeWork::beans));
        List<Weighed> found = new ArrayList<>();
        for (TubeStatistics tube : tubes) {
            addFailing(found, tube, lately.getOrDefault(tube.tube(), Moved.NONE));
            addMode(found, tube);
            addIdle(found, tube, idle.time(tube.tube()), beans.getOrDefault(tube.tube(), Beans.NONE));
            addBuried(found, tube);
        }
        found.sort(Comparator.comparing((Weighed each) -> each.found.severity())
                .thenComparing(each -> each.found.kind().equals(FAILING) ? 0 : 1)
                .thenComparing(Weighed::tasks, Comparator.reverseOrder()));
        return found.stream().map(Weighed::found).toList();
    }

    /** A problem, and how many tasks it is about: of the failing ones, those of a minute. */
    private record Weighed(Found found, long tasks) {}

    /** The share is that of the alert in the metrics, over the time for which the servers keep their samples. */
    private static void addFailing(List<Weighed> found, TubeStatistics tube, Moved lately) {
        long ends = lately.ended() + lately.failed();
        if (ends < FEWEST_ENDS || lately.failed() * PERCENT <= ends * FAILING_PERCENT) {
            return;
        }
        long perMinute = Math.max(1, Math.round((double) lately.failed() / ClusterWork.KEPT.toMinutes()));
        String text = String.format(
                Locale.ROOT,
                "Tube %s fails: %d %% of its deliveries in the last %d minutes, %,d per minute.",
                tube.tube(),
                lately.failed() * PERCENT / ends,
                ClusterWork.KEPT.toMinutes(),
                perMinute);
        Found failing = new Found(FAILING, Severity.BAD.label(), tube.tube(), text, "/failures?q=" + tube.tube());
        found.add(new Weighed(failing, perMinute));
    }

    private static void addMode(List<Weighed> found, TubeStatistics tube) {
        if (tube.mode() == TubeMode.OPEN) {
            return;
        }
        boolean paused = tube.mode() == TubeMode.PAUSED;
        String text = tube.modeBy() + (paused ? " pauses tube " : " drains tube ") + tube.tube()
                + " since " + tube.modeSince() + (paused ? ", so no task is taken: " : ", so it accepts no puts: ")
                + tube.modeReason();
        String kind = paused ? "paused" : "draining";
        found.add(new Weighed(
                new Found(kind, Severity.WARN.label(), tube.tube(), text, "/tubes/" + tube.tube()), tube.ready()));
    }

    /** A pause explains why no task is taken. */
    private static void addIdle(List<Weighed> found, TubeStatistics tube, Duration idle, Beans beans) {
        if (tube.mode() == TubeMode.PAUSED || tube.ready() == 0 || idle.compareTo(IDLE) < 0) {
            return;
        }
        Severity severity = idle.compareTo(IDLE_BAD) < 0 ? Severity.WARN : Severity.BAD;
        String text = "Tube " + tube.tube() + " has " + tasks(tube.ready(), "ready") + ", and none was taken for "
                + rounded(idle)
                + (beans.active() == 0
                        ? "; no bean listens on any server."
                        : "; " + beans.busy() + " of " + beans.instances() + " instances of its beans are busy.");
        String link = "/tasks?filter=tube:" + tube.tube() + "+state:ready";
        found.add(new Weighed(new Found("idle", severity.label(), tube.tube(), text, link), tube.ready()));
    }

    private static void addBuried(List<Weighed> found, TubeStatistics tube) {
        if (tube.buried() == 0) {
            return;
        }
        String text = "Tube " + tube.tube() + " has " + tasks(tube.buried(), "buried")
                + ", which no bean gets before a retry.";
        String link = "/tasks?filter=tube:" + tube.tube() + "+state:buried";
        found.add(new Weighed(new Found("buried", Severity.WARN.label(), tube.tube(), text, link), tube.buried()));
    }

    private static String tasks(long number, String state) {
        return String.format(Locale.ROOT, "%,d %s %s", number, state, number == 1 ? "task" : "tasks");
    }

    /** Returns the largest unit only: a problem's text should not change with each second. */
    static String rounded(Duration time) {
        long seconds = time.toSeconds();
        if (seconds < SECONDS_PER_MINUTE) {
            return seconds + " s";
        }
        long minutes = seconds / SECONDS_PER_MINUTE;
        if (minutes < MINUTES_PER_HOUR) {
            return minutes + " min";
        }
        long hours = minutes / MINUTES_PER_HOUR;
        return hours < HOURS_PER_DAY ? hours + " h" : hours / HOURS_PER_DAY + " d";
    }
}
