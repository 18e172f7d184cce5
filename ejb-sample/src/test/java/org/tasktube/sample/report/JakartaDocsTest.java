package org.tasktube.sample.report;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.sample.links.Address;
import org.tasktube.sample.links.Contents;
import org.tasktube.sample.links.HtmlReader;
import org.tasktube.sample.links.Link;
import org.tasktube.sample.links.PackedLines;
import org.tasktube.sample.links.StyleReader;

import static org.assertj.core.api.Assertions.assertThat;

/** The whole of the real input, straight from its archive: what the sample must find on each of its three hosts. */
@Tag("full")
class JakartaDocsTest {

    private static final Address START = Address.start("http://127.0.0.11:8080/jakartaee-docs/index.html");
    private static final String ROOT = "/jakartaee-docs";

    private static final Map<String, Contents> READ = new HashMap<>();
    private static final Map<String, Problem> MISSING = new HashMap<>();
    private static List<Finding> findings;

    @BeforeAll
    static void check() throws IOException {
        try (FileSystem docs = FileSystems.newFileSystem(Path.of("target/docs/jakartaee-docs.war"))) {
            Queue<String> waiting = new ArrayDeque<>(List.of(START.toString()));
            Set<String> known = new HashSet<>(waiting);
            while (!waiting.isEmpty()) {
                for (Link link : visit(docs, Address.start(waiting.remove()))) {
                    if (link.url().startsWith(START.site() + "/") && known.add(link.url())) {
                        waiting.add(link.url());
                    }
                }
            }
        }
        Findings all = new Findings(MISSING);
        READ.forEach((url, contents) -> all.links(url, contents.links()));
        READ.forEach((url, contents) -> all.anchors(url, contents.anchors()));
        findings = all.bySite().get(START.site());
    }

    private static List<Link> visit(FileSystem docs, Address address) throws IOException {
        Path file = docs.getPath(address.path().substring(ROOT.length()));
        if (!Files.exists(file)) {
            MISSING.put(address.toString(), new Problem(false, "status 404"));
            return List.of();
        }
        Contents contents = read(address, file);
        READ.put(address.toString(), contents);
        return contents.links();
    }

    private static Contents read(Address address, Path file) throws IOException {
        if (address.path().endsWith(".html")) {
            return HtmlReader.read(address, Files.readAllBytes(file), null);
        }
        return address.path().endsWith(".css") ? StyleReader.read(address, Files.readString(file)) : Contents.NONE;
    }

    @Test
    void every_page_of_the_archive_is_found_but_the_one_that_no_page_links_to() {
        assertThat(READ.keySet().stream().filter(url -> url.endsWith(".html"))).hasSize(4795);
    }

    @Test
    void the_images_that_the_archive_lacks_are_found() {
        assertThat(names(FindingKind.MISSING_IMAGE))
                .containsExactly(
                        "TaskListener_StateDiagram.gif",
                        "BodyTagProtocol.gif",
                        "IterationTagProtocol.gif",
                        "TagProtocol.gif",
                        "VariableInfo-1.gif");
    }

    @Test
    void the_style_sheet_that_another_one_imports_in_vain_is_found() {
        assertThat(names(FindingKind.MISSING_FILE)).containsExactly("dejavu.css");
    }

    @Test
    void links_to_anchors_that_are_not_on_the_page_are_found() {
        assertThat(names(FindingKind.MISSING_ANCHOR)).hasSize(15).contains("ArrayELResolver.html#isReadOnly");
    }

    @Test
    void nothing_else_is_wrong() {
        assertThat(findings).hasSize(5 + 1 + 15);
    }

    @Test
    void all_links_of_the_site_take_little_room() {
        long bytes = READ.values().stream()
                .mapToLong(
                        contents -> PackedLines.pack(contents.links().stream().map(Link::line)).length)
                .sum();
        assertThat(bytes).isLessThan(3_000_000);
    }

    private static List<String> names(FindingKind kind) {
        return findings.stream()
                .filter(finding -> finding.kind() == kind)
                .map(finding -> finding.target().replaceFirst(".*/", ""))
                .toList();
    }
}
