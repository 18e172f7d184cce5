package org.tasktube.sample.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.tasktube.sample.links.Address;
import org.tasktube.sample.links.Anchors;
import org.tasktube.sample.links.Link;
import org.tasktube.sample.links.LinkKind;

/**
 * Collects the faults and their pages: first from the links of all pages, then from their anchors. It holds the faults,
 * and the links to anchors of other pages, but not all links.
 */
final class Findings {

    private final Map<String, Problem> problems;
    private final Map<Target, Set<String>> pagesByTarget = new HashMap<>();
    private final Map<String, Map<String, List<String>>> pagesByAnchorByUrl = new HashMap<>();

    private record Target(FindingKind kind, String url, String reason) {}

    /**
     * Creates findings.
     *
     * @param problems the pages and files that could not be fetched, by url
     */
    Findings(Map<String, Problem> problems) {
        this.problems = problems;
    }

    /** Adds the links of a page. */
    void links(String page, List<Link> links) {
        links.forEach(link -> link(page, link));
    }

    private void link(String page, Link link) {
        Problem problem = problems.get(link.url());
        if (link.kind() == LinkKind.NO_ADDRESS) {
            add(new Target(FindingKind.NO_ADDRESS, link.url(), "no address of http or https"), page);
        } else if (problem != null) {
            FindingKind kind = problem.moved() ? FindingKind.MOVED : FindingKind.missing(link.kind());
            add(new Target(kind, link.url(), problem.reason()), page);
        } else if (link.kind() == LinkKind.PAGE && !link.fragment().isEmpty()) {
            pagesByAnchorByUrl
                    .computeIfAbsent(link.url(), url -> new LinkedHashMap<>())
                    .computeIfAbsent(link.fragment(), fragment -> new ArrayList<>(1))
                    .add(page);
        }
    }

    /** Adds the anchors of a page. Call this after the links of all pages. */
    void anchors(String page, Set<String> anchors) {
        pagesByAnchorByUrl.getOrDefault(page, Map.of()).forEach((fragment, pages) -> {
            if (!Anchors.contains(anchors, fragment)) {
                Target target = new Target(FindingKind.MISSING_ANCHOR, page + "#" + fragment, "no such anchor");
                pages.forEach(from -> add(target, from));
            }
        });
    }

    private void add(Target target, String page) {
        pagesByTarget.computeIfAbsent(target, key -> new TreeSet<>()).add(page);
    }

    /** Returns the faults by the site of the pages that have them, because that site's owner can correct them. */
    Map<String, List<Finding>> bySite() {
        Map<String, List<Finding>> bySite = new TreeMap<>();
        pagesByTarget.forEach((target, pages) -> group(pages)
                .forEach((site, some) -> bySite.computeIfAbsent(site, key -> new ArrayList<>())
                        .add(new Finding(target.kind(), target.url(), target.reason(), some))));
        unlinked().forEach((url, problem) -> bySite.computeIfAbsent(site(url), key -> new ArrayList<>())
                .add(unlinked(url, problem)));
        bySite.values()
                .forEach(findings ->
                        findings.sort(Comparator.comparing(Finding::kind).thenComparing(Finding::target)));
        return bySite;
    }

    private static Map<String, List<String>> group(Set<String> pages) {
        Map<String, List<String>> bySite = new TreeMap<>();
        pages.forEach(page ->
                bySite.computeIfAbsent(site(page), key -> new ArrayList<>()).add(page));
        return bySite;
    }

    /** Returns the start pages of the check that could not be fetched. */
    private Map<String, Problem> unlinked() {
        Map<String, Problem> unlinked = new HashMap<>(problems);
        pagesByTarget.keySet().forEach(target -> unlinked.remove(target.url()));
        return unlinked;
    }

    private static Finding unlinked(String url, Problem problem) {
        FindingKind kind = problem.moved() ? FindingKind.MOVED : FindingKind.BROKEN_LINK;
        return new Finding(kind, url, problem.reason(), List.of());
    }

    private static String site(String url) {
        return Address.parse(url).map(Address::site).orElse("");
    }
}
