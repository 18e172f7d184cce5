package org.tasktube.itest.console;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.app.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** The list of tasks, over a tube of 20,000 tasks. */
@InBrowser
@Tag("full")
class TasksIT {

    private static final int TASKS = 20_000;

    private final ConsoleServer console;
    private final Visitor visitor;

    TasksIT(ConsoleServer console, Visitor visitor) {
        this.console = console;
        this.visitor = visitor;
    }

    @BeforeAll
    static void fill(ConsoleServer console) {
        console.freshTube("many", "fifottl");
        console.fill("many", TASKS);
        Rest rest = console.rest(console.admin());
        for (int i = 0; i < 3; i++) {
            String id = rest.put("many", "{\"data\":{\"customer\":" + i + "},\"key\":\"order-" + i + "\"}");
            rest.post("tasks/many/" + id + "/bury", "{\"reason\":\"test\"}");
        }
    }

    @AfterAll
    static void drop(ConsoleServer console) {
        console.drop("many");
    }

    @Test
    void pages_follow_each_other_and_the_back_button_returns() {
        visitor.login(console.viewer(), "tasks?filter=tube:many");
        List<String> first = ids();
        assertThat(first).hasSize(50);
        assertThat(visitor.find(".pager").textContent()).contains("50 tasks, in the order of take");

        visitor.find(".pager a", "Next").click();
        awaitWithout(first.get(0));
        assertThat(visitor.address()).contains("from=");
        assertThat(ids()).hasSize(50).doesNotContainAnyElementsOf(first);

        visitor.page().goBack();
        visitor.awaitThat("([id]) => document.querySelector('tbody th a')?.textContent === id", first.get(0));
        assertThat(ids()).isEqualTo(first);
        visitor.page().goForward();
        awaitWithout(first.get(0));
    }

    /** Awaits a list in which no task has the id. Other columns may have that number. */
    private void awaitWithout(String id) {
        visitor.awaitThat(
                "([id]) => {"
                        + " const ids = [...document.querySelectorAll('tbody th a')].map(link => link.textContent);"
                        + " return ids.length > 0 && !ids.includes(id); }",
                id);
    }

    @Test
    void a_typed_filter_becomes_pills_and_the_address() {
        visitor.login(console.viewer(), "tasks");
        visitor.page().waitForSelector("#filter");
        visitor.press("/");
        visitor.type("tube:many state:buried ");

        visitor.awaitThat("() => document.querySelectorAll('.pill-text').length === 2");
        visitor.awaitThat("() => document.querySelectorAll('tbody tr').length === 3");
        assertThat(visitor.address()).isEqualTo("tasks?filter=tube%3Amany+state%3Aburied");

        visitor.find("[aria-label='Remove state:buried']").click();
        visitor.awaitThat("() => document.querySelectorAll('tbody tr').length === 50");
        visitor.page().goBack();
        visitor.awaitThat("() => document.querySelectorAll('tbody tr').length === 3");
    }

    @Test
    void suggestions_are_chosen_by_keys() {
        visitor.login(console.viewer(), "tasks");
        visitor.page().waitForSelector("#filter");
        visitor.press("/");
        visitor.type("fail");
        visitor.awaitText("#filter-list", "failure:");
        visitor.press("Control+A");
        visitor.type("stat");
        visitor.awaitText("#filter-list", "state:buried");
        visitor.press("ArrowDown", "Enter");
        visitor.type("bur");
        visitor.press("ArrowDown", "Enter");

        visitor.awaitText(".pill-text", "state:buried");
        assertThat(visitor.address()).isEqualTo("tasks?filter=state%3Aburied");
    }

    @Test
    void a_shared_address_shows_the_same_view_to_another_user() {
        visitor.login(console.admin(), "tasks?filter=tube:many%20state:buried%20data.customer:2");
        visitor.awaitThat("() => document.querySelectorAll('tbody tr').length === 1");
        List<String> seen = ids();
        String address = visitor.address();

        visitor.use(View.PHONE_DARK).login(console.viewer(), address);
        visitor.awaitThat("() => document.querySelectorAll('tbody tr').length === 1");
        assertThat(ids()).isEqualTo(seen);
    }

    @Test
    void a_search_without_an_index_says_how_far_it_looked_and_goes_on_when_asked() {
        visitor.login(console.viewer(), "tasks?filter=tube:many%20data.customer:2");
        visitor.page().waitForSelector(".pager span");
        if (visitor.find("tbody th a").count() == 0) {
            visitor.awaitText(".pager", "looked at");
            visitor.find("[data-act=go-on]").click();
        }
        // One click is enough, however far it is
        visitor.page().waitForSelector("tbody th a");
        assertThat(ids()).hasSize(1);
    }

    @Test
    void a_declared_field_is_suggested_and_found_at_once() {
        visitor.login(console.admin(), "tubes/many");
        visitor.find("[data-act=change]").click();
        visitor.page().getByLabel("Searchable fields").fill("customer, order.\"line no\"");
        visitor.page().getByLabel("Reason").fill("a test");
        visitor.find("dialog[open] button[type=submit]").click();
        visitor.awaitText("main", "customer, order.\"line no\"");
        Eventually.holds(
                () -> !console.rest(console.viewer()).get("tubes/many").getBoolean("indexing", false),
                "the index has all tasks");

        visitor.open("tasks?filter=tube:many");
        visitor.page().waitForSelector("#filter");
        visitor.press("/");
        visitor.type("data.cus");
        visitor.awaitText("#filter-list", "data.customer:");
        visitor.press("ArrowDown");
        visitor.press("Enter");
        visitor.type("2 ");
        visitor.awaitThat("() => document.querySelectorAll('tbody tr').length === 1");
        assertThat(console.rest(console.viewer())
                        .get("tasks?filter=tube:many%20data.customer:2")
                        .getInt("looked"))
                .isEqualTo(1);
    }

    @Test
    void a_word_without_a_field_is_looked_for_anywhere_and_shown_as_a_condition() {
        console.freshTube("words", "fifottl");
        String found = console.rest(console.operator()).putText("words", "the plotter is out of paper");
        console.rest(console.operator()).putText("words", "another thing");
        visitor.login(console.operator(), "tasks?filter=tube:words");
        visitor.page().waitForSelector("tbody th a");
        visitor.find("#filter").fill("PLOTTER");
        visitor.page().keyboard().press("Enter");
        visitor.awaitThat("() => document.querySelectorAll('tbody tr').length === 1");
        assertThat(ids()).containsExactly(found);
        assertThat(visitor.find(".pill-text").allTextContents()).containsExactly("tube:words", "text:PLOTTER");
        assertThat(visitor.find("[data-label=data] code").textContent()).isEqualTo("the plotter is out of paper");
        visitor.use(View.WIDE_LIGHT).login(console.viewer(), "tasks?filter=tube:words");
        visitor.awaitThat("() => document.querySelectorAll('tbody tr').length === 2");
        assertThat(visitor.find("[data-label=data] code").count())
                .as("text that is no JSON can have a secret")
                .isZero();
        console.drop("words");
    }

    @Test
    void a_task_that_is_gone_leads_to_its_history() {
        console.freshTube("gone", "fifottl");
        visitor.login(console.viewer(), "tasks?filter=tube:gone%20id:4711");
        visitor.awaitText("main", "No task fits");
        assertThat(visitor.find("main a", "History of gone / 4711").getAttribute("href"))
                .endsWith("tasks/gone/4711");
        console.drop("gone");
    }

    @Test
    void a_tube_that_does_not_exist_is_named() {
        visitor.login(console.viewer(), "tasks?filter=tube:nope");
        visitor.awaitText("main", "There is no tube nope.");
    }

    @Test
    void a_wrong_filter_is_marked_where_it_is_wrong() {
        visitor.login(console.viewer(), "tasks?filter=tube:many%20colour:red");

        visitor.awaitText(".filter-error", "colour");
        assertThat(visitor.find(".pill.wrong").textContent()).contains("colour:red");
    }

    @Test
    void the_number_of_each_state_is_exact_and_a_link() {
        visitor.login(console.viewer(), "tasks?filter=tube:many");
        visitor.awaitText("[data-focus=state-ready]", "20K");
        visitor.awaitText("[data-focus=state-buried]", "3");
        visitor.find("[data-focus=state-buried]").click();
        visitor.awaitThat("() => document.querySelectorAll('tbody tr').length === 3");
    }

    @Test
    void rows_stay_where_they_are_while_others_come() {
        visitor.login(console.viewer(), "tasks?filter=state:buried%20tube:many");
        visitor.awaitThat("() => document.querySelectorAll('tbody tr').length === 3");
        List<String> before = ids();
        Rest rest = console.rest(console.admin());
        String id = rest.putText("many", "y");
        rest.post("tasks/many/" + id + "/bury", "{\"reason\":\"test\"}");

        visitor.awaitText(".news", "1 new");
        assertThat(ids()).isEqualTo(before);
        visitor.find(".news button").click();
        visitor.awaitText("tbody", id);
        rest.post("tasks/many/" + id + "/delete", "{\"reason\":\"test\"}");
    }

    private List<String> ids() {
        visitor.page().waitForSelector("tbody th a");
        return visitor.find("tbody th a").allTextContents();
    }
}
