package org.tasktube.console.metrics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.tasktube.AdapterState;
import org.tasktube.TaskState;
import org.tasktube.TubeMode;
import org.tasktube.TubeStatistics;
import org.tasktube.admin.ServerTimings;
import org.tasktube.admin.TubeTimings;
import org.tasktube.console.metrics.Scrape.TubeNumbers;

import static org.tasktube.console.metrics.Metric.Type.COUNTER;
import static org.tasktube.console.metrics.Metric.Type.GAUGE;
import static org.tasktube.console.metrics.Metric.Type.HISTOGRAM;

/** All metrics, for Prometheus and for Micrometer. docs/metrics.md has their meaning. */
final class MetricList {

    private final List<Metric> all = new ArrayList<>();

    private MetricList() {}

    /** Returns the metrics of a scrape. Each name and each combination of labels occurs once. */
    static List<Metric> of(Scrape scrape) {
        MetricList metrics = new MetricList();
        metrics.server(scrape);
        metrics.collectors(scrape);
        scrape.tubes().ifPresent(tubes -> {
            metrics.number(tubes);
            metrics.definitions(tubes.shown());
            metrics.modes(tubes.shown());
            metrics.tasks(tubes.shown());
            metrics.events(tubes.shown());
            scrape.oldestReady().ifPresent(ages -> metrics.oldestReady(tubes.shown(), ages));
            scrape.timings().ifPresent(timings -> metrics.waitsAndRuns(tubes.shown(), timings.tubes()));
        });
        scrape.timings().ifPresent(metrics::timings);
        return metrics.all;
    }

    private void server(Scrape scrape) {
        gauge("tasktube_server_info", "The server that answers, and the version of its TaskTube. Always 1.")
                .sample(1, "server", scrape.server(), "version", scrape.version());
        gauge("tasktube_adapter_up", "1 if the adapter on this server is RUNNING, else 0.")
                .sample(scrape.state() == AdapterState.RUNNING);
        Metric state = gauge("tasktube_adapter_state", "1 for the state of the adapter on this server, else 0.");
        for (AdapterState each : AdapterState.values()) {
            state.sample(each == scrape.state(), "state", label(each));
        }
    }

    /** If the adapter does not run, nothing is read and nothing fails. */
    private void collectors(Scrape scrape) {
        if (scrape.state() == AdapterState.RUNNING) {
            Metric success = gauge(
                    "tasktube_scrape_collector_success",
                    "1 if this scrape could read these numbers, else 0: then they are missing.");
            success.sample(scrape.tubes().isPresent(), "collector", "tubes");
            success.sample(scrape.oldestReady().isPresent(), "collector", "oldest_ready");
            success.sample(scrape.timings().isPresent(), "collector", "timings");
        }
    }

    private void number(Scrape.Tubes tubes) {
        gauge("tasktube_tubes", "Tubes that exist. Each server reports the same number: use max.")
                .sample(tubes.number());
        gauge("tasktube_tubes_omitted", "Tubes whose numbers are missing because the server has too many tubes.")
                .sample(tubes.number() - tubes.shown().size());
    }

    private void definitions(List<TubeNumbers> tubes) {
        Metric info = gauge("tasktube_tube_info", "The type of a tube, and whether it is temporary. Always 1.");
        for (TubeNumbers tube : tubes) {
            info.sample(1, "tube", name(tube), "type", tube.definition().type(), "temporary", temporary(tube));
        }
        Metric capacity =
                gauge("tasktube_tube_capacity_tasks", "The largest number of tasks in a tube that has a capacity.");
        for (TubeNumbers tube : tubes) {
            tube.definition().capacity().ifPresent(tasks -> capacity.sample(tasks, "tube", name(tube)));
        }
    }

    private void modes(List<TubeNumbers> tubes) {
        Metric mode = gauge("tasktube_tube_mode", "1 for the mode of a tube as this server knows it, else 0.");
        for (TubeNumbers tube : tubes) {
            for (TubeMode each : TubeMode.values()) {
                mode.sample(each == tube.statistics().mode(), "tube", name(tube), "mode", label(each));
            }
        }
    }

    private void tasks(List<TubeNumbers> tubes) {
        Metric tasks = gauge(
                "tasktube_tasks",
                "Tasks that exist now, of all servers together: each server reports the same number, some seconds"
                        + " old, so use max, not sum.");
        for (TubeNumbers tube : tubes) {
            numbers(tube.statistics())
                    .forEach((state, number) -> tasks.sample(
                            // Until their heartbeats, a server misses the changes of the others, and may be below zero
                            Math.max(0, number),
                            "tube",
                            name(tube),
                            "state",
                            label(state),
                            "temporary",
                            temporary(tube)));
        }
    }

    private static Map<TaskState, Long> numbers(TubeStatistics statistics) {
        Map<TaskState, Long> numbers = new LinkedHashMap<>();
        numbers.put(TaskState.READY, statistics.ready());
        numbers.put(TaskState.DELAYED, statistics.delayed());
        numbers.put(TaskState.TAKEN, statistics.taken());
        numbers.put(TaskState.BURIED, statistics.buried());
        numbers.put(TaskState.DONE, statistics.results());
        return numbers;
    }

    private void events(List<TubeNumbers> tubes) {
        Metric events = metric(
                "tasktube_task_events_total",
                COUNTER,
                "Events on this server since its start, by the kinds of TubeEvent: use sum.");
        for (TubeNumbers tube : tubes) {
            new TreeMap<>(tube.statistics().events())
                    .forEach((event, number) -> events.sample(number, "tube", name(tube), "event", label(event)));
        }
        Metric ended = metric(
                "tasktube_tasks_ended_total",
                COUNTER,
                "Tasks that ended on this server since its start, by ack, delete or ttl: use sum.");
        for (TubeNumbers tube : tubes) {
            ended.sample(tube.statistics().endedSinceStart(), "tube", name(tube));
        }
    }

    private void oldestReady(List<TubeNumbers> tubes, Map<String, Duration> ages) {
        Metric age = gauge(
                "tasktube_oldest_ready_age_seconds",
                "The time since the put of the oldest READY task, a delay included; 0 if no task is READY. Each"
                        + " server reports the same number, except for temporary tubes: use max.");
        for (TubeNumbers tube : tubes) {
            age.sample(ages.getOrDefault(name(tube), Duration.ZERO), "tube", name(tube));
        }
    }

    private void waitsAndRuns(List<TubeNumbers> tubes, List<TubeTimings> timings) {
        Set<String> shown = tubes.stream().map(MetricList::name).collect(Collectors.toSet());
        List<TubeTimings> ofShown =
                timings.stream().filter(tube -> shown.contains(tube.tube())).toList();
        Metric waits = metric(
                "tasktube_task_wait_seconds",
                HISTOGRAM,
                "The time from the put of a task to its first take, a delay included, of takes on this server since its"
                        + " start: use sum.");
        ofShown.forEach(tube -> waits.sample(tube.waits(), "tube", tube.tube()));
        Metric runs = metric(
                "tasktube_task_run_seconds",
                HISTOGRAM,
                "The time from a take to its ack, of takes on this server since its start: use sum.");
        ofShown.forEach(tube -> runs.sample(tube.runs(), "tube", tube.tube()));
    }

    private void timings(ServerTimings timings) {
        metric(
                        "tasktube_deadline_lag_seconds",
                        HISTOGRAM,
                        "How late expired delays, ttrs and ttls were that this server applied since its start: use sum.")
                .sample(timings.deadlineLag());
        gauge(
                        "tasktube_deadline_overdue_seconds",
                        "By how much the next deadline that this server knows is late now; 0 if it is not.")
                .sample(timings.overdue());
        metric(
                        "tasktube_database_round_trips_total",
                        COUNTER,
                        "Statements and commits that this server sent to the database since it opened the tables.")
                .sample(timings.roundTrips());
    }

    private Metric gauge(String name, String help) {
        return metric(name, GAUGE, help);
    }

    private Metric metric(String name, Metric.Type type, String help) {
        Metric metric = new Metric(name, type, help);
        all.add(metric);
        return metric;
    }

    private static String name(TubeNumbers tube) {
        return tube.definition().name();
    }

    private static String temporary(TubeNumbers tube) {
        return Boolean.toString(tube.definition().temporary());
    }

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
