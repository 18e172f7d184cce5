package org.tasktube.itest.configure;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.tasktube.itest.kit.CliSession;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Has configure.cli fail at each of its lines in turn, runs restore.cli after each, and compares the server's
 * configuration with the one before. A program, and not a test, because jboss-cli finds the server's directory by an
 * environment variable and the API's module by the working directory.
 *
 * <p>Its arguments are a line that each jboss-cli starts with, {@code embed-server …} or {@code connect …}, and a
 * regular expression for the lines that are to fail, of those from the first change on; of these, one of how many, and
 * a number that says which. Its status is 0 if all was as before each time.
 *
 * <p>An embedded server starts for each script: one that went on would keep the module that restore.cli removed.
 */
final class EachLine {

    private static final String FAILURE = ":this-line-fails";
    private static final String REACHED = "reached line ";
    private static final String MODULE = "modules/org/tasktube";
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final String begin;
    private final Path home = Path.of(System.getenv("JBOSS_HOME"));
    private final List<String> configure = script("configure.cli");
    private final List<String> restore = script("restore.cli");
    private final int firstChange = configure.indexOf("batch") - 1;
    private final int addsModule = IntStream.range(0, configure.size())
            .filter(line -> configure.get(line).startsWith("module add "))
            .findFirst()
            .orElseThrow();
    private int wrong;

    private EachLine(String begin) throws IOException {
        this.begin = begin;
    }

    public static void main(String... arguments) throws Exception {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of("configure.properties"))) {
            properties.load(reader);
        }
        properties.forEach((name, value) -> System.setProperty((String) name, (String) value));

        int wrong = new EachLine(arguments[0])
                .run(arguments[1], Integer.parseInt(arguments[2]), Long.parseLong(arguments[3]));
        System.out.println(wrong + " wrong");
        System.exit(wrong == 0 ? 0 : 1);
    }

    private static List<String> script(String name) throws IOException {
        return Files.readAllLines(Path.of(name)).stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList();
    }

    private int run(String lines, int oneOf, long seed) {
        String before = configuration();
        // Before all others: a server that runs keeps a module that was added once
        restore(before, configure.get(addsModule) + "\n    " + failAt(addsModule));
        Set<Integer> reached = linesReached();
        restore(before, "a run without a failure, in which these lines are not reached: " + linesBut(reached));
        // The checks before it change nothing
        for (int line = firstChange; line < configure.size(); line++) {
            if (!isAfterModule(line)
                    && reached.contains(line)
                    && configure.get(line).matches(lines)
                    && (line + seed) % oneOf == 0) {
                restore(before, configure.get(line) + "\n    " + failAt(line));
            }
        }
        return wrong;
    }

    /** Returns whether a failure would be taken for that of adding the module. These lines ask the server for nothing. */
    private boolean isAfterModule(int line) {
        return line >= addsModule && !configure.subList(addsModule, line).contains("catch");
    }

    private String configuration() {
        try (Session session = new Session()) {
            return session.configuration();
        }
    }

    /** All of configure.cli without a failure. A line that is not reached cannot fail. */
    private Set<Integer> linesReached() {
        List<String> lines = new ArrayList<>();
        for (int line = 0; line < configure.size(); line++) {
            lines.add("echo " + REACHED + line + ".");
            lines.add(configure.get(line));
        }
        try (Session session = new Session()) {
            Session.Outcome outcome = session.execute(lines);
            if (!outcome.success()) {
                throw new IllegalStateException(outcome.output());
            }
            return IntStream.range(0, configure.size())
                    .filter(line -> outcome.output().contains(REACHED + line + "."))
                    .boxed()
                    .collect(Collectors.toSet());
        }
    }

    private List<String> linesBut(Set<Integer> reached) {
        return IntStream.range(firstChange, configure.size())
                .filter(line -> !reached.contains(line))
                .mapToObj(line -> "\n        " + configure.get(line))
                .toList();
    }

    private String failAt(int failing) {
        List<String> lines = new ArrayList<>(configure);
        // In its place in a block or a batch too: a batch that ends without run-batch would be forgotten without a word
        lines.add(failing, FAILURE);
        try (Session session = new Session()) {
            Session.Outcome outcome = session.execute(lines);
            return outcome.success()
                    ? "a failure that goes by"
                    : outcome.output().strip();
        }
    }

    private void restore(String before, String after) {
        try (Session session = new Session()) {
            Session.Outcome restored = session.execute(restore);
            boolean same = session.configuration().equals(before) && !Files.exists(home.resolve(MODULE));
            if (!same || !restored.success()) {
                wrong++;
            }
            System.out.printf("%s %s%n", same ? "as before:" : "DIFFERS:", after);
            if (!restored.success()) {
                System.out.println("    RESTORE FAILED: " + restored.output());
            }
        }
    }

    /** A jboss-cli in this process that is at its server. */
    private final class Session implements AutoCloseable {

        /** What a script wrote, and whether all of it succeeded. */
        private record Outcome(boolean success, String output) {}

        private final ByteArrayOutputStream output = new ByteArrayOutputStream();
        private final CliSession session = new CliSession(output, PATIENCE);

        Session() {
            Outcome begun = execute(List.of(begin));
            if (!begun.success()) {
                throw new IllegalStateException(begun.output());
            }
        }

        /** Ends with the first line that fails. */
        Outcome execute(List<String> lines) {
            output.reset();
            boolean success = lines.stream().allMatch(session::execute);
            return new Outcome(success, output.toString(UTF_8));
        }

        String configuration() {
            return session.result(":read-resource(recursive=true,include-defaults=false)");
        }

        @Override
        public void close() {
            session.close();
        }
    }
}
