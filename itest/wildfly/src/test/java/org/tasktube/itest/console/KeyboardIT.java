package org.tasktube.itest.console;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tasktube.itest.app.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** Each act is possible by the keyboard alone: by Tab, Enter, Space and keys of the page. */
@InBrowser
@Tag("full")
class KeyboardIT {

    private static final String TUBE = "keys";

    private final ConsoleServer console;
    private final Visitor visitor;

    KeyboardIT(ConsoleServer console, Visitor visitor) {
        this.console = console;
        this.visitor = visitor;
    }

    @BeforeAll
    static void make(ConsoleServer console) {
        console.freshTube(TUBE, "fifottl");
    }

    @AfterAll
    static void drop(ConsoleServer console) {
        console.drop(TUBE);
        console.drop("typed");
    }

    private String put() {
        return console.rest(console.operator()).putText(TUBE, "x");
    }

    private String state(String id) {
        return console.read("SELECT coalesce((SELECT state FROM tasktube_task WHERE id = " + id + "), 'gone')");
    }

    private void loginByKeys(String path) {
        visitor.page().navigate(console.page(path).toString());
        // Keys before the focus would be lost
        visitor.awaitThat("() => document.activeElement.id === 'user'");
        visitor.type(console.admin().name());
        visitor.press("Tab");
        visitor.type(console.admin().password());
        visitor.press("Enter");
        visitor.page().waitForSelector("body:not(.login) main h1");
    }

    private void act(String name, String... fields) {
        visitor.page().waitForSelector("[data-act=" + name + "]");
        visitor.tabTo("[data-act=" + name + "]").press("Enter");
        visitor.page().waitForSelector("dialog[open]");
        for (String field : fields) {
            visitor.type(field);
            visitor.press("Tab");
        }
        visitor.press("Shift+Tab", "Enter");
        visitor.awaitThat("() => !document.querySelector('dialog[open]')");
    }

    @ParameterizedTest
    @CsvSource({"bury, !", "delete, gone"})
    void a_ready_task(String act, String state) {
        String id = put();
        loginByKeys("tasks/" + TUBE + "/" + id);
        act(act, "by keys");
        assertThat(state(id)).isEqualTo(state);
    }

    @Test
    void a_buried_task_is_retried() {
        String id = put();
        console.rest(console.operator()).post("tasks/" + TUBE + "/" + id + "/bury", "{\"reason\":\"test\"}");
        loginByKeys("tasks/" + TUBE + "/" + id);
        act("dig", "by keys");
        assertThat(state(id)).isEqualTo("r");
    }

    @ParameterizedTest
    @CsvSource({"bury, !", "delete, gone", "done, -"})
    void a_taken_task(String act, String state) {
        String id = held();
        try {
            loginByKeys("tasks/work/" + id);
            act(act, "by keys");
            assertThat(state(id)).isEqualTo(state);
        } finally {
            end(id);
        }
    }

    @Test
    void a_taken_task_is_released_with_a_delay() {
        String id = held();
        try {
            loginByKeys("tasks/work/" + id);
            act("release", "1h", "by keys");
            assertThat(state(id)).isEqualTo("~");
        } finally {
            end(id);
        }
    }

    @Test
    void a_taken_task_is_requeued() {
        String id = held();
        String takings = "SELECT taken_count FROM tasktube_task WHERE id = " + id;
        try {
            loginByKeys("tasks/work/" + id);
            act("requeue", "by keys");
            Eventually.holds(() -> console.read(takings).equals("2"), "the task was READY and is taken again");
        } finally {
            end(id);
        }
    }

    @Test
    void a_taken_task_is_touched() {
        String id = held();
        String deadline = "SELECT coalesce(event_at::text, 'none') FROM tasktube_task WHERE id = " + id;
        String before = console.read(deadline);
        try {
            loginByKeys("tasks/work/" + id);
            act("touch", "10m", "by keys");
            assertThat(console.read(deadline)).isNotEqualTo(before);
        } finally {
            end(id);
        }
    }

    /** Returns the id of a task that a bean holds. */
    private String held() {
        String id = console.rest(console.operator()).put("work", "{\"data\":\"hold\",\"ttr\":\"1h\"}");
        Eventually.holds(() -> state(id).equals("t"), "a bean holds the task");
        return id;
    }

    private void end(String id) {
        console.openGate();
        Eventually.holds(() -> !state(id).equals("t"), "no bean holds the task");
        console.rest(console.operator()).send("POST", "tasks/work/" + id + "/delete", "{\"reason\":\"test\"}");
    }

    @Test
    void selected_tasks_are_buried_together() {
        console.freshTube(TUBE, "fifottl");
        Stream.of(1, 2, 3).forEach(i -> put());
        loginByKeys("tasks?filter=tube:" + TUBE);
        visitor.page().waitForSelector("tbody tr");
        visitor.press("j", "x", "j", "x");
        visitor.awaitText("[aria-label='Selected tasks']", "2 selected");
        act("bury", "by keys");
        assertThat(console.read("SELECT count(*) FROM tasktube_task t JOIN tasktube_tube u ON u.id = t.tube_id"
                        + " WHERE u.name = '" + TUBE + "' AND t.state = '!'"))
                .isEqualTo("2");
    }

    @Test
    void a_task_is_edited_and_retried() {
        String id = put();
        loginByKeys("tasks/" + TUBE + "/" + id);
        visitor.page().waitForSelector("[data-act=edit]");
        visitor.tabTo("[data-act=edit]").press("Enter");
        visitor.page().waitForSelector("dialog[open]");
        visitor.press("Control+A");
        visitor.type("y");
        visitor.page().waitForSelector("dialog .diff");
        visitor.tabTo("#f-reason").type("by keys");
        visitor.press("Enter");
        visitor.awaitText("dd a", TUBE + " / " + id);
        assertThat(state(id)).isEqualTo("gone");
    }

    @Test
    void all_tasks_that_match_are_buried_and_their_operation_is_reached() {
        console.freshTube(TUBE, "fifottl");
        String id = put();
        loginByKeys("tasks?filter=tube:" + TUBE + "%20state:ready");
        visitor.page().waitForSelector("tbody tr");
        operation("operation-bury");
        visitor.awaitText("main h1", "done");
        assertThat(state(id)).isEqualTo("!");

        visitor.press("g", "p");
        visitor.awaitText("main h1", "Operations");
        visitor.page().waitForSelector("tbody tr");
        visitor.press("j", "Enter");
        visitor.awaitText("main h1", "Bury no. ");
    }

    /** The dialog of an act on many tasks begins with the choice of the act. */
    private void operation(String name) {
        visitor.tabTo("[data-act=" + name + "]").press("Enter");
        visitor.page().waitForSelector("dialog .samples");
        visitor.tabTo("#f-reason").type("by keys");
        visitor.press("Enter");
    }

    @Test
    void a_kind_of_failures_is_retried() {
        Rest rest = console.rest(console.operator());
        String id = rest.putText("work", "fail by keys");
        Eventually.holds(() -> state(id).equals("!"), "the bean has failed");
        rest.post("tubes/work/pause", "{\"reason\":\"the bean would fail again\"}");
        try {
            loginByKeys("failures?q=by%20keys");
            visitor.page().waitForSelector("[data-act=retry-all]");
            operation("retry-all");
            visitor.awaitText("main h1", "done");
            assertThat(state(id)).isEqualTo("r");
        } finally {
            rest.post("tasks/work/" + id + "/delete", "{\"reason\":\"test\"}");
            rest.post("tubes/work/resume", "{}");
        }
    }

    @Test
    void an_operation_that_waits_is_cancelled() throws SQLException {
        Rest rest = console.rest(console.operator());
        String start = "{\"act\":\"BURY\",\"filter\":\"id:" + put() + "\",\"reason\":\"test\",\"count\":1}";
        try (Connection operations = console.holdOperations()) {
            assertThat(operations.isClosed()).isFalse();
            String id = rest.post("operations", start).getString("id");
            loginByKeys("operations/" + id);
            act("cancel", "by keys");
            visitor.awaitText("main h1", "cancelled");
        }
    }

    @Test
    void the_history_and_the_defaults_of_a_tube_are_changed() {
        console.freshTube("typed", "fifottl");
        String id = console.rest(console.operator()).putText("typed", "x");
        loginByKeys("tasks/typed/" + id);
        visitor.page().waitForSelector("[data-act=keep-history]");
        visitor.tabTo("[data-act=keep-history]").press("Enter");
        visitor.page().waitForSelector("dialog[open]");
        visitor.tabTo("#f-reason").type("by keys");
        visitor.press("Enter");
        visitor.awaitThat("() => !document.querySelector('dialog[open]')");

        visitor.open("tubes/typed");
        visitor.page().waitForSelector("[data-act=change]");
        visitor.tabTo("[data-act=change]").press("Enter");
        visitor.page().waitForSelector("dialog[open]");
        visitor.tabTo("#f-time-to-live").type("90s");
        visitor.tabTo("#f-reason").type("by keys");
        visitor.press("Enter");
        visitor.awaitText("dd", "1 min 30 s");
        visitor.awaitText("dd", "all, kept for 7 d");
    }

    @Test
    void the_audit_is_searched_and_a_page_of_numbers_is_read() {
        put();
        loginByKeys("audit");
        visitor.page().waitForSelector("tbody tr");
        visitor.press("/");
        visitor.type(console.operator().name());
        visitor.press("Tab");
        visitor.type("put");
        visitor.press("Enter");
        visitor.awaitThat("() => [...document.querySelectorAll('tbody tr')].every("
                + "r => r.textContent.startsWith('put') && r.textContent.includes('operator'))");
        assertThat(visitor.address()).isEqualTo("audit?who=operator&act=put");
        visitor.press("Escape");
        visitor.press("g", "s");
        visitor.awaitText("main h1", "Servers");

        visitor.open("");
        visitor.page().waitForSelector(".switch");
        visitor.tabTo(".switch button:last-child").press("Enter");
        visitor.awaitThat("() => location.search === '?span=24h'");
    }

    @Test
    void a_row_is_opened() {
        String id = put();
        loginByKeys("tasks?filter=id:" + id);
        visitor.page().waitForSelector("tbody tr");
        visitor.press("j", "Enter");
        visitor.awaitText("main h1", id);
    }

    @ParameterizedTest
    @CsvSource({"pause, PAUSED", "drain, DRAINING"})
    void a_tube_is_held_and_resumed(String act, String mode) {
        loginByKeys("tubes/" + TUBE);
        act(act, "by keys");
        assertThat(mode()).isEqualTo(mode);

        visitor.page().waitForSelector("[data-act=resume]");
        visitor.tabTo("[data-act=resume]").press("Enter");
        visitor.page().waitForSelector("dialog[open]");
        visitor.press("Enter");
        visitor.awaitThat("() => !document.querySelector('dialog[open]')");
        assertThat(mode()).isEqualTo("OPEN");
    }

    private String mode() {
        return console.rest(console.viewer()).get("tubes/" + TUBE).getString("mode");
    }

    @Test
    void a_task_is_put() {
        console.freshTube("typed", "fifottl");
        loginByKeys("tubes/typed");
        visitor.page().waitForSelector("[data-act=put]");
        visitor.tabTo("[data-act=put]").press("Enter");
        visitor.page().waitForSelector("dialog[open]");
        visitor.type("{\"order\":9007199254740993}");
        visitor.tabTo("dialog button[type=submit]").press("Enter");
        visitor.awaitText("dialog .note", "Put as task");
        visitor.press("Escape");
        visitor.awaitThat("() => !document.querySelector('dialog[open]')");
        assertThat(console.read("SELECT convert_from(data, 'UTF8') FROM tasktube_task t JOIN tasktube_tube u"
                        + " ON u.id = t.tube_id WHERE u.name = 'typed'"))
                .isEqualTo("{\"order\":9007199254740993}");
    }

    @Test
    void a_tube_is_created_truncated_and_dropped() {
        console.drop("typed");
        loginByKeys("");
        act("create", "typed");
        visitor.awaitText("main h1", "typed");
        console.rest(console.operator()).putText("typed", "x");

        act("truncate", "typed", "by keys");
        assertThat(console.rest(console.viewer()).get("tubes/typed").getInt("ready"))
                .isZero();

        visitor.tabTo("[data-act=drop]").press("Enter");
        visitor.page().waitForSelector("dialog[open]");
        visitor.type("typed");
        visitor.press("Enter");
        visitor.awaitText("main h1", "Overview");
        assertThat(console.rest(console.viewer()).send("GET", "tubes/typed", "").statusCode())
                .isEqualTo(404);
    }

    @Test
    void each_page_and_the_help_have_keys() {
        loginByKeys("");
        visitor.press("g", "t");
        visitor.awaitText("main h1", "Tasks");
        visitor.press("g", "f");
        visitor.awaitText("main h1", "Failures");
        visitor.press("g", "o");
        visitor.awaitText("main h1", "Overview");
        visitor.press("?");
        visitor.awaitText("dialog[open] h2", "Keys and help");
        visitor.press("Escape");
        visitor.awaitThat("() => !document.querySelector('dialog[open]')");
    }

    @Test
    void theme_refresh_filter_and_sign_out_are_reached() {
        loginByKeys("tasks?filter=state:buried");
        visitor.tabTo("#live").press("Enter");
        visitor.awaitText("#live", "Paused");
        visitor.tabTo("#theme").press("Enter");
        visitor.awaitThat("() => document.documentElement.dataset.theme === 'light'");
        visitor.tabTo("[data-act=save]").press("Enter");
        visitor.page().waitForSelector("dialog[open]");
        visitor.type("mine");
        visitor.press("Enter");
        visitor.awaitText(".saved", "mine");
        visitor.tabTo("[aria-label='Sign out']").press("Enter");
        visitor.page().waitForSelector("form[action$='/login']");
    }
}
