package org.tasktube;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.tasktube.admin.FilterField;
import org.tasktube.admin.TaskFilter;

import static org.assertj.core.api.Assertions.assertThat;

/** A reader of the documents finds what they name. */
class DocumentsTest {

    private static final Path ROOT = Documents.ROOT;
    private static final List<String> MODULES =
            List.of("adapter/api", "adapter/ra", "adapter/testkit", "adapter/timers", "adapter/console", "ejb-sample");

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

    /** A class in backticks with its package, as {@code queue.Deadlines} or {@code org.tasktube.Tube}. */
    private static final Pattern CLASS = Pattern.compile("`((?:[a-z]+\\.)+[A-Z]\\w*)(?:\\.[a-z]\\w*)?`");

    private static final Pattern ERROR_ROW = Pattern.compile("(?m)^\\| `(\\w+Exception)` \\|");

    private static final Pattern PATCHED = Pattern.compile("(?m)^\\+\\+\\+ b/(.*)$");

    private static final Pattern REMOVED = Pattern.compile("(?m)^-(?!-- )(.*)$");

    private static final Set<String> OTHER_PACKAGES = Set.of("java", "javax", "jakarta", "org.jboss", "org.hibernate");

    @Test
    void the_page_of_the_search_has_each_field_with_an_example_that_is_a_filter() {
        Set<String> rows = matches(
                        Pattern.compile("(?m)^\\| `([a-z]+)` \\|"), Documents.prose(ROOT.resolve("docs/search.md")))
                .collect(Collectors.toSet());
        assertThat(rows)
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(FilterField.values()).map(FilterField::label).toList());
        matches(Pattern.compile("(?m)^\\| `[a-z]+` \\| `([^`]+)` \\|"), Documents.prose(ROOT.resolve("docs/search.md")))
                .forEach(TaskFilter::parse);
    }

    @Test
    void each_link_of_a_document_leads_to_a_file_and_to_a_heading_in_it() {
        List<String> broken = new ArrayList<>();
        for (Path document : Documents.all()) {
            matches(LINK, Documents.prose(document))
                    .filter(link -> !link.contains("://"))
                    .filter(link -> !isFound(document, link))
                    .forEach(link -> broken.add(ROOT.relativize(document) + ": " + link));
        }
        assertThat(broken).isEmpty();
    }

    private static boolean isFound(Path document, String link) {
        int hash = link.indexOf('#');
        String file = hash < 0 ? link : link.substring(0, hash);
        Path target = file.isEmpty() ? document : document.resolveSibling(file).normalize();
        return Files.exists(target) && (hash < 0 || anchors(target).contains(link.substring(hash + 1)));
    }

    private static Set<String> anchors(Path document) {
        return matches(HEADING, Documents.prose(document))
                .map(DocumentsTest::anchor)
                .collect(Collectors.toSet());
    }

    /** As GitHub makes it. */
    private static String anchor(String heading) {
        return heading.strip()
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }

    @Test
    void each_class_that_a_document_names_with_its_package_is_there() {
        List<String> missing = new ArrayList<>();
        for (Path document : Documents.all()) {
            matches(CLASS, Documents.prose(document))
                    .filter(name -> OTHER_PACKAGES.stream().noneMatch(other -> name.startsWith(other + ".")))
                    .filter(name -> !isOurs(name))
                    .forEach(name -> missing.add(ROOT.relativize(document) + ": " + name));
        }
        assertThat(missing).isEmpty();
    }

    private static boolean isOurs(String name) {
        String qualified = name.startsWith("org.tasktube.") ? name : "org.tasktube." + name;
        String file = qualified.replace('.', '/') + ".java";
        return MODULES.stream()
                .flatMap(module -> Stream.of("src/main/java", "src/test/java")
                        .map(sources -> ROOT.resolve(module).resolve(sources).resolve(file)))
                .anyMatch(Files::exists);
    }

    /** Not in the copy into which one of them is put. */
    @Test
    @DisabledIf("isOfAMutant")
    void each_mutant_is_a_change_of_lines_that_are_there() throws IOException {
        List<String> missing = new ArrayList<>();
        try (Stream<Path> files = Files.list(ROOT.resolve("itest/mutants"))) {
            for (Path patch :
                    files.filter(file -> file.toString().endsWith(".patch")).toList()) {
                String text = Documents.read(patch);
                String changed = Documents.read(
                        ROOT.resolve(matches(PATCHED, text).findFirst().orElseThrow()));
                matches(REMOVED, text)
                        .filter(line -> !changed.contains(line))
                        .forEach(line -> missing.add(patch.getFileName() + ": " + line));
            }
        }
        assertThat(missing).isEmpty();
    }

    static boolean isOfAMutant() {
        return ROOT.toAbsolutePath().normalize().endsWith("target/mutants");
    }

    @Test
    void the_table_of_errors_has_each_exception_of_the_api() {
        Set<String> named = matches(ERROR_ROW, Documents.read(ROOT.resolve("docs/errors.md")))
                .filter(name -> !name.startsWith("Illegal") && !name.startsWith("NullPointer"))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> sealed = Arrays.stream(TaskTubeException.class.getPermittedSubclasses())
                .map(Class::getSimpleName)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(named).isEqualTo(sealed);
    }

    @Test
    void each_package_says_what_it_is_for() throws IOException {
        List<Path> silent = new ArrayList<>();
        for (String module : MODULES) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .map(Path::getParent)
                        .distinct()
                        .filter(directory -> !Files.exists(directory.resolve("package-info.java")))
                        .map(ROOT::relativize)
                        .forEach(silent::add);
            }
        }
        assertThat(silent).isEmpty();
    }

    private static Stream<String> matches(Pattern pattern, String text) {
        return pattern.matcher(text).results().map((MatchResult found) -> found.group(1));
    }
}
