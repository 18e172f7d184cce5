package org.tasktube.itest.console;

import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/** axe-core finds nothing serious on any page, and no page is wider than its screen. */
@InBrowser
class TourIT {

    private static final String FIND = "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"
            + ".filter(v => v.impact === 'serious' || v.impact === 'critical')"
            + ".map(v => ({id: v.id, help: v.help, at: v.nodes.slice(0, 5).map(n => n.target.join(' ') + ': '"
            + " + (n.any.concat(n.all, n.none)[0] || {}).message)}))";

    private static final String MOVES_NOT = "() => document.getAnimations().every(a => a.playState !== 'running'"
            + " || a.effect.getComputedTiming().endTime === Infinity)";

    private static final String OPERATION =
            "{\"act\":\"RETRY\",\"filter\":\"tube:shown\",\"reason\":\"the printer works again\",\"count\":1}";

    private static String buried;
    private static String failed;
    private static String gone;
    private static String waiting;
    private static Connection operations;

    private final ConsoleServer console;
    private final Visitor visitor;

    TourIT(ConsoleServer console, Visitor visitor) {
        this.console = console;
        this.visitor = visitor;
    }

    @BeforeAll
    static void fill(ConsoleServer console) {
        console.freshTube("shown", "fifottl");
        Rest rest = console.rest(console.admin());
        rest.put("shown", "{\"data\":\"delayed\",\"delay\":\"1d\"}");
        String ready = rest.putText("shown", "ready");
        buried = rest.put(
                "shown",
                "{\"data\":{\"order\":[1,true,null,\"text\"]},\"key\":\"k\",\"headers\":{\"trace\":\"00-ab\"}}");
        rest.post("tasks/shown/" + buried + "/bury", "{\"reason\":\"test\"}");
        rest.send("PATCH", "tubes/work", "{\"history\":\"ALL\",\"reason\":\"test\"}");
        failed = rest.put("work", "{\"data\":\"fail the printer is broken\",\"contentType\":\"text/plain\"}");
        gone = rest.putText("work", "at once");
        rest.post("tubes/shown/pause", "{\"reason\":\"the printer is broken\"}");
        console.sql("INSERT INTO tasktube_flow (bucket, tube_id, node, puts, ends, failures)"
                + " SELECT floor(extract(epoch FROM statement_timestamp()) / 300) - n, id, 9999, n, 300 - n, n % 7"
                + " FROM tasktube_tube, generate_series(1, 280) AS n WHERE name = 'shown'");
        console.sql(
                "INSERT INTO tasktube_schedule (name, digest, cron, zone, tube, urgent, content_type, data, overlap, next_at)"
                        + " VALUES ('nightly', 'x', '0 3 * * *', 'Europe/Berlin', 'shown', false, 'text/plain', 'x', false,"
                        + " statement_timestamp() + INTERVAL '1 hour')");
        rest.post("operations", OPERATION.replace("RETRY", "BURY").replace("tube:shown", "id:" + ready));
        operations = console.holdOperations();
        waiting = rest.post("operations", OPERATION).getString("id");
    }

    @AfterAll
    static void drop(ConsoleServer console) throws SQLException {
        operations.close();
        console.drop("shown");
        console.sql("DELETE FROM tasktube_schedule");
        console.sql("DELETE FROM tasktube_flow WHERE node = 9999");
        Rest rest = console.rest(console.admin());
        rest.send("PATCH", "tubes/work", "{\"history\":\"OFF\",\"reason\":\"test\"}");
        rest.post("tubes/work/truncate", "{\"reason\":\"test\",\"confirm\":\"work\"}");
    }

    @ParameterizedTest
    @MethodSource("org.tasktube.itest.console.View#ofThisRun")
    void the_login(View view) {
        visitor.use(view).page().navigate(console.page("").toString());
        visitor.page().waitForSelector("form");
        assertAccessible("login", view);
        visitor.fillLogin("nobody", "wrong");
        visitor.awaitText("[role=alert]", "wrong");
        assertAccessible("login-failed", view);
    }

    @ParameterizedTest
    @MethodSource("org.tasktube.itest.console.View#ofThisRun")
    void the_overview(View view) {
        visitor.use(view).login(console.admin(), "");
        visitor.awaitText("tbody", "shown");
        assertAccessible("overview", view);
    }

    @ParameterizedTest
    @MethodSource("org.tasktube.itest.console.View#ofThisRun")
    void the_tasks_with_a_selection_and_with_an_error(View view) {
        visitor.use(view).login(console.admin(), "tasks?filter=tube:shown");
        visitor.page().waitForSelector("tbody tr");
        visitor.find("tbody input[type=checkbox]").first().check();
        assertAccessible("tasks", view);
        visitor.open("tasks?filter=colour:red");
        visitor.awaitText(".filter-error", "colour");
        assertAccessible("tasks-refused", view);
        visitor.open("tasks?filter=tube:shown%20id:4711000000");
        visitor.awaitText("main h2", "No task fits");
        assertAccessible("tasks-none", view);
    }

    @ParameterizedTest
    @MethodSource("org.tasktube.itest.console.View#ofThisRun")
    void a_task_and_one_that_failed(View view) {
        visitor.use(view).login(console.admin(), "tasks/shown/" + buried);
        visitor.page().waitForSelector("pre.code");
        assertAccessible("task", view);
        visitor.open("failures");
        visitor.find(".menu summary").first().click();
        visitor.find("a", "Sample").first().click();
        visitor.page().waitForSelector("pre.trace");
        assertAccessible("task-failed", view);
        visitor.open("tasks/shown/4711000000");
        visitor.awaitText("main h2", "No such task");
        assertAccessible("task-missing", view);
    }

    @ParameterizedTest
    @MethodSource("org.tasktube.itest.console.View#ofThisRun")
    void the_failures(View view) {
        visitor.use(view).login(console.admin(), "failures");
        visitor.page().waitForSelector("tbody tr");
        assertAccessible("failures", view);
    }

    @ParameterizedTest
    @MethodSource("org.tasktube.itest.console.View#ofThisRun")
    void the_schedules_with_a_pause_and_a_task_on_demand(View view) {
        visitor.use(view).login(console.admin(), "schedules");
        visitor.awaitText("tbody", "0 3 * * *");
        visitor.find("tbody summary").click();
        assertAccessible("schedules", view);
        visitor.find("[data-act=pause]").click();
        visitor.find("#f-reason").fill("month end");
        assertAccessible("schedules-pause", view);
        visitor.press("Enter");
        visitor.awaitText("tbody", "month end");
        assertAccessible("schedules-paused", view);
        visitor.find("[data-act=run]").click();
        visitor.press("Enter");
        visitor.awaitText("body", "Put: task");
        visitor.press("Escape");
        visitor.find("[data-act=resume]").click();
        visitor.press("Enter");
        visitor.awaitText("tbody", "more");
    }

    @ParameterizedTest
    @MethodSource("org.tasktube.itest.console.View#ofThisRun")
    void a_tube_with_its_dialogs(View view) {
        visitor.use(view).login(console.admin(), "tubes/shown");
        visitor.awaitText("main h2", "Definition");
        assertAccessible("tube", view);
        for (String act : List.of("put", "resume", "drain", "truncate", "drop")) {
            visitor.find("[data-act=" + act + "]").click();
            assertAccessible("tube-" + act, view);
            visitor.press("Escape");
        }
    }

    @ParameterizedTest
    @MethodSource("org.tasktube.itest.console.View#ofThisRun")
    void a_sub_queue_that_a_failed_task_holds_is_let_go(View view) {
        console.freshTube("strict", "utubettl");
        Rest rest = console.rest(console.admin());
        rest.send("PATCH", "tubes/strict", "{\"strict\":true,\"reason\":\"test\"}");
        String first = rest.put("strict", "{\"data\":\"a\",\"utube\":\"17\"}");
        String second = rest.put("strict", "{\"data\":\"b\",\"utube\":\"17\"}");
        rest.post("tubes/strict/take", "{}");
        rest.post("tasks/strict/" + first + "/bury", "{\"reason\":\"test\"}");
        visitor.use(view).login(console.admin(), "tasks/strict/" + second);
        visitor.awaitText(".why", "waits behind task " + first);
        assertAccessible("task-held", view);
        visitor.find("[data-act=let-go]").click();
        visitor.find("#f-reason").fill("the customer was told");
        assertAccessible("let-go", view);
        visitor.press("Enter");
        visitor.awaitText("body", "Let go on: sub-queue 17");
        visitor.awaitText(".why", "No bean");
        console.drop("strict");
    }

    @ParameterizedTest
    @MethodSource("org.tasktube.itest.console.View#ofThisRun")
    void the_help_a_new_tube_and_a_wrong_address(View view) {
        visitor.use(view).login(console.admin(), "");
        visitor.awaitText("tbody", "shown");
        visitor.press("?");
        visitor.page().waitForSelector("dialog.help");
        assertAccessible("help", view);
        visitor.press("Escape");
        visitor.find("[data-act=create]").click();
        assertAccessible("create", view);
        visitor.open("tubes/a/b/c");
        visitor.awaitText("main", "Nothing is at this address");
        assertAccessible("missing", view);
    }

    @ParameterizedTest
    @MethodSource("org.tasktube.itest.console.View#ofThisRun")
    void a_timeline_an_edit_and_a_task_that_is_gone(View view) {
        visitor.use(view).login(console.admin(), "tasks/work/" + failed);
        visitor.awaitText(".timeline", "Failed");
        visitor.find(".timeline summary").click();
        assertAccessible("timeline", view);
        visitor.find("[data-act=edit]").click();
        visitor.find("#f-data").fill("{\n  \"order\": 2\n}");
        visitor.page().waitForSelector("dialog .diff");
        assertAccessible("task-edit", view);
        visitor.press("Escape");
        visitor.open("tasks/work/" + gone);
        visitor.awaitText("main h1", "gone");
        assertAccessible("task-gone", view);
        visitor.open("tasks/shown/" + buried);
        visitor.find("[data-act=keep-history]").click();
        assertAccessible("task-history", view);
    }

    @ParameterizedTest
    @MethodSource("org.tasktube.itest.console.View#ofThisRun")
    void the_operations_with_an_act_on_many_and_a_cancel(View view) {
        visitor.use(view).login(console.admin(), "failures");
        visitor.find(".menu summary").first().click();
        visitor.find("[data-act=delete-all]").first().click();
        visitor.page().waitForSelector("dialog .samples");
        assertAccessible("start", view);
        visitor.press("Escape");
        visitor.open("operations/" + waiting);
        visitor.page().waitForSelector("main dl");
        assertAccessible("operation", view);
        visitor.find("[data-act=cancel]").click();
        assertAccessible("operation-cancel", view);
        visitor.press("Escape");
        visitor.open("operations");
        visitor.page().waitForSelector("tbody tr");
        assertAccessible("operations", view);
    }

    @ParameterizedTest
    @MethodSource("org.tasktube.itest.console.View#ofThisRun")
    void the_servers_and_the_audit(View view) {
        visitor.use(view).login(console.admin(), "servers");
        visitor.page().waitForSelector("tbody tr");
        assertAccessible("servers", view);
        visitor.open("audit");
        visitor.page().waitForSelector("tbody tr");
        assertAccessible("audit", view);
        visitor.open("audit?act=none");
        visitor.awaitText("main h2", "No acts");
        assertAccessible("audit-none", view);
    }

    @ParameterizedTest
    @MethodSource("org.tasktube.itest.console.View#ofThisRun")
    void the_charts_of_a_day(View view) {
        visitor.use(view).login(console.admin(), "tubes/shown");
        visitor.find(".day summary").click();
        assertAccessible("tube-day", view);
        visitor.find("[data-act=change]").click();
        assertAccessible("tube-change", view);
        visitor.open("?span=24h");
        visitor.awaitText("tbody", "shown");
        assertAccessible("overview-day", view);
    }

    private void assertAccessible(String name, View view) {
        if (Boolean.FALSE.equals(visitor.page().evaluate("() => 'axe' in window"))) {
            visitor.page().evaluate(axe());
        }
        // What fades in has another contrast on its way
        visitor.awaitThat(MOVES_NOT);
        assertThat(visitor.page().evaluate(FIND)).as(name + " " + view).isEqualTo(List.<Map<String, Object>>of());
        assertThat(visitor.page().evaluate("() => document.documentElement.scrollWidth - innerWidth"))
                .as("pixels of " + name + " beside the screen, " + view)
                .isEqualTo(0);
        visitor.picture(name + "-" + view);
    }

    private static String axe() {
        try (InputStream script = TourIT.class.getResourceAsStream("/axe.min.js")) {
            return new String(script.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
