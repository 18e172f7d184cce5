package org.tasktube.itest.watchdog;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
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
    private static final Pattern SUITE =
            Pattern.compile("<testsuite [^>]*?\\bname=\"([^\"]+)\"[^>]*?\\btime=\"([0-9.,]+)\"");

    private final Map<String, Double> byModule = new TreeMap<>();
    private final Map<String, Double> byClass = new HashMap<>();

    private TestTimes() {}

    /** Its arguments are the root of the project, and the file with what is recorded. */
    public static void main(String[] arguments) throws IOException {
        TestTimes times = new TestTimes();
        Path root = Path.of(arguments[0]);
        times.read(root);
        times.print();
        double microseconds = calibration(root);
        Properties recorded = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(arguments[1]))) {
            recorded.load(reader);
        }
        times.check(
                Double.parseDouble(recorded.getProperty("waiting.seconds")),
                Double.parseDouble(recorded.getProperty("work.loops")),
                microseconds / 1e6);
    }

    private void read(Path root) throws IOException {
        for (Path report : under(root, "TEST-.*[.]xml")) {
            Matcher suite = SUITE.matcher(Files.readString(report));
            if (suite.find()) {
                double seconds = Double.parseDouble(suite.group(2).replace(",", ""));
                Path target = report;
                while (!target.endsWith("target")) {
                    target = target.getParent();
                }
                byModule.merge(root.relativize(target.getParent()).toString(), seconds, Double::sum);
                byClass.merge(suite.group(1).replaceFirst("[$].*", ""), seconds, Double::sum);
            }
        }
    }

    private static List<Path> under(Path root, String name) throws IOException {
        try (Stream<Path> files = Files.find(
                root, 7, (file, attributes) -> file.getFileName().toString().matches(name) && reports(file))) {
            return files.sorted().toList();
        }
    }

    private static boolean reports(Path file) {
        Path parent = file.getParent();
        return parent.endsWith("target")
                || parent.endsWith("surefire-reports")
                || parent.getParent().endsWith("failsafe-reports")
                || parent.endsWith("failsafe-reports");
    }

    private void print() {
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

    /** Returns the mean, because the tests take as long as the machine was busy on the whole. */
    private static double calibration(Path root) throws IOException {
        double[] all = under(root, Calibration.FILE).stream()
                .flatMap(TestTimes::lines)
                .mapToDouble(line -> Double.parseDouble(line))
                .toArray();
        return Arrays.stream(all).average().orElseThrow(() -> new IOException("no test has measured the machine"));
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void check(double waiting, double loops, double calibration) {
        double sum = byModule.values().stream().mapToDouble(Double::doubleValue).sum();
        double recorded = waiting + loops * calibration;
        System.out.printf(
                Locale.ROOT,
                "All tests: %.0f s; recorded for this machine: %.0f s, of them %.0f s of waiting; calibration %.2f ms%n",
                sum,
                recorded,
                waiting,
                calibration * 1e3);
        if (sum > TOLERANCE * recorded) {
            System.err.printf(
                    Locale.ROOT,
                    "The tests take %.0f s, more than %.2f times the %.0f s that are recorded. Find the class that has"
                            + " become slow, or record more in itest/times/recorded.properties, with the reason.%n",
                    sum,
                    TOLERANCE,
                    recorded);
            System.exit(1);
        }
    }
}
