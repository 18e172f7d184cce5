package org.tasktube.itest.console;

import com.microsoft.playwright.Page.GetByLabelOptions;
import jakarta.json.JsonObject;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.app.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pages of acts on many tasks. A lock on an operation's row keeps it where it is, so that its progress can be read.
 */
@InBrowser
@Tag("full")
class OperationsIT {

    private static final String TUBE = "operated";
    private static final int TASKS = 20_000;

    private final ConsoleServer console;
    private final Visitor visitor;
    private final Rest rest;

    OperationsIT(ConsoleServer console, Visitor visitor) {
        this.console = console;
        this.visitor = visitor;
        this.rest = console.rest(console.operator());
    }

    @BeforeAll
    static void fill(ConsoleServer console) {
        console.freshTube(TUBE, "fifottl");
        Rows.of(console).copy(console.rest(console.operator()).putText(TUBE, "x"), TASKS - 1);
    }

    @AfterAll
    static void drop(ConsoleServer console) {
        console.drop(TUBE);
    }

    private String start(String act, String filter) {
        JsonObject preview = rest.post("operations/preview", "{\"act\":\"" + act + "\",\"filter\":\"" + filter + "\"}");
        return start(act, filter, preview.getInt("fits"));
    }

    private String start(String act, String filter, int count) {
        return rest.post(
                        "operations",
                        "{\"act\":\"" + act + "\",\"filter\":\"" + filter + "\",\"reason\":\"the printer\",\"count\":"
                                + count + "}")
                .getString("id");
    }

    private JsonObject operation(String id) {
        return rest.get("operations/" + id);
    }

    private String number(String selector) {
        return visitor.find(selector).textContent().replace(",", "");
    }

    @Test
    void progress_is_shown_and_a_cancel_leaves_the_rest_as_it_was() throws SQLException {
        String id = start("BURY", "tube:" + TUBE + " state:ready");
        Eventually.holds(() -> operation(id).getInt("changed") > 0, "the first batch is done");
        try (Connection connection = console.connect();
                Statement lock = connection.createStatement()) {
            connection.setAutoCommit(false);
            lock.execute("SELECT * FROM tasktube_operation WHERE id = " + id + " FOR UPDATE");
            visitor.login(console.operator(), "operations/" + id);
            int changed = operation(id).getInt("changed");
            assertThat(changed).isBetween(1, TASKS - 1);
            visitor.awaitThat(
                    "([n]) => document.querySelectorAll('.stat .n')[2]?.textContent.replace(',', '') === n",
                    Integer.toString(changed));
            visitor.awaitText("main h1", "running");
            int expected = operation(id).getInt("expected");
            visitor.awaitText(".panel .soft", String.format(Locale.ROOT, "of %,d", expected));
            double share = ((Number) visitor.find("progress").evaluate("e => e.value")).doubleValue();
            assertThat(share).isEqualTo((double) operation(id).getInt("looked") / expected);

            visitor.find("[data-act=cancel]").click();
            visitor.awaitText("dialog[open]", "tube:" + TUBE + " state:ready");
            visitor.page().getByLabel("Reason").fill("a wrong filter");
            visitor.button("Cancel the operation").click();
            Eventually.holds(
                    () -> console.read("SELECT count(*) >= 2 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                    + " AND query LIKE '%tasktube_operation%'")
                            .equals("t"),
                    "the next batch and the cancel wait for the row");
            connection.rollback();
        }

        visitor.awaitText("main h1", "cancelled");
        int changed = operation(id).getInt("changed");
        visitor.awaitText(".panel .soft", "Cancelled after");
        assertThat(changed).isLessThan(TASKS);
        assertThat(number(".stats .stat:nth-child(3) .n")).isEqualTo(Integer.toString(changed));
        assertThat(console.read("SELECT count(*) FROM tasktube_task t JOIN tasktube_tube u ON u.id = t.tube_id"
                        + " WHERE u.name = '" + TUBE + "' AND t.state = '!'"))
                .isEqualTo(Integer.toString(changed));
        visitor.awaitText("dd", "operator");
        assertThat(visitor.find("[data-act=cancel]").count()).isZero();

        visitor.find(".page-head a", "Operations").click();
        visitor.awaitText("tbody tr:first-child", "no. " + id);
        assertThat(visitor.find("tbody tr").first().textContent())
                .contains("Bury", "cancelled", "tube:" + TUBE + " state:ready", "operator");
        assertThat(number("tbody tr:first-child [data-label=changed]")).isEqualTo(Integer.toString(changed));
    }

    @Test
    void a_row_that_runs_goes_on_and_a_new_one_is_only_counted() {
        visitor.login(console.viewer(), "operations");
        visitor.awaitText("main h1", "Operations");
        String task = rest.putText(TUBE, "one");
        String first = start("BURY", "id:" + task);
        Eventually.holds(() -> operation(first).getString("state").equals("DONE"), "the first has ended");
        visitor.open("operations");
        visitor.awaitText("tbody tr:first-child", "no. " + first);

        String second = start("RETRY", "id:" + task);
        visitor.awaitText(".news", "1 new");
        visitor.awaitText("tbody tr:first-child", "no. " + first);
        visitor.find(".news button").click();
        visitor.awaitText("tbody tr:first-child", "no. " + second);
        visitor.awaitText("tbody tr:first-child", "done");
    }

    @Test
    void the_number_that_was_confirmed_is_shown_and_done_and_the_rest_is_asked_about() {
        console.freshTube("confirmed", "fifottl");
        console.fill("confirmed", 12);
        String id = start("BURY", "tube:confirmed", 5);
        Eventually.holds(() -> operation(id).getString("state").equals("STOPPED"), "it has stopped");
        assertThat(operation(id).getInt("expected")).isEqualTo(5);
        assertThat(operation(id).getInt("changed")).isEqualTo(5);
        visitor.login(console.operator(), "operations/" + id);
        visitor.awaitText("main h1", "stopped");
        assertThat(number(".stats .stat:nth-child(1) .n")).isEqualTo("5");
        assertThat(number(".stats .stat:nth-child(3) .n")).isEqualTo("5");
        visitor.awaitText(".panel .soft", "More fit");
        visitor.find("[data-act=rest]").click();
        visitor.awaitText("dialog h2", "Bury all tasks that match, 7 tasks");
        visitor.page().getByLabel("Reason").fill("the rest too");
        visitor.button("Bury 7 tasks").click();
        visitor.awaitText("main h1", "done");
        assertThat(rest.get("tubes/confirmed").getInt("buried")).isEqualTo(12);
        console.drop("confirmed");
    }

    @Test
    void a_filter_that_matches_tasks_in_other_states_only_says_so() {
        console.freshTube("others", "fifottl");
        console.fill("others", 3);
        rest.post("tubes/others/pause", "{\"reason\":\"test\"}");
        visitor.login(console.operator(), "tasks?filter=tube:others");
        visitor.find("[data-act=operation-retry]").click();
        visitor.awaitText("dialog .note", "3 tasks match; none of them is buried.");
        visitor.page().getByLabel("Act", new GetByLabelOptions().setExact(true)).selectOption("BURY");
        visitor.awaitText("dialog h2", "Bury all tasks that match, 3 tasks");
        visitor.awaitText("dialog", "others is PAUSED");
        rest.post("tasks/others/" + rest.putText("others", "x") + "/bury", "{\"reason\":\"test\"}");
        Map<String, String> texts = new LinkedHashMap<>();
        // Another act first, because the preview of the chosen one is older than the fourth task
        texts.put("RETRY", "4 tasks match; those that are not buried are left");
        texts.put("BURY", "4 tasks match; those in other states are left");
        texts.put("RELEASE", "4 tasks match; none of them is taken.");
        for (Map.Entry<String, String> said : texts.entrySet()) {
            visitor.page()
                    .getByLabel("Act", new GetByLabelOptions().setExact(true))
                    .selectOption(said.getKey());
            visitor.awaitText("dialog .note", said.getValue());
        }
        console.drop("others");
    }

    @Test
    void an_act_that_fits_no_task_cannot_be_started() {
        visitor.login(console.operator(), "tasks?filter=tube:" + TUBE + "%20id:9007199254740991");
        visitor.find("[data-act=operation-retry]").click();
        visitor.awaitText("dialog", "No task matches the filter.");
        assertThat(visitor.find("dialog button[type=submit]").isDisabled()).isTrue();
    }

    @Test
    void an_operator_has_no_delete_of_many_and_an_administrator_types_the_number() {
        console.freshTube("deleted", "fifottl");
        console.fill("deleted", 12);
        visitor.login(console.operator(), "tasks?filter=tube:deleted");
        visitor.find("[data-act=operation-retry]").click();
        assertThat(visitor.find("dialog option").allTextContents()).containsExactly("Retry", "Bury", "Release");

        visitor.use(View.WIDE_LIGHT).login(console.admin(), "tasks?filter=tube:deleted");
        visitor.find("[data-act=operation-retry]").click();
        visitor.page().getByLabel("Act", new GetByLabelOptions().setExact(true)).selectOption("DELETE");
        visitor.awaitText("dialog .note", "Delete 12 tasks");
        assertThat(visitor.find("dialog .samples li").count()).isEqualTo(10);
        visitor.page().getByLabel("Reason").fill("test");
        visitor.find("dialog button[type=submit]").click();
        visitor.awaitText("dialog .outcome .note", "The number of the tasks is 12.");
        visitor.page().getByLabel("Number of the tasks").fill("12");
        visitor.find("dialog button[type=submit]").click();
        visitor.awaitText("main h1", "done");
        assertThat(rest.get("tubes/deleted").getInt("ready")).isZero();
        console.drop("deleted");
    }
}
