package org.tasktube.sample.report;

import java.util.List;
import java.util.Locale;
import org.tasktube.sample.check.Progress;
import org.tasktube.sample.report.SiteReport.SlowPage;

/** A report as plain text. It has every finding, and the first few pages of each. */
public final class TextReport {

    private static final int PAGES_SHOWN = 5;

    private final StringBuilder text = new StringBuilder();

    private TextReport() {}

    public static String of(Report report) {
        TextReport writer = new TextReport();
        writer.summary(report);
        report.sites().forEach(writer::site);
        return writer.text.toString();
    }

    private void summary(Report report) {
        Progress progress = report.progress();
        line(
                "%s: %,d pages and %,d files of %,d hosts in %.1f s, %.1f a second",
                progress.finished() ? "Finished" : "Not finished, " + progress.waiting() + " to go",
                report.pages(),
                report.files(),
                report.sites().size(),
                report.time().toMillis() / 1000.0,
                progress.perSecond());
        line("%,d links, %,d findings, %,d pages given up", report.links(), report.findings(), progress.buried());
    }

    private void site(SiteReport site) {
        line("");
        line("%s", site.totals().site());
        line(
                "  %,d pages, %,d files, %,d links, %,.1f MB read",
                site.totals().pages(),
                site.totals().files(),
                site.totals().links(),
                site.totals().bytes() / 1e6);
        for (FindingKind kind : FindingKind.values()) {
            findings(kind, site.findings(kind));
        }
        line("  Slowest:");
        site.slowest().forEach(this::slow);
    }

    private void findings(FindingKind kind, List<Finding> findings) {
        if (findings.isEmpty()) {
            return;
        }
        line("  %s: %,d", kind.heading(), findings.size());
        findings.forEach(this::finding);
    }

    private void finding(Finding finding) {
        line("    %s (%s)", finding.target(), finding.reason());
        finding.pages().stream().limit(PAGES_SHOWN).forEach(page -> line("      on %s", page));
        int more = finding.pages().size() - PAGES_SHOWN;
        if (more > 0) {
            line("      and on %,d more; the HTML report names them all", more);
        }
    }

    private void slow(SlowPage page) {
        line("    %,6d ms  %s", page.millis(), page.url());
    }

    private void line(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
