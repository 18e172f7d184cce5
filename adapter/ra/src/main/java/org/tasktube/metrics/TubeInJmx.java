package org.tasktube.metrics;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.tasktube.TubeStatistics;

/** Reads each attribute anew, by the tube's name: a tube that is dropped and created again is the same one here. */
record TubeInJmx(String tube, NumbersSource source) implements TubeMXBean {

    private TubeNumbers numbers() {
        return source.of(tube).orElseThrow(() -> new IllegalStateException("tube '" + tube + "' was dropped"));
    }

    private TubeStatistics statistics() {
        return numbers().statistics();
    }

    @Override
    public long getReady() {
        return statistics().ready();
    }

    @Override
    public long getDelayed() {
        return statistics().delayed();
    }

    @Override
    public long getTaken() {
        return statistics().taken();
    }

    @Override
    public long getBuried() {
        return statistics().buried();
    }

    @Override
    public long getResults() {
        return statistics().results();
    }

    @Override
    public long getTotal() {
        return statistics().total();
    }

    @Override
    public long getDone() {
        return statistics().endedSinceStart();
    }

    @Override
    public Map<String, Long> getCalls() {
        Map<String, Long> calls = new TreeMap<>();
        statistics().events().forEach((event, number) -> calls.put(TubeNumbers.nameOf(event), number));
        return calls;
    }

    @Override
    public String getMode() {
        return statistics().mode().name();
    }

    @Override
    public String getModeBy() {
        return statistics().modeBy();
    }

    @Override
    public String getModeSince() {
        return statistics().modeSince().toString();
    }

    @Override
    public String getModeReason() {
        return statistics().modeReason();
    }

    @Override
    public int getBeans() {
        return numbers().beans();
    }

    @Override
    public int getWaiting() {
        return numbers().waiting();
    }

    @Override
    public Double getOldestReadySeconds() {
        return source.oldestReady()
                .map(ages -> ages.getOrDefault(tube, Duration.ZERO).toMillis() / 1_000.0)
                .orElse(null);
    }
}
