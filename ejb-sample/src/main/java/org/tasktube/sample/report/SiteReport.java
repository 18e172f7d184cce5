package org.tasktube.sample.report;

import java.util.List;
import org.tasktube.sample.store.SiteTotals;

/**
 * The result of the check of one site.
 *
 * @param totals the numbers of the site
 * @param findings by kind, then by target
 * @param slowest the slowest pages, the slowest first
 */
public record SiteReport(SiteTotals totals, List<Finding> findings, List<SlowPage> slowest) {

    /** A page, and the time of its answer. */
    public record SlowPage(String url, long millis) {}

    List<Finding> findings(FindingKind kind) {
        return findings.stream().filter(finding -> finding.kind() == kind).toList();
    }
}
