package org.tasktube.sample.report;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tasktube.sample.links.Link;
import org.tasktube.sample.links.LinkKind;

import static org.assertj.core.api.Assertions.assertThat;

class FindingsTest {

    private static final Problem MISSING = new Problem(false, "status 404");
    private static final Problem MOVED = new Problem(true, "status 301 to /y");

    @ParameterizedTest
    @CsvSource({
        "PAGE, BROKEN_LINK",
        "IMAGE, MISSING_IMAGE",
        "STYLE, MISSING_FILE",
        "FILE, MISSING_FILE",
    })
    void a_link_to_what_is_missing_is_found(LinkKind link, FindingKind kind) {
        Findings findings = new Findings(Map.of("http://h/x", MISSING));
        findings.links("http://h/a", List.of(new Link(link, "http://h/x", "")));
        assertThat(findings.bySite())
                .containsExactly(Map.entry(
                        "http://h", List.of(new Finding(kind, "http://h/x", "status 404", List.of("http://h/a")))));
    }

    @Test
    void a_link_to_what_is_there_is_not() {
        Findings findings = new Findings(Map.of());
        findings.links("http://h/a", List.of(page("http://h/x", "")));
        assertThat(findings.bySite()).isEmpty();
    }

    @Test
    void a_target_is_named_once_with_all_pages_in_order() {
        Findings findings = new Findings(Map.of("http://h/x", MISSING));
        findings.links("http://h/b", List.of(page("http://h/x", ""), page("http://h/x", "part")));
        findings.links("http://h/a", List.of(page("http://h/x", "")));
        assertThat(findings.bySite().get("http://h"))
                .singleElement()
                .extracting(Finding::pages)
                .isEqualTo(List.of("http://h/a", "http://h/b"));
    }

    @Test
    void a_finding_belongs_to_the_site_of_the_page_where_it_stands() {
        Findings findings = new Findings(Map.of("http://h/x", MISSING));
        findings.links("http://g/a", List.of(page("http://h/x", "")));
        findings.links("http://h/a", List.of(page("http://h/x", "")));
        assertThat(findings.bySite()).containsOnlyKeys("http://g", "http://h");
        assertThat(findings.bySite().get("http://g"))
                .singleElement()
                .extracting(Finding::pages)
                .isEqualTo(List.of("http://g/a"));
    }

    @Test
    void a_start_that_is_missing_is_found_without_a_page() {
        Findings findings = new Findings(Map.of("http://h/start", MISSING));
        assertThat(findings.bySite().get("http://h"))
                .containsExactly(new Finding(FindingKind.BROKEN_LINK, "http://h/start", "status 404", List.of()));
    }

    @Test
    void a_link_to_what_has_moved_is_found() {
        Findings findings = new Findings(Map.of("http://h/x", MOVED));
        findings.links("http://h/a", List.of(page("http://h/x", "")));
        assertThat(findings.bySite().get("http://h"))
                .containsExactly(
                        new Finding(FindingKind.MOVED, "http://h/x", "status 301 to /y", List.of("http://h/a")));
    }

    @Test
    void what_is_no_address_is_found() {
        Findings findings = new Findings(Map.of());
        findings.links("http://h/a", List.of(new Link(LinkKind.NO_ADDRESS, "http:// x", "")));
        assertThat(findings.bySite().get("http://h"))
                .singleElement()
                .extracting(Finding::kind)
                .isEqualTo(FindingKind.NO_ADDRESS);
    }

    @Test
    void a_link_to_an_anchor_that_is_not_there_is_found() {
        Findings findings = new Findings(Map.of());
        findings.links("http://h/a", List.of(page("http://h/x", "here"), page("http://h/x", "gone")));
        findings.anchors("http://h/x", Set.of("here"));
        assertThat(findings.bySite().get("http://h"))
                .containsExactly(new Finding(
                        FindingKind.MISSING_ANCHOR, "http://h/x#gone", "no such anchor", List.of("http://h/a")));
    }

    @Test
    void anchors_of_a_page_that_was_not_read_are_not_judged() {
        Findings findings = new Findings(Map.of());
        findings.links("http://h/a", List.of(page("http://other/x", "part")));
        assertThat(findings.bySite()).isEmpty();
    }

    @Test
    void findings_are_in_the_order_of_kind_and_target() {
        Findings findings = new Findings(Map.of("http://h/x", MISSING, "http://h/y", MISSING, "http://h/z", MOVED));
        findings.links(
                "http://h/a",
                List.of(
                        page("http://h/z", ""),
                        page("http://h/y", ""),
                        page("http://h/x", ""),
                        new Link(LinkKind.IMAGE, "http://h/y", "")));
        assertThat(findings.bySite().get("http://h"))
                .extracting(Finding::kind)
                .containsExactly(
                        FindingKind.MISSING_IMAGE, FindingKind.BROKEN_LINK, FindingKind.BROKEN_LINK, FindingKind.MOVED);
    }

    private static Link page(String url, String fragment) {
        return new Link(LinkKind.PAGE, url, fragment);
    }
}
