package org.tasktube.itest.console;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Edit and retry: the difference is seen, the new task names the old one, and the old one's end is known. */
@InBrowser
@Tag("full")
class EditIT {

    private static final String TUBE = "edited";

    private final ConsoleServer console;
    private final Visitor visitor;
    private final Rest rest;

    EditIT(ConsoleServer console, Visitor visitor) {
        this.console = console;
        this.visitor = visitor;
        this.rest = console.rest(console.operator());
    }

    @BeforeAll
    static void make(ConsoleServer console) {
        console.drop(TUBE);
        console.rest(console.admin())
                .post("tubes", "{\"name\":\"" + TUBE + "\",\"type\":\"fifottl\",\"history\":\"ALL\"}");
    }

    @AfterAll
    static void drop(ConsoleServer console) {
        console.drop(TUBE);
    }

    private String buried(String data) {
        String id = rest.put(TUBE, "{\"data\":" + data + ",\"pri\":3}");
        rest.post("tasks/" + TUBE + "/" + id + "/bury", "{\"reason\":\"test\"}");
        return id;
    }

    private void openDialog(String id) {
        visitor.login(console.operator(), "tasks/" + TUBE + "/" + id);
        visitor.find("[data-act=edit]").click();
    }

    private void replace(String part, String other) {
        String text = visitor.find("#f-data").inputValue();
        assertThat(text).contains(part);
        visitor.find("#f-data").fill(text.replace(part, other));
    }

    @Test
    void the_difference_is_shown_and_the_new_task_takes_the_place_of_the_old_one() {
        String old = buried("{\"order\":9007199254740993,\"amount\":10,\"to\":\"anna\"}");
        openDialog(old);
        visitor.awaitText("dialog .faint", "The data is as before.");
        replace("10", "12.50");

        visitor.awaitText("dialog .field-label", "1 line added, 1 removed");
        assertThat(visitor.find(".diff .removed").allTextContents()).containsExactly("-   \"amount\": 10,\n");
        assertThat(visitor.find(".diff .added").allTextContents()).containsExactly("+   \"amount\": 12.50,\n");
        visitor.button("Retry edited").click();
        visitor.awaitText("dialog .note", "reason");
        assertThat(state(old)).as("without a reason nothing is sent").isEqualTo("!");
        visitor.page().getByLabel("Reason").fill("the amount was wrong");
        visitor.button("Retry edited").click();

        visitor.awaitText("dd a", TUBE + " / " + old);
        String id = visitor.address().substring(("tasks/" + TUBE + "/").length());
        assertThat(Long.parseLong(id)).isGreaterThan(Long.parseLong(old));
        assertThat(state(id) + state(old)).isEqualTo("rgone");
        assertThat(console.read("SELECT convert_from(data, 'UTF8') || ' ' || pri FROM tasktube_task WHERE id = " + id))
                .isEqualTo("{\"order\":9007199254740993,\"amount\":12.50,\"to\":\"anna\"} 3");

        visitor.find("dd a", TUBE + " / " + old).click();
        visitor.awaitText("main h1", "gone");
        assertThat(visitor.find(".timeline > li").last().textContent()).contains("Deleted", "by operator");
    }

    @Test
    void data_that_is_no_json_any_more_is_refused_and_changes_nothing() {
        String id = buried("{\"order\":1}");
        openDialog(id);
        replace("}", "");
        visitor.awaitText("dialog", "This is no valid JSON yet.");
        visitor.page().getByLabel("Reason").fill("test");
        visitor.button("Retry edited").click();

        visitor.awaitText("dialog .note", "no valid JSON");
        assertThat(state(id)).isEqualTo("!");
    }

    @Test
    void an_edit_of_a_task_that_was_taken_meanwhile_is_refused_with_its_state() {
        String id = rest.put(TUBE, "{\"data\":\"x\",\"pri\":0}");
        openDialog(id);
        visitor.page().getByLabel("Reason").fill("test");
        rest.post("tubes/" + TUBE + "/take", "{}");
        visitor.button("Put edited").click();

        visitor.awaitText("dialog .note", "TAKEN");
        assertThat(state(id)).isEqualTo("t");
    }

    @Test
    void data_that_is_too_large_for_the_page_stays_and_the_priority_changes() {
        String old = buried("\"" + "x".repeat(700_000) + "\"");
        openDialog(old);
        visitor.awaitText("dialog .note", "The new task has the same");
        visitor.page().getByLabel("Priority").fill("7");
        visitor.page().getByLabel("Reason").fill("it is urgent");
        visitor.button("Retry edited").click();

        visitor.awaitText("dd a", TUBE + " / " + old);
        String id = visitor.address().substring(("tasks/" + TUBE + "/").length());
        assertThat(console.read("SELECT octet_length(data) || ' ' || pri FROM tasktube_task WHERE id = " + id))
                .isEqualTo("700000 7");
    }

    @Test
    void null_as_data_is_refused_and_changes_nothing() {
        String id = buried("\"x\"");
        HttpResponse<String> answer =
                rest.send("POST", "tasks/" + TUBE + "/" + id + "/edit", "{\"data\":null,\"reason\":\"test\"}");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("the member 'data' is null; leave it out to keep the data of the task");
        assertThat(state(id)).isEqualTo("!");
    }

    private String state(String id) {
        return console.read("SELECT coalesce((SELECT state FROM tasktube_task WHERE id = " + id + "), 'gone')");
    }
}
