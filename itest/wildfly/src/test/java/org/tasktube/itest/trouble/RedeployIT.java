package org.tasktube.itest.trouble;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.WildFly;
import org.tasktube.itest.watchdog.FullRun;

import static org.assertj.core.api.Assertions.assertThat;

/** An application whose beans do all wrong that they can, deployed and undeployed again and again. */
@Timeout(value = 8, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("full")
class RedeployIT {

    private static final Path DIRECTORY = Servers.directory("redeploy");
    private static final int WARM_UP = 10;
    private static final int DEPLOYMENTS = FullRun.size(40, 200);
    /** A timeout is waited for: a second each. */
    private static final int ROUNDS_TO_A_TIMEOUT = 20;

    private static final String[] TASKTUBE_POOL = {
        "subsystem", "resource-adapters",
        "resource-adapter", "tasktube.rar",
        "connection-definitions", "TaskTube",
        "statistics", "pool"
    };
    private static final String[] DATASOURCE_POOL = {
        "subsystem", "datasources", "data-source", "ExampleDS", "statistics", "pool"
    };

    /** The JDK's threads for H2's asynchronous file have no name of their own, and end after 60 s without work. */
    private static final Duration IDLE_THREADS_END = Duration.ofMinutes(2);

    private static WildFly server;
    private static ProbeClient probe;
    private static ProbeClient rude;
    private static Jcmd jcmd;

    @BeforeAll
    static void start() {
        server = Servers.onH2File(DIRECTORY);
        server.cli(
                "/subsystem=datasources/data-source=ExampleDS:write-attribute(name=statistics-enabled,value=true)",
                // The server's own cure of leaks: it closes what a call of a bean has left open
                "/subsystem=jca/cached-connection-manager=cached-connection-manager:write-attribute(name=debug,value=true)");
        server.start();
        server.deploy(ProbeClient.war(DIRECTORY, ""));
        probe = new ProbeClient(server);
        rude = new ProbeClient(server, "rude");
        jcmd = new Jcmd(server);
        Eventually.holds(() -> probe.ask("state").equals("RUNNING"), "the adapter runs");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /**
     * Threads of pools of the server's own, which grow and shrink as it deploys: their number says nothing about an
     * application. The adapter and the applications name their threads. The pool whose threads have none, {@code
     * Thread-#}, is the JDK's for asynchronous files: H2 writes by it, for {@code jdbc:h2:async:}.
     */
    private static final Pattern SERVERS_POOLS = Pattern.compile(
            "(ServerService Thread Pool|management|MSC service|default task|XNIO|Weld|Attach|C#|G#|GC|Thread-#).*");

    /** What an undeployed application could leave in memory. */
    private record Held(Map<String, Integer> threads, long sessions, long connections, int classLoaders) {

        static Held now() {
            Map<String, Integer> threads = jcmd.threadsByName();
            threads.keySet().removeIf(SERVERS_POOLS.asMatchPredicate());
            return new Held(
                    threads,
                    server.read("InUseCount", TASKTUBE_POOL).asLong(),
                    server.read("InUseCount", DATASOURCE_POOL).asLong(),
                    jcmd.instances("org.jboss.modules.ModuleClassLoader"));
        }

        /** Whether nothing is more than it was then. */
        boolean isWithin(Held then) {
            return sessions <= then.sessions
                    && connections <= then.connections
                    && classLoaders <= then.classLoaders
                    && threads.entrySet().stream()
                            .allMatch(thread -> thread.getValue() <= then.threads.getOrDefault(thread.getKey(), 0));
        }
    }

    @Test
    void beans_that_do_all_wrong_leave_nothing_in_memory_when_they_are_undeployed() {
        Path war = Wars.of(DIRECTORY, "rude");
        deployAndUndeploy(war, WARM_UP);
        Held before = Held.now();
        deployAndUndeploy(war, DEPLOYMENTS);
        assertThat(probe.ask("state")).isEqualTo("RUNNING");
        probe.ask("put?run=after&count=10");
        Eventually.holds(() -> probe.number("done?run=after") == 10, "other beans work");
        AtomicReference<Held> after = new AtomicReference<>();
        Eventually.holds(
                IDLE_THREADS_END,
                () -> {
                    after.set(Held.now());
                    return after.get().isWithin(before);
                },
                () -> "nothing more than before, which was " + before + " and is " + after);
    }

    private static void deployAndUndeploy(Path war, int times) {
        for (int i = 0; i < times; i++) {
            server.deploy(war);
            assertThat(rude.ask(i % ROUNDS_TO_A_TIMEOUT == 0 ? "with-timeout" : ""))
                    .isEqualTo("begun");
            server.undeploy("rude.war");
        }
    }
}
