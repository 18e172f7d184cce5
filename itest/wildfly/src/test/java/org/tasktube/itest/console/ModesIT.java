package org.tasktube.itest.console;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.app.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

@InBrowser
class ModesIT {

    private final ConsoleServer console;
    private final Visitor visitor;

    ModesIT(ConsoleServer console, Visitor visitor) {
        this.console = console;
        this.visitor = visitor;
    }

    @BeforeEach
    @AfterEach
    void resume() {
        console.rest(console.operator()).post("tubes/work/resume", "{}");
    }

    private String mode() {
        return console.rest(console.viewer()).get("tubes/work").getString("mode");
    }

    private long ready() {
        return Long.parseLong(console.read("SELECT count(*) FROM tasktube_task t JOIN tasktube_tube u"
                + " ON u.id = t.tube_id WHERE u.name = 'work' AND t.state = 'r'"));
    }

    @Test
    void a_paused_tube_delivers_nothing_until_it_is_resumed() {
        visitor.login(console.operator(), "tubes/work");
        visitor.find("[data-act=pause]").click();
        visitor.page().getByLabel("Reason").fill("the printer is broken");
        visitor.button("Pause work").click();
        visitor.awaitText("main .note", "the printer is broken");
        assertThat(mode()).isEqualTo("PAUSED");

        console.rest(console.operator()).putText("work", "at once");
        visitor.awaitText("main .stat.s-ready", "1");
        assertThat(ready()).isEqualTo(1);

        visitor.find("[data-act=resume]").click();
        visitor.button("Resume work").click();
        visitor.awaitThat("() => document.querySelector('[data-act=resume]') === null");
        assertThat(mode()).isEqualTo("OPEN");
        Eventually.holds(() -> ready() == 0, "the bean has done the task");
        visitor.awaitText("main .stat.s-ready", "0");
    }

    @Test
    void a_pause_without_a_reason_is_not_sent() {
        visitor.login(console.operator(), "tubes/work");
        visitor.find("[data-act=pause]").click();
        visitor.button("Pause work").click();

        visitor.awaitText("dialog .note", "reason");
        assertThat(mode()).isEqualTo("OPEN");
    }

    @Test
    void a_pause_by_another_user_is_seen_with_name_and_reason() {
        visitor.login(console.viewer(), "tubes/work");
        visitor.awaitText("main h2", "Definition");
        console.rest(console.operator()).post("tubes/work/pause", "{\"reason\":\"a new version comes\"}");

        visitor.awaitText("main .note", "a new version comes");
        visitor.awaitText("main .note", "operator");
        visitor.open("");
        visitor.awaitText(".problems", "work");
    }
}
