package org.tasktube.ra;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.tasktube.TubeStatistics;
import org.tasktube.metrics.NumbersSource;
import org.tasktube.metrics.OldestReadyAges;
import org.tasktube.metrics.TubeNumbers;
import org.tasktube.node.Node;

/** The numbers of a node's tubes. */
final class NodeNumbers implements NumbersSource {

    private final Node node;
    private final OldestReadyAges ages;

    NodeNumbers(Node node) {
        this.node = node;
        this.ages = new OldestReadyAges(node::oldestReady, System::nanoTime);
    }

    @Override
    public List<TubeNumbers> all() {
        Map<String, Long> beans = node.beansByTube();
        return node.statistics().stream().map(tube -> numbers(tube, beans)).toList();
    }

    private TubeNumbers numbers(TubeStatistics tube, Map<String, Long> beans) {
        int active = beans.getOrDefault(tube.tube(), 0L).intValue();
        return new TubeNumbers(tube, active, node.waiting(tube.tube()));
    }

    @Override
    public Optional<Map<String, Duration>> oldestReady() {
        return ages.get();
    }
}
