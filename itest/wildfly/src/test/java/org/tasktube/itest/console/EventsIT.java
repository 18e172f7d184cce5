package org.tasktube.itest.console;

import jakarta.json.JsonValue;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.kit.EventStream;
import org.tasktube.itest.kit.EventStream.Event;

import static org.assertj.core.api.Assertions.assertThat;

/** The stream of events stays open, and brings each change to scripts and to pages. */
@InBrowser
@Tag("full")
class EventsIT {

    private static final String TUBE = "streamed";
    private static final String ALIVE = "alive";
    private static final int CHANGES = 3;
    private static final int LOGOUTS = 5;
    private static final Duration SILENCE = Duration.ofSeconds(4);
    private static final Duration SILENT_PAGE = Duration.ofSeconds(13);
    private static final Duration UNANSWERED = Duration.ofSeconds(21);
    private static final Duration ASKED = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ConsoleServer console;
    private final Visitor visitor;
    private final Rest rest;

    EventsIT(ConsoleServer console, Visitor visitor) {
        this.console = console;
        this.visitor = visitor;
        this.rest = console.rest(console.operator());
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
    void one_stream_brings_one_change_after_the_other() throws IOException, InterruptedException {
        try (EventStream events = new EventStream(console.page("api/v1/events"), console.viewer())) {
            assertThat(events.status()).isEqualTo(200);
            int ready = rest.get("tubes/" + TUBE).getInt("ready");
            for (int i = 0; i <= CHANGES; i++) {
                awaitReady(events, ready + i);
                rest.putText(TUBE, "x");
            }
        }
    }

    /** The other tests of the console leave changes that still come, such as the counts of their last tasks. */
    @Test
    void an_idle_backlog_sends_no_change() throws IOException, InterruptedException {
        rest.putText(TUBE, "waits");
        long end = System.nanoTime() + PATIENCE.toNanos();
        try (EventStream events = new EventStream(console.page("api/v1/events"), console.viewer())) {
            next(events);
            while (events.next(SILENCE).isPresent()) {
                assertThat(System.nanoTime()).as("time of the last event").isLessThan(end);
            }
            rest.putText(TUBE, "is a change");
            next(events);
        }
    }

    @Test
    void a_client_that_goes_away_is_no_error_in_the_log() throws IOException, InterruptedException {
        try (EventStream gone = new EventStream(console.page("api/v1/events"), console.viewer())) {
            next(gone);
        }
        try (EventStream other = new EventStream(console.page("api/v1/events"), console.viewer())) {
            int ready = rest.get("tubes/" + TUBE).getInt("ready");
            for (int i = 1; i <= CHANGES; i++) {
                rest.putText(TUBE, "x");
                awaitReady(other, ready + i);
            }
        }
        assertThat(console.server().log().lines()).noneMatch(line -> line.contains("UT005088"));
    }

    @Test
    void a_logout_ends_the_streams_of_its_session_without_an_error_in_the_log() {
        int before = errors();
        for (int i = 0; i < LOGOUTS; i++) {
            visitor.login(console.viewer(), "");
            // One stream of the page, and two more
            visitor.page()
                    .evaluate("() => Promise.all([1, 2].map(() => new Promise(open => {"
                            + " const more = new EventSource('api/v1/events'); more.onopen = open; })))");
            visitor.find("[aria-label='Sign out']").click();
            visitor.page().waitForSelector("form[action$='/login']");
        }
        rest.putText(TUBE, "x");
        assertThat(errors() - before).as("errors of the server").isZero();
    }

    private int errors() {
        return (int) console.server().log().lines().stream()
                .filter(line -> line.contains("UT015005") || line.contains("UT015021") || line.contains("WELD-000717"))
                .count();
    }

    @Test
    void a_question_for_the_headers_of_the_stream_takes_no_place() {
        assertThat(rest.send("HEAD", "events", "").statusCode()).isEqualTo(405);
    }

    private static void awaitReady(EventStream events, int ready) throws InterruptedException {
        while (readyIn(next(events)) != ready) {
            // Events without a change of this tube
        }
    }

    private static Event next(EventStream events) throws InterruptedException {
        Event event = anyNext(events);
        while (event.name().equals(ALIVE)) {
            event = anyNext(events);
        }
        return event;
    }

    private static Event anyNext(EventStream events) throws InterruptedException {
        return events.next(PATIENCE).orElseThrow(() -> new AssertionError("no event in " + PATIENCE));
    }

    /** Returns the READY tasks of the tube in an event of the overview; -1 in another event. */
    private static int readyIn(Event event) {
        if (!event.name().equals("overview")) {
            return -1;
        }
        return Rest.parse(event.data()).asJsonObject().getJsonArray("tubes").stream()
                .map(JsonValue::asJsonObject)
                .filter(row -> row.getString("name").equals(TUBE))
                .mapToInt(row -> row.getInt("ready"))
                .findFirst()
                .orElse(-1);
    }

    /** A stream that has lost its server looks open: the browser gets neither an event nor an error. */
    @Test
    void a_page_whose_stream_is_silent_asks_and_connects_anew() {
        visitor.page().clock().install();
        visitor.page().addInitScript("""
                window.streams = 0;
                window.EventSource = class extends EventTarget {
                  constructor() {
                    super();
                    streams++;
                    setTimeout(() => this.dispatchEvent(new Event('open')));
                  }
                  close() {}
                };""");
        visitor.login(console.viewer(), "");
        visitor.awaitThat("() => streams === 1");
        visitor.page().waitForRequest(request -> request.url().endsWith("/overview"), () -> visitor.page()
                .clock()
                .fastForward(SILENT_PAGE.toMillis()));
        visitor.awaitThat("() => streams > 1");
        // Also while the new stream is silent
        visitor.page().waitForRequest(request -> request.url().endsWith("/overview"), () -> visitor.page()
                .clock()
                .runFor(ASKED.toMillis()));
    }

    /** A connection that was lost without a sign: the browser would wait for its answer for ever. */
    @Test
    void a_page_asks_again_after_a_question_without_an_answer() {
        visitor.page().clock().install();
        visitor.login(console.viewer(), "tasks");
        visitor.page().waitForSelector("main h1");
        AtomicBoolean lost = new AtomicBoolean();
        visitor.page().route(url -> url.contains("/api/v1/tasks"), route -> {
            if (lost.getAndSet(true)) {
                route.resume();
            }
        });
        asks();
        visitor.page().clock().runFor(UNANSWERED.toMillis());
        asks();
    }

    private void asks() {
        visitor.page().waitForRequest(request -> request.url().contains("/api/v1/tasks"), () -> visitor.page()
                .clock()
                .runFor(ASKED.toMillis()));
    }

    @Test
    void a_silent_stream_shows_that_it_is_alive() throws IOException, InterruptedException {
        try (EventStream events = new EventStream(console.page("api/v1/events"), console.viewer())) {
            Event event = anyNext(events);
            while (!event.name().equals(ALIVE)) {
                event = anyNext(events);
            }
        }
    }

    @Test
    void a_page_keeps_one_stream_and_does_not_ask_besides() {
        AtomicInteger streams = new AtomicInteger();
        AtomicInteger questions = new AtomicInteger();
        visitor.login(console.viewer(), "");
        visitor.page().onRequest(request -> {
            streams.addAndGet(request.url().endsWith("/events") ? 1 : 0);
            questions.addAndGet(request.url().endsWith("/overview") ? 1 : 0);
        });
        String ready = "tr:has(th a[href$='tubes/" + TUBE + "']) [data-label=ready]";
        visitor.page().reload();
        visitor.page().waitForSelector(ready);
        int before = Integer.parseInt(visitor.find(ready).textContent());
        for (int i = 1; i <= CHANGES; i++) {
            rest.putText(TUBE, "x");
            visitor.awaitThat(
                    "([s, n]) => document.querySelector(s).textContent === n", ready, Integer.toString(before + i));
        }
        assertThat(streams).as("streams").hasValue(1);
        assertThat(questions)
                .as("requests for the overview, of which the first is of its load")
                .hasValue(1);
    }
}
