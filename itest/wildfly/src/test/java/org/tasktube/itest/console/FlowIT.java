package org.tasktube.itest.console;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page.WaitForSelectorOptions;
import com.microsoft.playwright.options.WaitForSelectorState;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The charts of 24 hours. No bucket of the test is near their ends, which move while it runs. */
@InBrowser
@Tag("full")
class FlowIT {

    private static final String TUBE = "flowing";
    private static final DateTimeFormatter TOKYO =
            DateTimeFormatter.ofPattern("HH:mm").withZone(ZoneId.of("Asia/Tokyo"));
    private static final int SECONDS = 300;
    private static final int BUCKETS = 288;

    private static long latest;

    private final ConsoleServer console;
    private final Visitor visitor;

    FlowIT(ConsoleServer console, Visitor visitor) {
        this.console = console;
        this.visitor = visitor;
    }

    @BeforeAll
    static void fill(ConsoleServer console) {
        console.freshTube(TUBE, "fifottl");
        latest = Long.parseLong(
                console.read("SELECT floor(extract(epoch FROM statement_timestamp()) / " + SECONDS + ")::bigint"));
        add(console, 10, 1_200, 600, 0);
        add(console, 11, 30, 600, 7);
        add(console, 150, 2_000, 1_000, 0);
    }

    private static void add(ConsoleServer console, int back, int puts, int ends, int failures) {
        console.sql("INSERT INTO tasktube_flow (bucket, tube_id, node, puts, ends, failures) SELECT " + (latest - back)
                + ", id, 9999, " + puts + ", " + ends + ", " + failures + " FROM tasktube_tube WHERE name = '" + TUBE
                + "'");
    }

    @AfterAll
    static void drop(ConsoleServer console) {
        console.drop(TUBE);
        console.sql("DELETE FROM tasktube_flow WHERE node = 9999");
    }

    @Test
    void the_chart_of_a_tube_has_each_bucket_at_its_time_and_the_sums() {
        visitor.login(console.viewer(), "tubes/" + TUBE);

        visitor.awaitText(".day", "In the last 24 hours 3,230 in, 2,200 out, 7 failed. Each server adds its numbers");
        Locator bucket = visitor.find(".chart rect:has(title:text('1,200 in, 600 out, 0 failed'))");
        assertThat(visitor.find(".chart rect").count()).isEqualTo(BUCKETS);
        assertThat(bucket.locator("title").textContent())
                .startsWith(clock(latest - 10) + " to " + clock(latest - 9) + "\n");
        assertThat(visitor.find(".chart path.failed").count()).isEqualTo(1);
        assertThat(visitor.find(".chart").getAttribute("aria-label")).contains("3,230 in, 2,200 out, 7 failed");
    }

    private static String clock(long bucket) {
        return TOKYO.format(Instant.ofEpochSecond(bucket * SECONDS));
    }

    @Test
    void the_table_of_the_hours_has_the_same_sums() {
        visitor.login(console.viewer(), "tubes/" + TUBE);
        visitor.find(".day summary").click();

        assertThat(sum("in")).isEqualTo(3_230);
        assertThat(sum("out")).isEqualTo(2_200);
        assertThat(sum("failed")).isEqualTo(7);
    }

    private int sum(String label) {
        List<String> cells = visitor.find(".hours td[data-label=" + label + "]").allTextContents();
        assertThat(cells).hasSize(24);
        return cells.stream()
                .mapToInt(text -> Integer.parseInt(text.replace(",", "")))
                .sum();
    }

    @Test
    void a_tube_without_moves_says_so() {
        console.freshTube("idle", "fifottl");
        visitor.login(console.viewer(), "tubes/idle");
        visitor.awaitText(".day", "No numbers of the last 24 hours yet.");
        console.drop("idle");
    }

    @Test
    void the_overview_shows_minutes_or_the_day_and_the_address_keeps_it() {
        String line = "tr:has(th a[href$='tubes/" + TUBE + "']) svg path.line";
        String points = "([s]) => document.querySelector(s)?.getAttribute('d').split('L').length === " + BUCKETS / 2;
        visitor.login(console.viewer(), "");
        visitor.page().waitForSelector(line, new WaitForSelectorOptions().setState(WaitForSelectorState.ATTACHED));
        visitor.button("24 h").click();
        visitor.awaitThat(points, line);
        assertThat(visitor.address()).isEqualTo("?span=24h");

        visitor.open(visitor.address());
        visitor.awaitThat(points, line);
        visitor.button("5 min").click();
        visitor.awaitThat(points.replace("===", "!=="), line);
    }
}
