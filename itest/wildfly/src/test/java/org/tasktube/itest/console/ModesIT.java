package org.tasktube.itest.console;

import com.microsoft.playwright.Page.GetByLabelOptions;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.app.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

@InBrowser
@Tag("full")
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

    private String mode(String tube) {
        return console.rest(console.viewer()).get("tubes/" + tube).getString("mode");
    }

    @Test
    void several_tubes_are_paused_and_one_resumes_only_what_one_has_paused() {
        console.freshTube("one", "fifottl");
        console.freshTube("two", "fifottl");
        console.freshTube("drained", "fifottl");
        console.rest(console.admin()).post("tubes/drained/drain", "{\"reason\":\"it is to be dropped\"}");
        visitor.login(console.operator(), "");
        visitor.find("[data-act=modes]").click();
        visitor.awaitText("dialog .checks", "two");
        assertThat(visitor.find("dialog .checks").textContent()).doesNotContain("drained");
        assertThat(visitor.find("dialog button[type=submit]").isDisabled())
                .as("nothing is chosen at first")
                .isTrue();
        visitor.find("dialog .checks input[value=one]").check();
        visitor.find("dialog .checks input[value=two]").check();
        assertThat(visitor.find("dialog .checks input").first().evaluate("e => e.indeterminate"))
                .isEqualTo(true);
        visitor.press("Enter");
        assertThat(mode("one")).as("Enter chooses only").isEqualTo("OPEN");
        visitor.page().getByLabel("Reason").fill("maintenance");
        visitor.find("dialog button[type=submit]").click();
        visitor.page().waitForCondition(() -> visitor.find("dialog").count() == 0);
        assertThat(List.of(mode("one"), mode("two"), mode("work"), mode("drained")))
                .containsExactly("PAUSED", "PAUSED", "OPEN", "DRAINING");

        visitor.find("[data-act=modes]").click();
        visitor.page().getByLabel("Act", new GetByLabelOptions().setExact(true)).selectOption("resume");
        visitor.awaitText("dialog .checks", "by admin: it is to be dropped");
        visitor.find("dialog button[type=submit]").click();
        visitor.page().waitForCondition(() -> visitor.find("dialog").count() == 0);
        assertThat(List.of(mode("one"), mode("two"), mode("drained"))).containsExactly("OPEN", "OPEN", "DRAINING");
        List.of("one", "two", "drained").forEach(console::drop);
    }

    @Test
    void a_cancel_ends_a_pause_of_several_tubes_between_two_of_them() {
        List<String> tubes = List.of("c1", "c2", "c3", "c4", "c5", "c6");
        tubes.forEach(tube -> console.freshTube(tube, "fifottl"));
        visitor.login(console.operator(), "");
        AtomicInteger sent = new AtomicInteger();
        visitor.page().route("**/pause", route -> {
            if (sent.incrementAndGet() == 1) {
                route.resume();
            } else {
                // Cancel comes while the second call is under way
                visitor.page().evaluate("document.querySelector('dialog').close()");
                route.resume();
            }
        });
        visitor.find("[data-act=modes]").click();
        visitor.awaitText("dialog .checks", "c6");
        visitor.find("dialog .checks input").first().check();
        visitor.page().getByLabel("Reason").fill("maintenance");
        visitor.find("dialog button[type=submit]").click();
        visitor.awaitText(".toast", "not begun");
        assertThat(tubes.stream().filter(tube -> mode(tube).equals("PAUSED")).count()
                        + (mode("work").equals("PAUSED") ? 1 : 0))
                .isLessThanOrEqualTo(2);
        tubes.forEach(console::drop);
    }
}
