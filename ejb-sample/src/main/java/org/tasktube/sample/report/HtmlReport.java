package org.tasktube.sample.report;

import java.util.List;
import java.util.Locale;
import org.tasktube.sample.check.Progress;
import org.tasktube.sample.links.Address;
import org.tasktube.sample.report.SiteReport.SlowPage;

/** A report as one HTML page without other files. All text of the sites is escaped. */
public final class HtmlReport {

    private static final String STYLE = """
            body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
            h1, h2, h3 { line-height: 1.2 } h2 { margin-top: 3rem; border-bottom: 1px solid #ccc }
            table { border-collapse: collapse } td, th { padding: .2rem 1rem .2rem 0; text-align: left }
            td.number { text-align: right; font-variant-numeric: tabular-nums }
            code { overflow-wrap: anywhere } .reason { color: #a00 } summary { cursor: pointer }
            """;

    private final StringBuilder html = new StringBuilder();

    private HtmlReport() {}

    public static String of(Report report) {
        HtmlReport writer = new HtmlReport();
        writer.begin();
        writer.summary(report);
        report.sites().forEach(writer::site);
        writer.add("</body>\n</html>\n");
        return writer.html.toString();
    }

    private void begin() {
        add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        add("<meta name=\"viewport\" content=\"width=device-width\">\n<title>Link check</title>\n");
        add("<style>\n%s</style>\n</head>\n<body>\n<h1>Link check</h1>\n", STYLE);
    }

    private void summary(Report report) {
        Progress progress = report.progress();
        add(
                "<p>%s: %,d pages and %,d files of %,d hosts in %.1f s, %.1f a second.<br>\n",
                progress.finished() ? "Finished" : "Not finished, " + progress.waiting() + " to go",
                report.pages(),
                report.files(),
                report.sites().size(),
                report.time().toMillis() / 1000.0,
                progress.perSecond());
        add("%,d links, %,d findings, ", report.links(), report.findings());
        add("%,d pages given up.</p>\n", progress.buried());
    }

    private void site(SiteReport site) {
        add("<h2>%s</h2>\n", escape(site.totals().site()));
        add("<p>%,d pages, %,d files, ", site.totals().pages(), site.totals().files());
        add(
                "%,d links, %,.1f MB read.</p>\n",
                site.totals().links(), site.totals().bytes() / 1e6);
        for (FindingKind kind : FindingKind.values()) {
            findings(kind, site.findings(kind));
        }
        slowest(site.slowest());
    }

    private void findings(FindingKind kind, List<Finding> findings) {
        if (findings.isEmpty()) {
            return;
        }
        add("<h3>%s: %,d</h3>\n<ul>\n", escape(kind.heading()), findings.size());
        findings.forEach(this::finding);
        add("</ul>\n");
    }

    private void finding(Finding finding) {
        add("<li>%s <span class=\"reason\">%s</span>", link(finding.target()), escape(finding.reason()));
        if (!finding.pages().isEmpty()) {
            int pages = finding.pages().size();
            add("\n<details><summary>on %,d %s</summary>\n<ul>\n", pages, pages == 1 ? "page" : "pages");
            finding.pages().forEach(page -> add("<li>%s</li>\n", link(page)));
            add("</ul>\n</details>");
        }
        add("</li>\n");
    }

    private void slowest(List<SlowPage> pages) {
        add("<h3>Slowest</h3>\n<table>\n");
        pages.forEach(
                page -> add("<tr><td class=\"number\">%,d ms</td><td>%s</td></tr>\n", page.millis(), link(page.url())));
        add("</table>\n");
    }

    /**
     * Returns a link if the target is a web page. Any other text, for instance a script, must not become a link here.
     */
    private static String link(String url) {
        String shown = "<code>" + escape(url) + "</code>";
        return Address.parse(url).isPresent() ? "<a href=\"" + escape(url) + "\">" + shown + "</a>" : shown;
    }

    /** Escapes text for an element or a quoted attribute. */
    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    private void add(String format, Object... values) {
        html.append(values.length == 0 ? format : String.format(Locale.ROOT, format, values));
    }
}
