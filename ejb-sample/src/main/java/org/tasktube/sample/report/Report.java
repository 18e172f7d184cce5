package org.tasktube.sample.report;

import java.time.Duration;
import java.util.List;
import org.tasktube.sample.check.Progress;

/** The result of the check, current or final. */
public record Report(Progress progress, Duration time, List<SiteReport> sites) {

    long pages() {
        return sites.stream().mapToLong(site -> site.totals().pages()).sum();
    }

    long files() {
        return sites.stream().mapToLong(site -> site.totals().files()).sum();
    }

    long links() {
        return sites.stream().mapToLong(site -> site.totals().links()).sum();
    }

    long findings() {
        return sites.stream().mapToLong(site -> site.findings().size()).sum();
    }
}
