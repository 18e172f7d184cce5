package org.tasktube.itest.trouble;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jboss.dmr.ModelNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.WildFly;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Beans that time out, throw, interrupt, crowd and leak: what becomes of their tasks, and of other beans. One server
 * for all.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("full")
class BeansIT {

    private static final Path DIRECTORY = Servers.directory("beans");
    private static final String[] FACTORY_POOL = {
        "subsystem", "resource-adapters",
        "resource-adapter", "tasktube.rar",
        "connection-definitions", "TaskTube",
        "statistics", "pool"
    };

    private static final String SMALL_POOL = """
            <jboss:ejb-jar xmlns:jboss="urn:jboss:jakarta:2.0" xmlns="https://jakarta.ee/xml/ns/jakartaee"
                xmlns:p="urn:ejb-pool:2.0" version="4.0">
              <assembly-descriptor>
                <p:pool>
                  <ejb-name>SmallPool</ejb-name>
                  <p:bean-instance-pool-ref>small</p:bean-instance-pool-ref>
                </p:pool>
              </assembly-descriptor>
            </jboss:ejb-jar>
            """;

    private static final int DEADLINES = 8;

    private static WildFly server;
    private static ProbeClient beans;

    @BeforeAll
    static void start() {
        server = Servers.onH2File(DIRECTORY);
        server.cli(
                "/subsystem=ejb3/strict-max-bean-instance-pool=small:add(max-pool-size=1,timeout=100,timeout-unit=MILLISECONDS)",
                "/subsystem=resource-adapters/resource-adapter=tasktube.rar/connection-definitions=TaskTube:write-attribute(name=blocking-timeout-wait-millis,value=500)",
                "/subsystem=ejb3/strict-max-bean-instance-pool=tasktube:write-attribute(name=max-pool-size,value=100)");
        server.start();
        beans = new ProbeClient(server, "beans");
        server.deploy(Wars.of(DIRECTORY, "beans", SMALL_POOL));
        Eventually.holds(() -> "RUNNING".equals(beans.tryToAsk("state")), "the adapter runs");
        beans.ask("tubes");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static void put(String tube, String text) {
        beans.ask("put?tube=" + tube + "&text=" + text);
    }

    private static long count(String tube, String state) {
        return beans.number("count?tube=" + tube + "&state=" + state);
    }

    private static void awaitEmpty(String tube) {
        Eventually.holds(() -> left(tube) == 0, "nothing is left in " + tube);
    }

    private static long left(String tube) {
        return List.of("READY", "DELAYED", "TAKEN", "BURIED").stream()
                .mapToLong(state -> count(tube, state))
                .sum();
    }

    private static List<String> lines(String text) {
        return beans.ask("lines?text=" + text).lines().toList();
    }

    private static long rows(String text) {
        return beans.number("rows?text=" + text);
    }

    /** A bean that nothing is wrong with gets a task and works. */
    private static void assertOthersWork(String text) {
        put("echo", text);
        Eventually.holds(() -> rows(text) == 1, "a bean beside it works");
        assertThat(beans.ask("state")).isEqualTo("RUNNING");
    }

    private static long connectionsInUse() {
        return server.read("InUseCount", FACTORY_POOL).asLong();
    }

    /** By the server's default: its annotation is ignored on message-driven beans. */
    private static void withTransactionTimeout(int seconds, Runnable work) {
        setTransactionTimeout(seconds);
        try {
            work.run();
        } finally {
            setTransactionTimeout(300);
        }
    }

    private static void setTransactionTimeout(int seconds) {
        ModelNode write = WildFly.operation("write-attribute", "subsystem", "transactions");
        write.get("name").set("default-timeout");
        write.get("value").set(seconds);
        server.execute(write);
    }

    @Test
    void a_task_of_a_temporary_tube_is_not_acked_after_its_transaction_timed_out() {
        timesOut("reaped-in-memory");
    }

    @Test
    void a_task_of_a_persistent_tube_is_not_acked_after_its_transaction_timed_out() {
        timesOut("reaped-stored");
    }

    private static void timesOut(String tube) {
        withTransactionTimeout(1, () -> {
            put(tube, tube);
            Eventually.holds(
                    () -> lines(tube).contains("reaped-puts-stored took it")
                            || lines(tube).stream().anyMatch(line -> line.startsWith("reaped-puts-stored refused")),
                    "the bean has tried all");
        });
        Eventually.holds(() -> lines(tube).contains("attempt 2"), "the task is delivered again: " + lines(tube));
        awaitEmpty(tube);
        assertThat(rows(tube)).as("the first attempt's row was rolled back").isEqualTo(1);
        assertThat(lines(tube)).contains("timed out").noneMatch(line -> line.endsWith("took it"));
        assertThat(left("reaped-puts-in-memory")).as("put undone").isZero();
        assertThat(left("reaped-puts-stored")).as("put undone").isZero();
        assertThat(refusal(tube, "reaped-puts-in-memory"))
                .contains("timeout")
                .isEqualTo(refusal(tube, "reaped-puts-stored"));
    }

    /** The words of a refusal without the tube's name. */
    private static String refusal(String text, String tube) {
        String start = tube + " refused: ";
        return lines(text).stream()
                .filter(line -> line.startsWith(start))
                .map(line -> line.substring(start.length()).replace(tube, "T"))
                .findFirst()
                .orElse("not refused");
    }

    @Test
    void an_ack_that_was_rolled_back_by_an_exception_leaves_the_task_to_its_delivery() {
        acksInNew("throw", 1);
    }

    @Test
    void an_ack_that_was_rolled_back_by_its_mark_leaves_the_task_to_its_delivery() {
        acksInNew("mark", 1);
    }

    @Test
    void an_ack_that_was_committed_on_its_own_is_not_done_again() {
        acksInNew("commit", 1);
    }

    private static void acksInNew(String text, int attempts) {
        put("ack-in-new", text);
        awaitEmpty("ack-in-new");
        // An ack of its own is committed before the rows of the bean
        Eventually.holds(() -> rows(text) == 1, "the bean has written its row");
        assertThat(lines(text)).filteredOn(line -> line.startsWith("attempt")).hasSize(attempts);
    }

    @Test
    void what_is_no_data_of_a_typed_bean_is_buried_at_once() {
        put("typed", "no-number");
        Eventually.holds(() -> count("typed", "BURIED") == 1, "it is BURIED");
        assertThat(server.log().lines()).anyMatch(line -> line.contains("of tube typed failed in attempt 1, its last"));
    }

    @Test
    void a_batch_is_one_call_and_if_it_fails_each_of_its_tasks_is_one() {
        beans.ask("put?tube=batched&text=together&count=12");
        awaitEmpty("batched");
        assertThat(rows("together")).isEqualTo(12);
        assertThat(lines("together")).containsExactly("10 tasks", "2 tasks");

        beans.ask("put?tube=batched&text=alone&count=3");
        awaitEmpty("batched");
        assertThat(rows("alone")).isEqualTo(3);
        assertThat(lines("alone")).containsExactly("3 tasks", "1 tasks", "1 tasks", "1 tasks");
        assertThat(server.log().lines().stream().filter(line -> line.contains("TASKTUBE0219")))
                .hasSize(1);
    }

    @Test
    void an_exception_that_cannot_say_its_message_is_a_failed_attempt_like_any_other() {
        put("speechless", "checked");
        put("speechless", "unchecked");
        Eventually.holds(() -> count("speechless", "BURIED") == 2, "both are buried after their last attempt");
        assertThat(lines("checked")).containsExactly("attempt 1", "attempt 2");
        assertThat(lines("unchecked")).containsExactly("attempt 1", "attempt 2");
        for (int i = 0; i < 4; i++) {
            put("speechless", "good-" + i);
            String text = "good-" + i;
            Eventually.holds(() -> lines(text).contains("attempt 1"), "the bean goes on");
        }
        Eventually.holds(() -> left("speechless") == 2, "all but the buried ones are done");
    }

    @Test
    void a_bean_that_leaves_its_thread_interrupted_has_worked() {
        put("interrupting", "interrupted");
        awaitEmpty("interrupting");
        assertThat(rows("interrupted")).isEqualTo(1);
        assertThat(lines("interrupted")).containsExactly("attempt 1");
        put("interrupting", "interrupted-2");
        awaitEmpty("interrupting");
        assertThat(lines("interrupted-2")).containsExactly("attempt 1");
    }

    @Test
    void a_bean_that_interrupts_its_own_commit_does_not_end_the_adapter_for_the_others() {
        beans.ask("put?tube=interrupting&text=in-commit&count=10");
        Eventually.holds(() -> lines("in-commit").size() >= 1, "one was begun");
        Eventually.holds(
                () -> "0".equals(beans.tryToAsk("count?tube=interrupting&state=TAKEN")),
                () -> "the adapter works: " + beans.tryToAsk("state"));
        assertOthersWork("after-the-interrupt");
    }

    @Test
    void a_pool_of_fewer_beans_than_maxSession_buries_no_task_that_no_bean_saw() {
        beans.ask("put?tube=small-pool&text=small&count=16");
        Eventually.holds(() -> rows("small") + count("small-pool", "BURIED") >= 16, "each is done or buried");
        assertThat(count("small-pool", "BURIED")).isZero();
        assertThat(rows("small")).isEqualTo(16);
    }

    @Test
    void a_bean_has_its_own_transaction_timeout_and_the_ones_beside_it_the_servers() {
        put("own-timeout", "own");
        put("server-timeout", "server");
        Eventually.holds(() -> lines("own").size() == 4 && lines("server").size() == 2, "both are done");
        assertThat(lines("own")).containsExactly("attempt 1", "timed out", "attempt 2", "in time");
        assertThat(lines("server")).containsExactly("attempt 1", "in time");
        awaitEmpty("own-timeout");
        assertThat(rows("own")).isEqualTo(1);
    }

    @Test
    void what_is_kept_and_logged_of_a_failure_names_its_root_cause_first() {
        CompletableFuture<String> logged = server.log().next("TASKTUBE0202");
        put("deep", "order-4711");
        Eventually.holds(() -> count("deep", "BURIED") == 1, "it is buried");
        String kept = beans.ask("failure?tube=deep");
        assertThat(logged).succeedsWithin(Duration.ofSeconds(20));
        assertThat(logged.join()).contains("UnknownOrderException").contains("order-4711");
        int root = kept.indexOf("UnknownOrderException: order-4711");
        assertThat(root).as("root cause in what is kept: %s", kept).isNotNegative();
        assertThat(root).as("before all frames: %s", kept).isLessThan(kept.indexOf("  at "));
        assertThat(kept).as("the bean's own frames").contains("org.tasktube.itest.beans.Deep.onTask");
    }

    @Test
    void a_callback_of_an_undeployed_application_ends_nothing() {
        server.deploy(Wars.of(DIRECTORY, "callback"));
        new ProbeClient(server, "callback").ask("?tube=called-back");
        server.undeploy("callback.war");
        goesOn("called-back");
        assertOthersWork("after-callback");
    }

    @Test
    void an_Error_of_a_listener_ends_nothing() {
        beans.ask("throw-at?tube=error-thrown&event=DELAY&event=RELEASED_BY_SESSION");
        goesOn("error-thrown");
        beans.ask("listen-no-more?tube=error-thrown");
        assertOthersWork("after-error");
    }

    /** The adapter's own threads change tasks: at a deadline, and at the end of a session. */
    private static void goesOn(String tube) {
        for (int i = 0; i < 2; i++) {
            beans.ask("put?tube=" + tube + "&text=late-" + i + "&delay=50");
            assertThat(beans.ask("take?tube=" + tube + "&within=15000")).isEqualTo("late-" + i);
            put(tube, "released-" + i);
            assertThat(beans.ask("take-and-close?tube=" + tube)).isEmpty();
            assertThat(beans.ask("take?tube=" + tube + "&within=15000")).isEqualTo("released-" + i);
        }
    }

    @Test
    void beans_that_want_more_threads_than_there_are_share_them_and_can_be_undeployed() {
        ProbeClient crowd = new ProbeClient(server, "crowd");
        server.deploy(Wars.of(DIRECTORY, "crowd"));
        for (int i = 1; i <= 3; i++) {
            beans.ask("put?tube=crowd-" + i + "&text=x&count=4000");
        }
        // 100 threads for three times 80
        Eventually.holds(() -> crowd.number("") >= 80, "nearly all threads wait at the gate");
        Eventually.holds(() -> logged("TASKTUBE0206") > 0, "the shortage of threads is logged");
        crowd.ask("open");
        assertOthersWork("beside-the-crowd");
        assertThat(count("crowd-1", "READY") + count("crowd-2", "READY") + count("crowd-3", "READY"))
                .as("the crowd still had work")
                .isPositive();
        server.undeploy("crowd.war");
        assertOthersWork("after-the-crowd");
        for (int i = 1; i <= 3; i++) {
            assertThat(count("crowd-" + i, "TAKEN")).isZero();
            assertThat(logged("on tube crowd-" + i + " too few threads"))
                    .as("a line for each bean at most")
                    .isLessThanOrEqualTo(1);
        }
    }

    private static long logged(String text) {
        try {
            Pattern line = Pattern.compile(Pattern.quote(text));
            return Files.readString(server.log().file())
                    .lines()
                    .filter(line.asPredicate())
                    .count();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void close_in_a_transaction_that_is_marked_for_rollback_returns_its_connection() {
        assertThat(beans.ask("close-marked?count=200")).isEmpty();
        assertThat(beans.ask("close-after-failure?count=200"))
                .contains("another bean failed")
                .doesNotContain("IJ0")
                .doesNotContain("Suppressed");
        assertThat(connectionsInUse()).isZero();
        assertOthersWork("after-marked");
    }

    @Test
    void a_thread_of_the_cleaner_can_close_a_connection() {
        assertThat(beans.ask("close-by-cleaner?tube=cleaned&count=3")).isEmpty();
        assertThat(connectionsInUse()).isZero();
        assertOthersWork("after-cleaner");
    }

    /** Each request for a connection fails after half a second, so that a timer which needs one shows it here. */
    @Test
    void an_application_that_leaks_all_connections_stops_no_deadline_and_fails_no_timer() {
        for (int i = 0; i < DEADLINES; i++) {
            beans.ask("put?tube=echo&text=due&delay=" + (4_000 + 500 * i));
        }
        long errors = logged(" ERROR ");
        assertThat(beans.tryToAsk("leak?count=200")).isEmpty();
        try {
            Eventually.holds(() -> rows("due") == DEADLINES, "deadlines go on");
            assertThat(logged(" ERROR ") - errors)
                    .as("errors, as those of the timer's bean")
                    .isZero();
        } finally {
            server.execute(WildFly.operation(
                    "flush-all-connection-in-pool",
                    "subsystem",
                    "resource-adapters",
                    "resource-adapter",
                    "tasktube.rar",
                    "connection-definitions",
                    "TaskTube"));
        }
        assertOthersWork("after-the-leak");
    }
}
