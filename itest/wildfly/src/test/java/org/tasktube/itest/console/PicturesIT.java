package org.tasktube.itest.console;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The page that new users see first, with a shop at work. The documents have its picture. */
@InBrowser
@Tag("full")
class PicturesIT {

    private static final List<String> TUBES = List.of("orders", "invoices", "mails");
    private static final int BUCKETS = 288;

    private final ConsoleServer console;
    private final Visitor visitor;

    PicturesIT(ConsoleServer console, Visitor visitor) {
        this.console = console;
        this.visitor = visitor;
    }

    @BeforeAll
    static void open(ConsoleServer console) {
        TUBES.forEach(tube -> console.freshTube(tube, "fifottl"));
        flows(console, "orders", 900, 0);
        flows(console, "invoices", 400, 2);
        flows(console, "mails", 1_500, 12);
        Rest rest = console.rest(console.operator());
        console.fill("orders", 42);
        console.fill("mails", 1_204);
        for (int i = 0; i < 17; i++) {
            rest.put("invoices", "{\"data\":\"of order 4711\",\"delay\":\"PT2H\"}");
        }
        for (int i = 0; i < 3; i++) {
            String id = rest.putText("mails", "to nobody");
            rest.post("tasks/mails/" + id + "/bury", "{\"reason\":\"the address is wrong\"}");
        }
        rest.post("tubes/invoices/pause", "{\"reason\":\"the printer gets new paper\"}");
    }

    /** A day with a morning and an evening. */
    private static void flows(ConsoleServer console, String tube, int most, int failures) {
        console.sql("INSERT INTO tasktube_flow (bucket, tube_id, node, puts, ends, failures) SELECT"
                + " floor(extract(epoch FROM statement_timestamp()) / 300)::bigint - " + BUCKETS
                + " + b, id, 9998, n, n, "
                + failures + " FROM tasktube_tube, LATERAL (SELECT b, (" + most
                + " * (1 + sin(b / 24.0) + 0.3 * sin(b * 2.1)) / 2.3 + " + most / 10
                + ")::int AS n FROM generate_series(1, " + BUCKETS + ") b) day WHERE name = '" + tube + "'");
    }

    @AfterAll
    static void drop(ConsoleServer console) {
        TUBES.forEach(console::drop);
        console.sql("DELETE FROM tasktube_flow WHERE node = 9998");
    }

    @Test
    void the_overview_shows_a_day_of_all_tubes() {
        visitor.login(console.operator(), "?span=24h");
        visitor.awaitText("main", "the printer gets new paper");
        // The curves of five minutes have fewer points
        visitor.awaitThat("() => [...document.querySelectorAll('tbody svg path.line')]"
                + ".filter(line => line.getAttribute('d')?.split('L').length > 100).length >= 3");
        visitor.page().setViewportSize(1_280, 780);
        visitor.picture("overview-of-a-shop");
        assertThat(visitor.find("tbody tr").count()).isGreaterThanOrEqualTo(TUBES.size());
    }
}
