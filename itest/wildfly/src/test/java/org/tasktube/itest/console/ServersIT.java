package org.tasktube.itest.console;

import com.microsoft.playwright.Locator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The page of the servers: heartbeats, and what each instance of a bean does. */
@InBrowser
@Tag("full")
class ServersIT {

    private static final String BEAN = "tr:has(td a[href$='tubes/work'])";

    private final ConsoleServer console;
    private final Visitor visitor;

    ServersIT(ConsoleServer console, Visitor visitor) {
        this.console = console;
        this.visitor = visitor;
    }

    @Test
    void a_bean_shows_the_task_that_it_works_on_and_for_how_long() {
        Rest rest = console.rest(console.operator());
        String id = rest.put("work", "{\"data\":\"hold\",\"ttr\":\"1h\"}");
        try {
            visitor.login(console.viewer(), "servers");
            visitor.awaitText(BEAN + " .deliveries", id);
            assertThat(visitor.find(BEAN + " [data-label='at work']").textContent())
                    .contains("1 of 8");
            assertThat(visitor.find(BEAN + " .deliveries li").first().textContent())
                    .matches(id + "for \\d+ (ms|s)");
            visitor.awaitText(".page-head", "1 of 1 running, 1 task taken");
            visitor.find(BEAN + " .deliveries a").click();
            visitor.awaitText("main h1", id);
            visitor.page().goBack();
            visitor.awaitText(BEAN + " .deliveries", id);
        } finally {
            console.openGate();
        }
        visitor.awaitText(BEAN + " .deliveries", "free");
        visitor.awaitText(BEAN + " [data-label='at work']", "0 of 8");
    }

    @Test
    void the_server_that_answers_has_a_name_a_number_and_a_young_heartbeat() {
        visitor.login(console.viewer(), "servers");
        visitor.page().waitForSelector(".server");

        Locator server = visitor.find(".server");
        assertThat(server.count()).isEqualTo(1);
        String name = console.rest(console.viewer()).get("session").getString("server");
        assertThat(server.locator("h2").textContent()).contains(name, "no. ");
        assertThat(server.textContent()).contains("running", "answers you", "WorkBean", "WorkInTransactionBean");
        assertThat(server.locator(".heart").textContent()).matches("\\s*(\\d+ ms|[0-5]?\\d s) ago");
    }

    @Test
    void a_bean_of_a_paused_tube_says_why_it_gets_nothing() {
        Rest rest = console.rest(console.operator());
        rest.post("tubes/work/pause", "{\"reason\":\"the printer is broken\"}");
        try {
            visitor.login(console.viewer(), "servers");
            visitor.awaitText(BEAN + " .note", "is PAUSED");
        } finally {
            rest.post("tubes/work/resume", "{}");
        }
        visitor.awaitThat("([s]) => document.querySelector(s) === null", BEAN + " .note");
    }
}
