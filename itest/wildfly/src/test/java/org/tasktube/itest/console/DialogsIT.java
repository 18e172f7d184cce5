package org.tasktube.itest.console;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Page.GetByLabelOptions;
import com.microsoft.playwright.Route;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What all dialogs keep to: typed text stays, numbers are whole, and only what can be done is offered. */
@InBrowser
@Tag("full")
class DialogsIT {

    private static final String TUBE = "dialogs";

    private final ConsoleServer console;
    private final Visitor visitor;

    DialogsIT(ConsoleServer console, Visitor visitor) {
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
    }

    @Test
    void one_esc_keeps_what_was_typed_and_a_second_one_throws_it_away() {
        visitor.login(console.operator(), "tubes/" + TUBE);
        visitor.find("[data-act=pause]").click();
        visitor.press("Escape");
        // Nothing was typed
        visitor.page().waitForCondition(() -> visitor.find("dialog").count() == 0);

        visitor.find("[data-act=pause]").click();
        visitor.page().getByLabel("Reason").click();
        visitor.type("maintenance");
        visitor.press("Escape");
        visitor.awaitText("dialog .outcome", "Esc again throws away what you have typed.");
        assertThat(visitor.page().getByLabel("Reason").inputValue()).isEqualTo("maintenance");
        visitor.press("Escape");
        visitor.page().waitForCondition(() -> visitor.find("dialog").count() == 0);
    }

    @Test
    void after_a_refusal_one_esc_keeps_what_was_typed_again() {
        visitor.page()
                .route(
                        "**/pause",
                        route -> route.fulfill(new Route.FulfillOptions()
                                .setStatus(409)
                                .setContentType("application/problem+json")
                                .setBody("{\"title\":\"Refused\",\"status\":409,\"detail\":\"by the test\"}")));
        visitor.login(console.operator(), "tubes/" + TUBE);
        visitor.find("[data-act=pause]").click();
        visitor.page().getByLabel("Reason").fill("maintenance");
        visitor.press("Escape");
        visitor.awaitText("dialog .outcome", "Esc again");
        visitor.button("Pause " + TUBE).click();
        visitor.awaitText("dialog .outcome", "by the test");
        visitor.press("Escape");
        visitor.awaitText("dialog .outcome", "Esc again");
    }

    @Test
    void enter_in_the_search_of_tubes_sends_nothing() {
        List<String> tubes = IntStream.range(0, 10).mapToObj(i -> "found-" + i).toList();
        Rest rest = console.rest(console.operator());
        tubes.forEach(tube -> {
            console.freshTube(tube, "fifo");
            rest.post("tubes/" + tube + "/pause", "{\"reason\":\"a test\"}");
        });
        visitor.login(console.operator(), "");
        visitor.find("[data-act=modes]").click();
        visitor.page().getByLabel("Act", new GetByLabelOptions().setExact(true)).selectOption("resume");
        visitor.page().getByLabel("Tubes with").fill("found-3");
        visitor.awaitText("dialog .checks label:not([hidden])", "All 1 tube");
        visitor.page().getByLabel("Tubes with").press("Enter");
        visitor.page().getByLabel("Tubes with").fill("nothing");
        assertThat(visitor.find("dialog .checks label:not([hidden])").count())
                .as("the dialog is there, and no tube has that name")
                .isEqualTo(1);
        tubes.forEach(
                tube -> assertThat(rest.get("tubes/" + tube).getString("mode")).isEqualTo("PAUSED"));
        tubes.forEach(console::drop);
    }

    @Test
    void what_was_done_stays_to_be_read_if_the_session_ends_after_it() {
        visitor.login(console.operator(), "tubes/" + TUBE);
        visitor.find("[data-act=put]").click();
        visitor.page().waitForSelector("dialog[open]");
        visitor.type("1");
        visitor.find("dialog button[type=submit]").click();
        visitor.awaitText("dialog .outcome", "Put as task");
        visitor.page().context().clearCookies();
        visitor.awaitText("#live", "Paused");
        assertThat(visitor.find("dialog .outcome").textContent()).contains("Put as task");
        visitor.button("Close").click();
        visitor.page().waitForSelector("#password");
    }

    @Test
    void a_login_in_another_window_lets_the_page_go_on() {
        visitor.login(console.operator(), "tubes/" + TUBE);
        visitor.find("[data-act=pause]").click();
        visitor.page().context().clearCookies();
        visitor.awaitText("dialog .outcome", "Your session has ended.");
        Page other = visitor.page().context().newPage();
        other.navigate(console.page("").toString());
        other.getByLabel("User").fill(console.operator().name());
        other.getByLabel("Password").fill(console.operator().password());
        other.getByText("Sign in", new Page.GetByTextOptions().setExact(true)).click();
        other.waitForSelector("main h1");
        other.close();
        visitor.page().evaluate("window.stays = true");
        visitor.button("Cancel").click();
        visitor.awaitText("#live", "Live");
        assertThat(visitor.page().evaluate("window.stays")).isEqualTo(true);
    }

    @Test
    void a_session_that_ends_over_a_dialog_is_named_there_and_the_login_comes_after_its_close() {
        visitor.login(console.operator(), "tubes/" + TUBE);
        visitor.find("[data-act=pause]").click();
        visitor.page().getByLabel("Reason").fill("maintenance");
        visitor.page().context().clearCookies();
        visitor.awaitText("dialog .outcome", "Your session has ended. What you have typed stays");
        visitor.button("Cancel").click();
        visitor.page().waitForSelector("#password");
    }

    @Test
    void a_drop_and_a_truncate_name_the_tasks_of_all_states_and_begin_at_the_name() {
        console.freshTube(TUBE, "fifottl");
        Rest rest = console.rest(console.operator());
        rest.post("tubes/" + TUBE + "/tasks", "{\"data\":\"a\"}");
        rest.post("tubes/" + TUBE + "/tasks", "{\"data\":\"b\",\"delay\":\"PT1H\"}");
        visitor.login(console.admin(), "tubes/" + TUBE);
        for (String act : new String[] {"drop", "truncate"}) {
            visitor.find("[data-act=" + act + "]").click();
            visitor.awaitText("dialog .subject", "has 2 tasks: 1 ready, 1 delayed.");
            assertThat(visitor.page().evaluate("document.activeElement.placeholder"))
                    .isEqualTo(TUBE);
            visitor.press("Escape");
        }
    }

    @Test
    void a_new_tube_has_only_the_options_of_its_type() {
        visitor.login(console.admin(), "");
        visitor.find("[data-act=create]").click();
        assertThat(visitor.find("#f-priority").isVisible()).isTrue();
        assertThat(visitor.find("#f-capacity").isVisible()).isFalse();
        visitor.find("#f-type").selectOption("limfifottl");
        assertThat(visitor.find("#f-capacity").isVisible()).isTrue();
        visitor.find("#f-type").selectOption("fifo");
        assertThat(visitor.find("#f-priority").isVisible()).isFalse();
        assertThat(visitor.find("#f-time-to-live").isVisible()).isFalse();
    }
}
