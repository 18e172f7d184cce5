package org.tasktube.ra.wildfly;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jboss.jca.core.spi.statistics.StatisticsPlugin;
import org.tasktube.TubeEvent;
import org.tasktube.TubeMode;
import org.tasktube.TubeStatistics;
import org.tasktube.metrics.NumbersSource;
import org.tasktube.metrics.TubeNumbers;

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

    private final transient Supplier<NumbersSource> source;
    private boolean enabled = true;

    TubesStatistics(Supplier<NumbersSource> source) {
        this.source = source;
    }

    /** A number of a tube, and its description. */
    private record Figure(String description, ToLongFunction<TubeNumbers> of) {

        static Figure ofTasks(String description, ToLongFunction<TubeStatistics> of) {
            return new Figure(description, tube -> of.applyAsLong(tube.statistics()));
        }
    }

    private static Map<String, Figure> numbers() {
        Map<String, Figure> numbers = new LinkedHashMap<>();
        numbers.put("ready", Figure.ofTasks("Tasks that are READY", TubeStatistics::ready));
        numbers.put("delayed", Figure.ofTasks("Tasks that are DELAYED", TubeStatistics::delayed));
        numbers.put("taken", Figure.ofTasks("Tasks that are TAKEN", TubeStatistics::taken));
        numbers.put("buried", Figure.ofTasks("Tasks that are BURIED", TubeStatistics::buried));
        numbers.put(
                "results", Figure.ofTasks("Tasks that are DONE and whose results are kept", TubeStatistics::results));
        numbers.put("total", Figure.ofTasks("All tasks, results included", TubeStatistics::total));
        numbers.put(
                "done",
                Figure.ofTasks(
                        "Tasks that ended on this server since its start: by ack, delete or ttl",
                        TubeStatistics::endedSinceStart));
        for (TubeEvent event : TubeEvent.values()) {
            String name = TubeNumbers.nameOf(event);
            numbers.put(
                    CALLS + name,
                    Figure.ofTasks(
                            "The number of these events on this server since its start: " + name,
                            tube -> tube.events().getOrDefault(event, 0L)));
        }
        numbers.put("beans", new Figure("Active beans of this server that get tasks", TubeNumbers::beans));
        numbers.put("waiting", new Figure("Beans and takes of this server that wait now", TubeNumbers::waiting));
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
                        + " the sums; if it is not OPEN, also by whom, since when and why. oldest-ready-seconds is missing"
                        + " if the database cannot be read now"
                : NUMBERS.get(name).description + ", over all tubes";
    }

    @Override
    public String getDescription(String name, Locale locale) {
        return getDescription(name);
    }

    @Override
    public Object getValue(String name) {
        NumbersSource numbers = source.get();
        return name.equals(TUBES)
                ? lines(numbers)
                : (Object)
                        numbers.all().stream().mapToLong(NUMBERS.get(name).of).sum();
    }

    private static String lines(NumbersSource numbers) {
        Optional<Map<String, Duration>> ages = numbers.oldestReady();
        return numbers.all().stream()
                .sorted(Comparator.comparing(TubesStatistics::name))
                .map(tube -> line(tube, ages))
                .collect(Collectors.joining("\n"));
    }

    private static String name(TubeNumbers tube) {
        return tube.statistics().tube();
    }

    /**
     * Returns a tube's mode and numbers as a line, without events of count 0, which would be most of the line. The
     * reason of the mode is last, because it has spaces.
     */
    private static String line(TubeNumbers tube, Optional<Map<String, Duration>> ages) {
        StringBuilder line = new StringBuilder(name(tube)).append(':');
        NUMBERS.forEach((name, number) -> {
            long value = number.of.applyAsLong(tube);
            if (value != 0 || !name.startsWith(CALLS)) {
                line.append(' ').append(name).append('=').append(value);
            }
        });
        ages.ifPresent(known ->
                line.append(" oldest-ready-seconds=").append(seconds(known.getOrDefault(name(tube), Duration.ZERO))));
        TubeStatistics statistics = tube.statistics();
        line.append(" mode=").append(statistics.mode());
        if (statistics.mode() != TubeMode.OPEN) {
            line.append(" by=").append(statistics.modeBy()).append(" since=").append(statistics.modeSince());
            line.append(" reason=").append(statistics.modeReason());
        }
        return line.toString();
    }

    private static String seconds(Duration age) {
        return BigDecimal.valueOf(age.toMillis(), 3).toPlainString();
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
