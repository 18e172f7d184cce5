package org.tasktube.console.metrics;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.tasktube.AdapterState;
import org.tasktube.TaskState;
import org.tasktube.TubeMode;
import org.tasktube.TubeStatistics;
import org.tasktube.console.metrics.Exposition.Family;
import org.tasktube.console.metrics.Scrape.TubeNumbers;

import static org.tasktube.console.metrics.Exposition.Type.COUNTER;
import static org.tasktube.console.metrics.Exposition.Type.GAUGE;

/** The metrics in Prometheus' text format. docs/metrics.md has their meaning. */
final class PrometheusText {

    /** The type of the answer. */
    static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final Exposition exposition = new Exposition();

    private PrometheusText() {}

    /** Returns the metrics of a scrape. Each name and each combination of labels occurs once. */
    static String of(Scrape scrape) {
        PrometheusText metrics = new PrometheusText();
        metrics.server(scrape);
        metrics.collectors(scrape);
        scrape.tubes().ifPresent(tubes -> {
            metrics.number(tubes);
            metrics.definitions(tubes.shown());
            metrics.modes(tubes.shown());
            metrics.tasks(tubes.shown());
            metrics.events(tubes.shown());
            scrape.oldestReady().ifPresent(ages -> metrics.oldestReady(tubes.shown(), ages));
        });
        return metrics.exposition.text();
    }

    private void server(Scrape scrape) {
        gauge("tasktube_server_info", "The server that answers, and the version of its TaskTube. Always 1.")
                .sample(1, "server", scrape.server(), "version", scrape.version());
        gauge("tasktube_adapter_up", "1 if the adapter on this server is RUNNING, else 0.")
                .sample(scrape.state() == AdapterState.RUNNING);
        Family state = gauge("tasktube_adapter_state", "1 for the state of the adapter on this server, else 0.");
        for (AdapterState each : AdapterState.values()) {
            state.sample(each == scrape.state(), "state", label(each));
        }
    }

    /** If the adapter does not run, nothing is read and nothing fails. */
    private void collectors(Scrape scrape) {
        if (scrape.state() == AdapterState.RUNNING) {
            Family success = gauge(
                    "tasktube_scrape_collector_success",
                    "1 if this scrape could read these numbers, else 0: then they are missing.");
            success.sample(scrape.tubes().isPresent(), "collector", "tubes");
            success.sample(scrape.oldestReady().isPresent(), "collector", "oldest_ready");
        }
    }

    private void number(Scrape.Tubes tubes) {
        gauge("tasktube_tubes", "Tubes that exist. Each server reports the same number: use max.")
                .sample(tubes.number());
        gauge("tasktube_tubes_omitted", "Tubes whose numbers are missing because the server has too many tubes.")
                .sample(tubes.number() - tubes.shown().size());
    }

    private void definitions(List<TubeNumbers> tubes) {
        Family info = gauge("tasktube_tube_info", "The type of a tube, and whether it is temporary. Always 1.");
        for (TubeNumbers tube : tubes) {
            info.sample(1, "tube", name(tube), "type", tube.definition().type(), "temporary", temporary(tube));
        }
        Family capacity =
                gauge("tasktube_tube_capacity_tasks", "The largest number of tasks in a tube that has a capacity.");
        for (TubeNumbers tube : tubes) {
            tube.definition().capacity().ifPresent(tasks -> capacity.sample(tasks, "tube", name(tube)));
        }
    }

    private void modes(List<TubeNumbers> tubes) {
        Family mode = gauge("tasktube_tube_mode", "1 for the mode of a tube as this server knows it, else 0.");
        for (TubeNumbers tube : tubes) {
            for (TubeMode each : TubeMode.values()) {
                mode.sample(each == tube.statistics().mode(), "tube", name(tube), "mode", label(each));
            }
        }
    }

    private void tasks(List<TubeNumbers> tubes) {
        Family tasks = gauge(
                "tasktube_tasks",
                "Tasks that exist now. All servers together, except in temporary tubes: each server reports the same"
                        + " number, up to a minute old, so use max, not sum. With temporary=\"true\", the tasks of"
                        + " this server: use sum.");
        for (TubeNumbers tube : tubes) {
            numbers(tube.statistics())
                    .forEach((state, number) -> tasks.sample(
                            // Between two counts, a server misses the changes of the others, and may be below zero
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
        Family events = exposition.family(
                "tasktube_task_events_total",
                COUNTER,
                "Events on this server since its start, by the kinds of TubeEvent: use sum.");
        for (TubeNumbers tube : tubes) {
            new TreeMap<>(tube.statistics().events())
                    .forEach((event, number) -> events.sample(number, "tube", name(tube), "event", label(event)));
        }
        Family ended = exposition.family(
                "tasktube_tasks_ended_total",
                COUNTER,
                "Tasks that ended on this server since its start, by ack, delete or ttl: use sum.");
        for (TubeNumbers tube : tubes) {
            ended.sample(tube.statistics().endedSinceStart(), "tube", name(tube));
        }
    }

    private void oldestReady(List<TubeNumbers> tubes, Map<String, Duration> ages) {
        Family age = gauge(
                "tasktube_oldest_ready_age_seconds",
                "The time since the put of the oldest READY task, a delay included; 0 if no task is READY. Each"
                        + " server reports the same number, except for temporary tubes: use max.");
        for (TubeNumbers tube : tubes) {
            age.sample(ages.getOrDefault(name(tube), Duration.ZERO), "tube", name(tube));
        }
    }

    private Family gauge(String name, String help) {
        return exposition.family(name, GAUGE, help);
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
