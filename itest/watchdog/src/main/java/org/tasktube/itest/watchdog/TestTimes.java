package org.tasktube.itest.watchdog;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The times of all tests of a build, from the reports of surefire and failsafe: the sum of each module, and the slowest
 * classes. A program: it fails if the tests take a quarter more than is recorded.
 *
 * <p>Tests wait and work. Waiting takes as long on each machine. Work takes as long as the machine is slow or busy, which
 * {@link Calibration} measures. So the bound is 1.25 × (waiting + work × calibration).
 */
public final class TestTimes {

    private static final double TOLERANCE = 1.25;
    private static final int SHOWN = 20;
    private static final int DEPTH = 7;
    private static final Pattern DIRECTORY =
            Pattern.compile("/target/((surefire|failsafe)-reports/([a-z0-9]+/)?)?[^/]+$");
    private static final Pattern SUITE =
            Pattern.compile("<testsuite [^>]*?\\bname=\"([^\"]+)\"[^>]*?\\btime=\"([0-9.,]+)\"");

    private final Path root;
    private final Instant begin;
    private final Map<String, Double> byModule = new TreeMap<>();
    private final Map<String, Double> byClass = new HashMap<>();

    private TestTimes(Path root, Instant begin) {
        this.root = root;
        this.begin = begin;
    }

    /** Its arguments are the root of the project, the begin of the build, and the file with what is recorded. */
    public static void main(String[] arguments) throws IOException {
        TestTimes times = new TestTimes(Path.of(arguments[0]), Instant.parse(arguments[1]));
        times.read();
        times.print();
        times.check(Path.of(arguments[2]));
    }

    private void read() throws IOException {
        for (Path report : reports("TEST-.*[.]xml")) {
            Matcher suite = SUITE.matcher(Files.readString(report));
            if (suite.find()) {
                double seconds = Double.parseDouble(suite.group(2).replace(",", ""));
                byModule.merge(module(report), seconds, Double::sum);
                byClass.merge(suite.group(1).replaceFirst("[$].*", ""), seconds, Double::sum);
            }
        }
    }

    /** Returns the files of that name in the directories of reports, without those of earlier builds. */
    private List<Path> reports(String name) throws IOException {
        try (Stream<Path> files = Files.find(
                root,
                DEPTH,
                (file, attributes) -> file.getFileName().toString().matches(name)
                        && DIRECTORY.matcher(root.relativize(file).toString()).find()
                        && attributes.lastModifiedTime().toInstant().isAfter(begin))) {
            return files.sorted().toList();
        }
    }

    private String module(Path report) {
        return root.relativize(report).toString().replaceFirst("/target/.*", "");
    }

    private void print() {
        System.out.println("The times of the tests, by module:");
        byModule.forEach((module, seconds) -> line(seconds, module));
        System.out.println("The slowest classes of tests:");
        byClass.entrySet().stream()
                .sorted(Comparator.comparing((Map.Entry<String, Double> each) -> -each.getValue()))
                .limit(SHOWN)
                .forEach(each -> line(each.getValue(), each.getKey()));
    }

    private static void line(double seconds, String what) {
        System.out.printf(Locale.ROOT, "%8.1f s  %s%n", seconds, what);
    }

    private void check(Path file) throws IOException {
        Properties recorded = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            recorded.load(reader);
        }
        double waiting = Double.parseDouble(recorded.getProperty("waiting.seconds"));
        double loops = Double.parseDouble(recorded.getProperty("work.loops"));
        double calibration = calibration();
        double expected = waiting + loops * calibration;
        double sum = byModule.values().stream().mapToDouble(Double::doubleValue).sum();
        System.out.printf(
                Locale.ROOT,
                "All tests: %.0f s. Recorded for a machine as slow as this one, with %.2f ms per loop: %.0f s%n",
                sum,
                calibration * 1e3,
                expected);
        if (sum > TOLERANCE * expected) {
            throw new IllegalStateException(String.format(
                    Locale.ROOT,
                    "The tests take %.0f s, more than %.2f times the recorded %.0f s. Find the class that has become"
                            + " slow, or record more in %s, with the reason",
                    sum,
                    TOLERANCE,
                    expected,
                    file));
        }
    }

    /** Returns the mean, in seconds, because the tests take as long as the machine was busy on the whole. */
    private double calibration() throws IOException {
        List<Double> loops = new ArrayList<>();
        for (Path file : reports(Calibration.FILE)) {
            for (String line : Files.readAllLines(file)) {
                int comma = line.indexOf(',');
                if (Instant.parse(line.substring(0, comma)).isAfter(begin)) {
                    loops.add(Double.parseDouble(line.substring(comma + 1)) / 1e6);
                }
            }
        }
        return loops.stream()
                .mapToDouble(Double::doubleValue)
                .average()
                .orElseThrow(() -> new IllegalStateException("no test has measured the machine"));
    }
}
