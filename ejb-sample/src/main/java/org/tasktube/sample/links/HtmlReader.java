package org.tasktube.sample.links;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;

/** Reads the links, anchors and title of an HTML page. */
public final class HtmlReader {

    /** Relations that make a browser prepare for a site, without an address on that site. */
    private static final Set<String> HINTS = Set.of("preconnect", "dns-prefetch");

    private static final Pattern REFRESH =
            Pattern.compile("\\s*[0-9.]*\\s*[;,]\\s*url\\s*=\\s*['\"]?([^'\"]*)['\"]?.*", Pattern.CASE_INSENSITIVE);
    private static final Pattern CANDIDATES = Pattern.compile(",\\s+|\\s+[^\\s,]+\\s*(?:,\\s*|$)");

    private final Set<String> anchors = new TreeSet<>();
    private final LinkCollector links;

    private HtmlReader(Address page, Address base) {
        links = new LinkCollector(page, base);
    }

    /**
     * Reads a page.
     *
     * @param charset the charset in the server's answer; null to find it in the page
     */
    public static Contents read(Address page, byte[] body, String charset) {
        Document document = parse(page, body, charset);
        // the document's base includes that of <base href>
        Address base = Address.parse(document.baseUri()).orElse(page);
        HtmlReader reader = new HtmlReader(page, base);
        document.forEachNode(node -> {
            if (node instanceof Element element) {
                reader.visit(element);
            }
        });
        return new Contents(document.title(), reader.links.found(reader.anchors), reader.anchors);
    }

    private static Document parse(Address page, byte[] body, String charset) {
        try {
            return Jsoup.parse(new ByteArrayInputStream(body), charset, page.toString());
        } catch (IOException e) {
            throw new UncheckedIOException("bytes in memory cannot fail to be read", e);
        }
    }

    private void visit(Element element) {
        addAnchor(element.id());
        switch (element.normalName()) {
            case "a" -> {
                addAnchor(element.attr("name"));
                add(LinkKind.PAGE, element, "href");
            }
            case "area" -> add(LinkKind.PAGE, element, "href");
            case "frame", "iframe" -> add(LinkKind.PAGE, element, "src");
            case "meta" -> addRefresh(element);
            case "link" -> addRelated(element);
            case "img" -> addImage(element);
            case "input" -> addImageButton(element);
            case "script", "audio", "embed", "track" -> add(LinkKind.FILE, element, "src");
            case "video" -> {
                add(LinkKind.FILE, element, "src");
                add(LinkKind.IMAGE, element, "poster");
            }
            case "source" -> {
                add(LinkKind.FILE, element, "src");
                addCandidates(element);
            }
            case "object" -> add(LinkKind.FILE, element, "data");
            default -> {}
        }
    }

    private void addAnchor(String name) {
        if (!name.isEmpty()) {
            anchors.add(name);
        }
    }

    private void add(LinkKind kind, Element element, String attribute) {
        if (element.hasAttr(attribute)) {
            links.add(kind, element.attr(attribute));
        }
    }

    private void addImage(Element element) {
        add(LinkKind.IMAGE, element, "src");
        addCandidates(element);
    }

    private void addImageButton(Element element) {
        if (element.attr("type").equalsIgnoreCase("image")) {
            add(LinkKind.IMAGE, element, "src");
        }
    }

    private void addCandidates(Element element) {
        CANDIDATES
                .splitAsStream(element.attr("srcset").strip())
                .filter(candidate -> !candidate.isBlank())
                .forEach(candidate -> links.add(LinkKind.IMAGE, candidate));
    }

    private void addRefresh(Element element) {
        Matcher refresh = REFRESH.matcher(element.attr("content"));
        if (element.attr("http-equiv").equalsIgnoreCase("refresh") && refresh.matches()) {
            links.add(LinkKind.PAGE, refresh.group(1));
        }
    }

    private void addRelated(Element element) {
        String relation = element.attr("rel").toLowerCase(Locale.ROOT).strip();
        if (HINTS.contains(relation)) {
            return;
        }
        if (relation.contains("stylesheet")) {
            add(LinkKind.STYLE, element, "href");
        } else {
            add(relation.contains("icon") ? LinkKind.IMAGE : LinkKind.PAGE, element, "href");
        }
    }
}
