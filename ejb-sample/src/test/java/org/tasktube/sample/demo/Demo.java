package org.tasktube.sample.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.tasktube.itest.kit.ConsoleUser;
import org.tasktube.itest.kit.ServerOptions;
import org.tasktube.itest.kit.WildFly;
import org.tasktube.sample.demo.LinkCheckerClient.Progress;

/**
 * Sets up a WildFly with TaskTube and the link checker, checks three hosts that serve the Jakarta EE API documentation,
 * and shows the report. Prints the address of the console, with a user and a random password.
 *
 * <p>{@code -Durls=…} checks other sites, separated by commas; {@code -Dstay} leaves the server up until Ctrl-C.
 */
public final class Demo {

    private static final String DOCS = "/jakartaee-docs/index.html";
    private static final List<String> HOSTS =
            List.of("http://127.0.0.11:8080", "http://127.0.0.12:8080", "http://127.0.0.13:8080");
    /** No server listens there, so its task fails until its last attempt, and the console has a failure to show. */
    private static final String DEAD_HOST = "http://127.0.0.14:8080/";

    private static final Pattern COMMA = Pattern.compile("\\s*,\\s*");

    private final PrintStream out = System.out;
    private final Path directory;
    private final WildFly server;
    private final ConsoleUser user;
    private final LinkCheckerClient checker;

    private Demo(Path directory, WildFly server, ConsoleUser user) {
        this.directory = directory;
        this.server = server;
        this.user = user;
        this.checker = SampleServer.checker(server);
    }

    /**
     * Runs the demo.
     *
     * @param args the directory of this module
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        // what the management client has to say is not part of the show
        Logger.getLogger("").setLevel(Level.WARNING);
        Path module = Path.of(args[0]);
        Path directory = module.resolve("target/demo");
        step("Unpacking and configuring WildFly");
        try (WildFly server = SampleServer.create(module, directory, ServerOptions.defaults())) {
            server.cli(SampleServer.script(module, "three-hosts.cli"), Map.of());
            step("Starting it");
            server.start();
            step("Deploying the documentation and the link checker");
            server.deploy(module.resolve("target/docs/jakartaee-docs.war"));
            server.deploy(SampleServer.war(module));
            ConsoleUser user = ConsoleUser.random("demo").addTo(server, "tasktube-admin");
            new Demo(directory, server, user).run();
            step("Stopping the server");
            server.stop();
        }
    }

    private void run() throws IOException, InterruptedException {
        showConsole();
        check(urls());
        report();
        if (System.getProperty("stay") != null) {
            stay();
        }
    }

    private void showConsole() {
        step("The console is at " + server.console("") + ", user " + user.name() + ", password " + user.password());
    }

    private static List<String> urls() {
        String urls = System.getProperty("urls", "").strip();
        return urls.isEmpty()
                ? Stream.concat(HOSTS.stream().map(host -> host + DOCS), Stream.of(DEAD_HOST))
                        .toList()
                : COMMA.splitAsStream(urls).toList();
    }

    private void check(List<String> urls) {
        step("Checking " + String.join(" ", urls));
        long check = checker.check(urls);
        long start = System.nanoTime();
        AtomicLong lastDone = new AtomicLong();
        checker.await(check, now -> {
            long before = lastDone.getAndSet(now.done());
            show(now, now.done() - before, System.nanoTime() - start);
        });
    }

    private void show(Progress progress, long done, long nanos) {
        out.printf(
                Locale.ROOT,
                "%4d s  %,7d done  %,7d waiting  %,5d a second%s%n",
                TimeUnit.NANOSECONDS.toSeconds(nanos),
                progress.done(),
                progress.waiting(),
                done,
                progress.buried() == 0 ? "" : "  " + progress.buried() + " given up");
    }

    private void report() throws IOException {
        Path html = directory.resolve("report.html");
        Path text = directory.resolve("report.txt");
        String report = checker.get("report.txt");
        Files.writeString(text, report);
        Files.writeString(html, checker.get("report.html"));
        out.println();
        out.println(report);
        out.println("The report is in " + html + " and " + text);
        out.println("The server's log is " + server.log().file());
    }

    private void stay() throws InterruptedException {
        out.println("The server stays up until Ctrl-C: see " + checker.address("report.html") + " and "
                + checker.address("progress"));
        showConsole();
        new CountDownLatch(1).await();
    }

    private static void step(String what) {
        System.out.println("[demo] " + what);
    }
}
