package org.tasktube.itest.console;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What all dialogs keep to: typed text stays, numbers are whole, and only what can be done is offered. */
@InBrowser
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
        assertThat(visitor.find("dialog").count()).as("nothing was typed").isZero();

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
