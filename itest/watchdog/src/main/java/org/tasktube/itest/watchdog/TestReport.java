package org.tasktube.itest.watchdog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the tests of a build were, from the reports of surefire and failsafe: the seconds of each module and of the slowest
 * classes, what was left out, and what failed. A program; it judges nothing.
 */
public final class TestReport {

    private static final int SHOWN = 20;
    private static final int LINES_OF_A_FAILURE = 3;
    private static final int LONGEST_LINE = 300;
    private static final int DEPTH = 7;
    private static final Pattern DIRECTORY =
            Pattern.compile("/target/((surefire|failsafe)-reports/([a-z0-9]+/)?)?[^/]+$");
    private static final Pattern SUITE =
            Pattern.compile("<testsuite [^>]*?\\bname=\"([^\"]+)\"[^>]*?\\btime=\"([0-9.,]+)\"");
    private static final Pattern TEST = Pattern.compile("<testcase ");
    private static final Pattern FAILED = Pattern.compile(
            "<testcase name=\"([^\"]*)\" classname=\"([^\"]*)\"[^>]*>\\s*"
                    + "<(?:failure|error)\\b[^>]*?>(?:<!\\[CDATA\\[)?(.*?)(?:\\]\\]>)?</(?:failure|error)>",
            Pattern.DOTALL);

    private final Path root;
    private final Instant begin;
    private final Map<String, Double> byModule = new TreeMap<>();
    private final Map<String, Double> byClass = new HashMap<>();
    private final List<String> failures = new ArrayList<>();
    private long tests;

    private TestReport(Path root, Instant begin) {
        this.root = root;
        this.begin = begin;
    }

    /** Its arguments are the root of the project, and the begin of the build, as Maven writes it. */
    public static void main(String[] arguments) throws IOException {
        System.out.print(of(Path.of(arguments[0]), Instant.parse(arguments[1])));
    }

    /** Returns the report, which ends with the verdict: Maven's own summary is off, because it is long. */
    static String of(Path root, Instant begin) throws IOException {
        TestReport report = new TestReport(root, begin);
        report.read();
        return report.byClass.isEmpty() ? "All modules are built; no tests have run.\n" : report.text();
    }

    private String text() throws IOException {
        String verdict = failures.isEmpty()
                ? tests + " tests, none failed.\n"
                : tests + " tests, " + failures.size() + " failed.\n";
        return times() + leftOut() + String.join("", failures) + verdict;
    }

    private void read() throws IOException {
        for (Path file : files("TEST-.*[.]xml")) {
            String text = Files.readString(file);
            Matcher suite = SUITE.matcher(text);
            if (suite.find()) {
                double seconds = Double.parseDouble(suite.group(2).replace(",", ""));
                byModule.merge(root.relativize(file).toString().replaceFirst("/target/.*", ""), seconds, Double::sum);
                byClass.merge(suite.group(1).replaceFirst("[$].*", ""), seconds, Double::sum);
            }
            tests += TEST.matcher(text).results().count();
            for (Matcher failed = FAILED.matcher(text); failed.find(); ) {
                failures.add(failure(file, failed));
            }
        }
    }

    /** Returns the files of that name in the directories of reports, without those of earlier builds. */
    private List<Path> files(String name) throws IOException {
        try (Stream<Path> files = Files.find(
                root,
                DEPTH,
                (file, attributes) -> file.getFileName().toString().matches(name)
                        && DIRECTORY.matcher(root.relativize(file).toString()).find()
                        && attributes.lastModifiedTime().toInstant().isAfter(begin))) {
            return files.sorted().toList();
        }
    }

    private String failure(Path file, Matcher failed) {
        String log = root.relativize(file).toString().replaceFirst("TEST-(.*)[.]xml$", "$1-output.txt");
        return "FAILED: " + failed.group(2) + "." + failed.group(1) + "\n"
                + failed.group(3)
                        .lines()
                        .limit(LINES_OF_A_FAILURE)
                        .map(line -> "    " + line.substring(0, Math.min(line.length(), LONGEST_LINE)) + "\n")
                        .collect(Collectors.joining())
                + "    log: " + log + "\n";
    }

    private String times() {
        StringBuilder text = new StringBuilder("The seconds of the tests, by module:\n");
        byModule.forEach((module, seconds) -> text.append(line(seconds, module)));
        text.append("The slowest classes of tests:\n");
        byClass.entrySet().stream()
                .sorted(Comparator.comparing((Map.Entry<String, Double> each) -> -each.getValue()))
                .limit(SHOWN)
                .forEach(each -> text.append(line(each.getValue(), each.getKey())));
        return text.toString();
    }

    private static String line(double seconds, String what) {
        return String.format(Locale.ROOT, "%8.1f s  %s%n", seconds, what);
    }

    private String leftOut() throws IOException {
        Set<String> tools = new LinkedHashSet<>();
        for (Path file : files(Tool.LEFT_OUT)) {
            tools.addAll(Files.readAllLines(file));
        }
        return tools.isEmpty()
                ? ""
                : "Left out, because this machine has not what they need: " + String.join("; ", tools) + "\n";
    }
}
