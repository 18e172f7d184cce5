package org.tasktube.itest.console;

import com.microsoft.playwright.Locator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@InBrowser
@Tag("full")
class OverviewIT {

    private static final String ROW = "tr:has(th a[href$='tubes/work'])";
    private static final String OUT = ROW + " [data-label='out / s']";

    private final ConsoleServer console;
    private final Visitor visitor;

    OverviewIT(ConsoleServer console, Visitor visitor) {
        this.console = console;
        this.visitor = visitor;
    }

    @Test
    void the_numbers_of_a_running_load_change() {
        visitor.login(console.viewer(), "");
        visitor.page().waitForSelector(ROW);
        Load.during(console, () -> {
            // The rate is that of the acks of the beans, and needs two readings
            visitor.awaitThat("([s]) => parseFloat(document.querySelector(s).textContent) > 0", OUT);
            String curve = ROW + " svg path.area";
            String before = visitor.find(curve).getAttribute("d");
            visitor.awaitThat("([s, d]) => document.querySelector(s).getAttribute('d') !== d", curve, before);
        });
        visitor.awaitThat("([s]) => parseFloat(document.querySelector(s).textContent) === 0", OUT);
    }

    /** Each one costs a round trip: half a second on a slow line. */
    @Test
    void a_page_loads_with_ten_requests_at_most() {
        visitor.login(console.viewer(), "");
        visitor.page().navigate("about:blank");
        List<String> requests = new CopyOnWriteArrayList<>();
        visitor.page().onRequest(request -> requests.add(request.url()));
        visitor.open("");
        visitor.page().waitForSelector(ROW);
        assertThat(requests).hasSizeBetween(4, 10);
    }

    @Test
    void a_task_that_is_put_elsewhere_is_counted_within_seconds() {
        console.freshTube("counted", "fifottl");
        visitor.login(console.viewer(), "");
        String ready = "tr:has(th a[href$='tubes/counted']) [data-label=ready]";
        visitor.awaitText(ready, "0");

        console.rest(console.operator()).putText("counted", "x");

        visitor.awaitText(ready, "1");
        console.drop("counted");
    }

    @Test
    void a_paused_refresh_stands_still_until_it_goes_on() {
        console.freshTube("still", "fifottl");
        visitor.login(console.viewer(), "");
        String ready = "tr:has(th a[href$='tubes/still']) [data-label=ready]";
        visitor.awaitText(ready, "0");
        Locator live = visitor.find("#live");
        live.click();
        visitor.awaitText("#live", "Paused");

        console.rest(console.operator()).putText("still", "x");
        int[] requests = {0};
        visitor.page().onRequest(request -> requests[0]++);
        visitor.page().waitForTimeout(2_500);
        assertThat(requests[0])
                .as("requests of a paused page, over the time of one refresh")
                .isZero();
        assertThat(visitor.find(ready).textContent()).isEqualTo("0");

        live.click();
        visitor.awaitText(ready, "1");
        console.drop("still");
    }

    /** No event comes for it: the page knows the time since when the task waits. */
    @Test
    void the_age_of_a_task_that_waits_grows() {
        console.freshTube("ageing", "fifottl");
        console.rest(console.operator()).putText("ageing", "x");
        visitor.login(console.viewer(), "");
        String sub = "tr:has(th a[href$='tubes/ageing']) .sub";
        visitor.awaitText(sub, "oldest");
        for (int i = 0; i < 2; i++) {
            String before = visitor.find(sub).textContent();
            visitor.awaitThat("([s, t]) => document.querySelector(s).textContent !== t", sub, before);
        }
        console.drop("ageing");
    }

    @Test
    void buried_tasks_are_a_problem_that_leads_to_them() {
        console.freshTube("trouble", "fifottl");
        Rest rest = console.rest(console.operator());
        rest.post("tasks/trouble/" + rest.putText("trouble", "x") + "/bury", "{\"reason\":\"test\"}");
        visitor.login(console.viewer(), "");

        visitor.find(".problems .note", "trouble").locator("a").first().click();

        visitor.awaitText("main h1", "Tasks");
        assertThat(visitor.address()).contains("trouble").contains("buried");
        console.drop("trouble");
    }
}
