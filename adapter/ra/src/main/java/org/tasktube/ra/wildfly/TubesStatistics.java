package org.tasktube.ra.wildfly;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jboss.jca.core.spi.statistics.StatisticsPlugin;
import org.tasktube.TubeEvent;
import org.tasktube.TubeMode;
import org.tasktube.TubeStatistics;

/**
 * The statistics of the tubes in the management model. Each sum over all tubes is an attribute, and one text has the
 * numbers of each tube.
 */
final class TubesStatistics implements StatisticsPlugin {

    /**
     * The attribute with each tube's numbers. It is a text, because WildFly reads the names of attributes only when it
     * deploys the adapter, and tubes come and go.
     */
    static final String TUBES = "tubes";

    private static final long serialVersionUID = 1;

    private static final String CALLS = "calls-";
    private static final Map<String, Figure> NUMBERS = numbers();

    private final transient Supplier<List<TubeStatistics>> tubes;
    private boolean enabled = true;

    TubesStatistics(Supplier<List<TubeStatistics>> tubes) {
        this.tubes = tubes;
    }

    /** A number of a tube, and its description. */
    private record Figure(String description, ToLongFunction<TubeStatistics> of) {}

    private static Map<String, Figure> numbers() {
        Map<String, Figure> numbers = new LinkedHashMap<>();
        numbers.put("ready", new Figure("Tasks that are READY", TubeStatistics::ready));
        numbers.put("delayed", new Figure("Tasks that are DELAYED", TubeStatistics::delayed));
        numbers.put("taken", new Figure("Tasks that are TAKEN", TubeStatistics::taken));
        numbers.put("buried", new Figure("Tasks that are BURIED", TubeStatistics::buried));
        numbers.put("results", new Figure("Tasks that are DONE and whose results are kept", TubeStatistics::results));
        numbers.put("total", new Figure("All tasks, results included", TubeStatistics::total));
        numbers.put(
                "done",
                new Figure(
                        "Tasks that ended on this server since its start: by ack, delete or ttl",
                        TubeStatistics::endedSinceStart));
        for (TubeEvent event : TubeEvent.values()) {
            String name = event.name().toLowerCase(Locale.ROOT).replace('_', '-');
            numbers.put(
                    CALLS + name,
                    new Figure(
                            "The number of these events on this server since its start: " + name,
                            tube -> tube.events().getOrDefault(event, 0L)));
        }
        return numbers;
    }

    @Override
    public Set<String> getNames() {
        Set<String> names = new TreeSet<>(NUMBERS.keySet());
        names.add(TUBES);
        return names;
    }

    @Override
    public Class<?> getType(String name) {
        return name.equals(TUBES) ? String.class : long.class;
    }

    @Override
    public String getDescription(String name) {
        return name.equals(TUBES)
                ? "The numbers of each tube: one line per tube, with its name, its mode and its numbers by the names of"
                        + " the sums; if it is not OPEN, also by whom, since when and why"
                : NUMBERS.get(name).description + ", over all tubes";
    }

    @Override
    public String getDescription(String name, Locale locale) {
        return getDescription(name);
    }

    @Override
    public Object getValue(String name) {
        List<TubeStatistics> all = tubes.get();
        return name.equals(TUBES)
                ? lines(all)
                : (Object) all.stream().mapToLong(NUMBERS.get(name).of).sum();
    }

    private static String lines(List<TubeStatistics> all) {
        return all.stream()
                .sorted(Comparator.comparing(TubeStatistics::tube))
                .map(TubesStatistics::line)
                .collect(Collectors.joining("\n"));
    }

    /**
     * Returns a tube's mode and numbers as a line, without events of count 0, which would be most of the line. The
     * reason of the mode is last, because it has spaces.
     */
    private static String line(TubeStatistics tube) {
        StringBuilder line = new StringBuilder(tube.tube()).append(':');
        NUMBERS.forEach((name, number) -> {
            long value = number.of.applyAsLong(tube);
            if (value != 0 || !name.startsWith(CALLS)) {
                line.append(' ').append(name).append('=').append(value);
            }
        });
        line.append(" mode=").append(tube.mode());
        if (tube.mode() != TubeMode.OPEN) {
            line.append(" by=").append(tube.modeBy()).append(" since=").append(tube.modeSince());
            line.append(" reason=").append(tube.modeReason());
        }
        return line.toString();
    }

    @Override
    public boolean isEnabled() {
        return enabled;
    }

    @Override
    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    /** Has no effect: the counters are the adapter's own, and always enabled. */
    @Override
    public void clear() {}
}
