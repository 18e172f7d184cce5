package org.tasktube.ra.wildfly;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jboss.jca.core.spi.statistics.StatisticsPlugin;
import org.tasktube.TubeEvent;
import org.tasktube.TubeStatistics;

/** The sums over all tubes, as attributes of the adapter in the management model. */
final class TubesStatistics implements StatisticsPlugin {

    private static final long serialVersionUID = 1;

    private static final List<String> STATES = List.of("ready", "delayed", "taken", "buried", "done", "total");

    private final transient Supplier<List<TubeStatistics>> tubes;
    private boolean enabled = true;

    TubesStatistics(Supplier<List<TubeStatistics>> tubes) {
        this.tubes = tubes;
    }

    @Override
    public Set<String> getNames() {
        Set<String> names = new TreeSet<>(STATES);
        for (TubeEvent event : TubeEvent.values()) {
            names.add("calls-" + dashed(event));
        }
        return names;
    }

    private static String dashed(TubeEvent event) {
        return event.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public Class<?> getType(String name) {
        return long.class;
    }

    @Override
    public String getDescription(String name) {
        return STATES.contains(name)
                ? "Tasks that are " + name + ", over all tubes"
                : "How often it happened on this server since its start: " + name.substring("calls-".length());
    }

    @Override
    public String getDescription(String name, Locale locale) {
        return getDescription(name);
    }

    @Override
    public Object getValue(String name) {
        Collection<TubeStatistics> all = tubes.get();
        return all.stream().mapToLong(tube -> value(tube, name)).sum();
    }

    private static long value(TubeStatistics tube, String name) {
        return switch (name) {
            case "ready" -> tube.ready();
            case "delayed" -> tube.delayed();
            case "taken" -> tube.taken();
            case "buried" -> tube.buried();
            case "done" -> tube.done();
            case "total" -> tube.total();
            default -> tube.calls().getOrDefault(event(name), 0L);
        };
    }

    private static TubeEvent event(String name) {
        return TubeEvent.valueOf(
                name.substring("calls-".length()).replace('-', '_').toUpperCase(Locale.ROOT));
    }

    @Override
    public boolean isEnabled() {
        return enabled;
    }

    @Override
    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    /** The counters are the adapter's own, kept whether somebody reads them or not. */
    @Override
    public void clear() {}
}
