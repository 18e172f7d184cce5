package org.tasktube.sample.report;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;
import org.tasktube.sample.check.Progress;
import org.tasktube.sample.report.SiteReport.SlowPage;
import org.tasktube.sample.store.SiteTotals;

import static org.assertj.core.api.Assertions.assertThat;

class ReportTest {

    private static final String SCRIPT = "javascript:alert(\"1\")</code><script>alert('&amp;')</script>";

    private static final Report REPORT = report(
            new Finding(FindingKind.MISSING_IMAGE, "http://h/x.gif", "status 404", pages(7)),
            new Finding(FindingKind.NO_ADDRESS, SCRIPT, "no address of http or https", List.of("http://h/?a=1&b='2'")),
            new Finding(FindingKind.BROKEN_LINK, "http://h/start", "given up: <no answer>", List.of()));

    @Test
    void the_text_says_it_all() {
        assertThat(TextReport.of(REPORT)).isEqualTo("""
                        Finished: 4,795 pages and 13 files of 1 hosts in 24.0 s, 200.0 a second
                        1,234,567 links, 3 findings, 1 pages given up

                        http://h
                          4,795 pages, 13 files, 1,234,567 links, 88.6 MB read
                          Missing images: 1
                            http://h/x.gif (status 404)
                              on http://h/1
                              on http://h/2
                              on http://h/3
                              on http://h/4
                              on http://h/5
                              and on 2 more; the HTML report names them all
                          Broken links: 1
                            http://h/start (given up: <no answer>)
                          Links that are no addresses: 1
                            %s (no address of http or https)
                              on http://h/?a=1&b='2'
                          Slowest:
                             1,234 ms  http://h/slow
                        """.formatted(SCRIPT));
    }

    @Test
    void the_html_names_every_page() {
        Document html = Jsoup.parse(HtmlReport.of(REPORT));
        assertThat(html.select("details").get(0).select("a").eachAttr("href")).isEqualTo(pages(7));
        assertThat(html.select("h3").eachText())
                .containsExactly("Missing images: 1", "Broken links: 1", "Links that are no addresses: 1", "Slowest");
    }

    @Test
    void the_html_shows_what_comes_from_a_site_and_does_not_run_it() {
        Document html = Jsoup.parse(HtmlReport.of(REPORT));
        assertThat(html.select("script")).isEmpty();
        assertThat(html.select("a")).extracting(link -> link.attr("href")).allMatch(url -> url.startsWith("http://"));
        assertThat(html.select("code").eachText()).contains(SCRIPT);
        assertThat(html.select(".reason").eachText()).contains("given up: <no answer>");
        Element last = html.select("a").stream()
                .filter(link -> link.text().contains("?a="))
                .findFirst()
                .orElseThrow();
        assertThat(last.attr("href")).isEqualTo("http://h/?a=1&b='2'");
    }

    @Test
    void a_percent_sign_of_a_site_is_no_format() {
        Report report = report(new Finding(FindingKind.BROKEN_LINK, "http://h/%20%s", "100%d", List.of()));
        assertThat(TextReport.of(report)).contains("http://h/%20%s (100%d)");
        assertThat(HtmlReport.of(report)).contains("http://h/%20%s", "100%d");
    }

    @Test
    void an_unfinished_report_says_so() {
        Report report = new Report(new Progress(10, 5, 0, 1), Duration.ofSeconds(10), List.of());
        assertThat(TextReport.of(report)).startsWith("Not finished, 5 to go: ");
        assertThat(HtmlReport.of(report)).contains("Not finished, 5 to go: ");
    }

    private static Report report(Finding... findings) {
        return new Report(
                new Progress(4808, 0, 1, 200),
                Duration.ofSeconds(24),
                List.of(new SiteReport(
                        new SiteTotals("http://h", 4795, 13, 1_234_567, 88_557_665),
                        List.of(findings),
                        List.of(new SlowPage("http://h/slow", 1234)))));
    }

    private static List<String> pages(int count) {
        return IntStream.rangeClosed(1, count).mapToObj(i -> "http://h/" + i).toList();
    }
}
