package org.tasktube.sample.report;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.tasktube.sample.check.LinkChecker;
import org.tasktube.sample.check.PagesTube;
import org.tasktube.sample.check.Progress;
import org.tasktube.sample.report.SiteReport.SlowPage;
import org.tasktube.sample.store.Found;
import org.tasktube.sample.store.SiteTotals;

/** Creates reports from the database and the tube. */
@ApplicationScoped
@Transactional
public class Reports {

    private static final int SLOWEST = 5;

    @Inject
    private Found found;

    @Inject
    private PagesTube tube;

    @Inject
    private LinkChecker checker;

    public Report report() {
        Progress progress = checker.progress();
        return new Report(progress, found.totals().time(), sites(findings().bySite()));
    }

    private Findings findings() {
        Map<String, Problem> problems = new HashMap<>();
        found.refused().forEach(page -> problems.put(page.url(), Problem.of(page)));
        tube.givenUp().forEach(page -> problems.put(page.url(), Problem.givenUp(page.reason())));
        Findings findings = new Findings(problems);
        found.forEachLinks(findings::links);
        found.forEachAnchors(findings::anchors);
        return findings;
    }

    private List<SiteReport> sites(Map<String, List<Finding>> findings) {
        Map<String, SiteTotals> totals = new HashMap<>();
        found.sites().forEach(site -> totals.put(site.site(), site));
        TreeSet<String> names = new TreeSet<>(totals.keySet());
        // also a site without any fetched page
        names.addAll(findings.keySet());
        return names.stream()
                .map(site -> new SiteReport(
                        totals.getOrDefault(site, new SiteTotals(site, 0, 0, 0, 0)),
                        findings.getOrDefault(site, List.of()),
                        slowest(site)))
                .toList();
    }

    private List<SlowPage> slowest(String site) {
        return found.slowest(site, SLOWEST).stream()
                .map(page -> new SlowPage(page.url(), page.millis()))
                .toList();
    }
}
