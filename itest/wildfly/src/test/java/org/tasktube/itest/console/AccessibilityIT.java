package org.tasktube.itest.console;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/** axe-core finds nothing serious on any page, and no page is wider than its screen. */
@InBrowser
class AccessibilityIT {

    private static final String FIND = "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"
            + ".filter(v => v.impact === 'serious' || v.impact === 'critical')"
            + ".map(v => ({id: v.id, help: v.help, at: v.nodes.slice(0, 5).map(n => n.target.join(' ') + ': '"
            + " + (n.any.concat(n.all, n.none)[0] || {}).message)}))";

    private static final String MOVES_NOT = "() => document.getAnimations().every(a => a.playState !== 'running'"
            + " || a.effect.getComputedTiming().endTime === Infinity)";

    private static String buried;

    private final ConsoleServer console;
    private final Visitor visitor;

    AccessibilityIT(ConsoleServer console, Visitor visitor) {
        this.console = console;
        this.visitor = visitor;
    }

    @BeforeAll
    static void fill(ConsoleServer console) {
        console.freshTube("shown", "fifottl");
        Rest rest = console.rest(console.admin());
        rest.put("shown", "{\"data\":\"delayed\",\"delay\":\"1d\"}");
        rest.putText("shown", "ready");
        buried = rest.put(
                "shown",
                "{\"data\":{\"order\":[1,true,null,\"text\"]},\"key\":\"k\",\"headers\":{\"trace\":\"00-ab\"}}");
        rest.post("tasks/shown/" + buried + "/bury", "{\"reason\":\"test\"}");
        rest.putText("work", "fail the printer is broken");
        rest.post("tubes/shown/pause", "{\"reason\":\"the printer is broken\"}");
    }

    @AfterAll
    static void drop(ConsoleServer console) {
        console.drop("shown");
        console.rest(console.admin()).post("tubes/work/truncate", "{\"reason\":\"test\",\"confirm\":\"work\"}");
    }

    @ParameterizedTest
    @EnumSource
    void the_login(View view) {
        visitor.use(view).page().navigate(console.page("").toString());
        visitor.page().waitForSelector("form");
        assertAccessible("login", view);
        visitor.fillLogin("nobody", "wrong");
        visitor.awaitText("[role=alert]", "wrong");
        assertAccessible("login-failed", view);
    }

    @ParameterizedTest
    @EnumSource
    void the_overview(View view) {
        visitor.use(view).login(console.admin(), "");
        visitor.awaitText("tbody", "shown");
        assertAccessible("overview", view);
    }

    @ParameterizedTest
    @EnumSource
    void the_tasks_with_a_selection_and_with_an_error(View view) {
        visitor.use(view).login(console.admin(), "tasks?filter=tube:shown");
        visitor.page().waitForSelector("tbody tr");
        visitor.find("tbody input[type=checkbox]").first().check();
        assertAccessible("tasks", view);
        visitor.open("tasks?filter=colour:red");
        visitor.awaitText(".filter-error", "colour");
        assertAccessible("tasks-refused", view);
        visitor.open("tasks?filter=tube:shown%20id:1");
        visitor.awaitText("main h2", "No task fits");
        assertAccessible("tasks-none", view);
    }

    @ParameterizedTest
    @EnumSource
    void a_task_and_one_that_failed(View view) {
        visitor.use(view).login(console.admin(), "tasks/shown/" + buried);
        visitor.page().waitForSelector("pre.code");
        assertAccessible("task", view);
        visitor.open("failures");
        visitor.find("a", "Sample").first().click();
        visitor.page().waitForSelector("pre.trace");
        assertAccessible("task-failed", view);
        visitor.open("tasks/shown/1");
        visitor.awaitText("main h2", "No such task");
        assertAccessible("task-missing", view);
    }

    @ParameterizedTest
    @EnumSource
    void the_failures(View view) {
        visitor.use(view).login(console.admin(), "failures");
        visitor.page().waitForSelector("tbody tr");
        assertAccessible("failures", view);
    }

    @ParameterizedTest
    @EnumSource
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
    @EnumSource
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
        try (InputStream script = AccessibilityIT.class.getResourceAsStream("/axe.min.js")) {
            return new String(script.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
