package org.tasktube.sample.report;

import java.util.List;
import org.tasktube.sample.store.SiteTotals;

/**
 * What came of the check of a site.
 *
 * @param findings by kind, then by target
 * @param slowest the slowest first
 */
public record SiteReport(SiteTotals totals, List<Finding> findings, List<SlowPage> slowest) {

    /** A page, and how long it took to get it. */
    public record SlowPage(String url, long millis) {}

    List<Finding> findings(FindingKind kind) {
        return findings.stream().filter(finding -> finding.kind() == kind).toList();
    }
}
