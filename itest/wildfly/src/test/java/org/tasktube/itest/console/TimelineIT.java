package org.tasktube.itest.console;

import com.microsoft.playwright.Locator;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.app.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The timeline of a task in tubes that keep the history of all moves; each line is compared with the history itself.
 */
@InBrowser
@Tag("full")
class TimelineIT {

    private static final String TUBE = "told";
    private static final String ITEMS = ".timeline > li";
    private static final DateTimeFormatter TOKYO =
            DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneId.of("Asia/Tokyo"));
    private static final DateTimeFormatter UTC =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS 'UTC'").withZone(ZoneOffset.UTC);

    private static String server;

    private final ConsoleServer console;
    private final Visitor visitor;
    private final Rest rest;

    TimelineIT(ConsoleServer console, Visitor visitor) {
        this.console = console;
        this.visitor = visitor;
        this.rest = console.rest(console.operator());
    }

    @BeforeAll
    static void keepHistories(ConsoleServer console) {
        console.freshTube(TUBE, "fifottl");
        Rest admin = console.rest(console.admin());
        server = admin.get("session").getString("server");
        for (String tube : List.of(TUBE, "work")) {
            admin.send("PATCH", "tubes/" + tube, "{\"history\":\"ALL\",\"reason\":\"test\"}");
        }
    }

    @AfterAll
    static void drop(ConsoleServer console) {
        console.drop(TUBE);
        Rest admin = console.rest(console.admin());
        admin.send("PATCH", "tubes/work", "{\"history\":\"OFF\",\"reason\":\"test\"}");
        admin.post("tubes/work/truncate", "{\"reason\":\"test\",\"confirm\":\"work\"}");
    }

    private void act(String id, String act, String body) {
        rest.post("tasks/" + TUBE + "/" + id + "/" + act, body);
    }

    /** Takes the next task by REST; returns the session that holds it. */
    private String take() {
        JsonObject taken = rest.post("tubes/" + TUBE + "/take", "{\"keep\":\"1h\"}");
        return taken.getString("session");
    }

    private void ack(String id, String session) {
        HttpRequest request = HttpRequest.newBuilder(rest.root().resolve("tasks/" + TUBE + "/" + id + "/ack"))
                .header("Authorization", Rest.authorization(rest.user()))
                .header("Content-Type", "application/json")
                .header("TaskTube-Session", session)
                .POST(BodyPublishers.ofString("{}"))
                .build();
        HttpResponse<String> answer = Rest.send(request);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    /** Moves the put of a task back, so that a test need not wait for idle time. */
    private void putAnHourBefore(String id) {
        console.sql("UPDATE tasktube_task SET put_at = put_at - interval '1 hour' WHERE id = " + id);
    }

    /** The title of each line, without its time. */
    private List<String> titles() {
        return visitor.find(ITEMS).all().stream().map(TimelineIT::title).toList();
    }

    private static String title(Locator line) {
        Locator title = line.locator(".what > .grow");
        return title.count() == 0 ? line.textContent() : title.textContent();
    }

    /** Each line has the time of its move, in the zone of the viewer, and in UTC for the pointer. */
    private void assertTimes(String id, int... moves) {
        List<Instant> times = rest.get("tasks/" + TUBE + "/" + id + "/history").getJsonArray("events").stream()
                .map(JsonValue::asJsonObject)
                .map(event -> Instant.parse(event.getString("at")))
                .toList();
        List<Locator> lines = visitor.find(ITEMS).all().stream()
                .filter(line -> line.locator(".what time").count() > 0)
                .toList();
        for (int i = 0; i < moves.length; i++) {
            Locator time = lines.get(i).locator(".what time");
            assertThat(Instant.parse(time.getAttribute("datetime"))).isEqualTo(times.get(moves[i]));
            assertThat(time.textContent()).endsWith(TOKYO.format(times.get(moves[i])));
            assertThat(time.getAttribute("title")).isEqualTo(UTC.format(times.get(moves[i])));
        }
    }

    @Test
    void each_move_is_a_line_with_time_actor_and_attempt_until_the_task_is_gone() {
        String id = rest.put(TUBE, "{\"data\":{\"order\":1},\"delay\":\"1h\"}");
        act(id, "bury", "{\"reason\":\"test\"}");
        act(id, "dig", "{\"reason\":\"test\"}");
        putAnHourBefore(id);
        String first = take();
        act(id, "touch", "{\"increment\":\"10m\",\"reason\":\"test\"}");
        act(id, "touch", "{\"increment\":\"10m\",\"reason\":\"test\"}");
        act(id, "release", "{\"reason\":\"test\"}");
        String second = take();
        assertThat(second).isNotEqualTo(first);

        visitor.login(console.viewer(), "tasks/" + TUBE + "/" + id);
        visitor.awaitText(ITEMS, "attempt 2");
        assertThat(visitor.find(ITEMS).last().textContent()).contains("so far");

        ack(id, second);
        visitor.awaitText("main .why", "The task is gone");
        visitor.awaitText("main .why", "Acknowledged");
        visitor.awaitText("main h1", "gone");
        assertThat(titles())
                .containsExactly(
                        "Put with a delay",
                        "delayed 1 h",
                        "Buried",
                        "Retried",
                        "Taken",
                        "2 touches",
                        "Released",
                        "Taken attempt 2",
                        "Acknowledged");
        assertTimes(id, 0, 1, 2, 3, 4, 6, 7, 8);
        assertThat(visitor.find(ITEMS, "Put with a delay").textContent()).contains("by operator", "on " + server);
        assertThat(visitor.find(ITEMS, "Buried").textContent()).contains("by operator");
        assertThat(visitor.find(ITEMS, "Taken attempt 2").textContent())
                .contains("on " + server, "worked ")
                .doesNotContain("so far");
        visitor.awaitText(".panel-head", "9 events");
    }

    @Test
    void the_next_deadline_is_the_last_line() {
        String id = rest.put(TUBE, "{\"data\":\"x\",\"delay\":\"3h\"}");
        visitor.login(console.viewer(), "tasks/" + TUBE + "/" + id);

        visitor.awaitText(".timeline > li.next", "The delay is over: READY");
        assertThat(visitor.find(ITEMS).last().textContent()).containsPattern("in (3 h|2 h)");
        act(id, "delete", "{\"reason\":\"test\"}");
    }

    @Test
    void a_failed_delivery_has_its_bean_its_kind_and_its_trace() {
        String id = rest.putText("work", "fail the red printer of order 4711 is broken");
        Eventually.holds(
                () -> console.read("SELECT state FROM tasktube_task WHERE id = " + id)
                        .equals("!"),
                "the bean has failed");
        visitor.login(console.viewer(), "tasks/work/" + id);

        visitor.awaitText(ITEMS, "Failed, buried");
        assertThat(titles()).containsExactly("Put", "Taken", "Failed, buried");
        assertThat(visitor.find(ITEMS, "Taken").first().textContent()).contains("WorkBean", "on " + server, "worked ");
        Locator failed = visitor.find(ITEMS, "Failed, buried");
        assertThat(failed.textContent()).contains("IllegalStateException: the red printer of order 4711 is broken");
        failed.locator("summary").click();
        assertThat(failed.locator("pre.trace").textContent()).contains("org.tasktube.itest.work.WorkBean.onTask");
        failed.locator("a", new Locator.LocatorOptions().setHasText("IllegalStateException"))
                .click();
        visitor.awaitText("main h1", "Tasks");
        visitor.awaitText("tbody", id);
        assertThat(visitor.find(".pill-text").textContent())
                .isEqualTo("failure:"
                        + rest.get("tasks/work/" + id).getJsonObject("failure").getString("fingerprint"));
    }

    @Test
    void a_task_and_those_that_its_delivery_put_lead_to_each_other() {
        String parent = rest.putText(TUBE, "parent");
        String child = rest.putText(TUBE, "child");
        console.sql("INSERT INTO tasktube_history (tube_id, task_id, at, event, attempt, parent_tube, parent_task)"
                + " SELECT tube_id, id, put_at, put_event, 0, tube_id, " + parent + " FROM tasktube_task WHERE id = "
                + child);
        console.sql("UPDATE tasktube_task SET put_event = NULL, put_at = NULL WHERE id = " + child);
        visitor.login(console.viewer(), "tasks/" + TUBE + "/" + parent);

        visitor.awaitText(ITEMS, "Put 1 task");
        visitor.find(ITEMS + " a", child).click();
        visitor.awaitText("main h1", child);
        visitor.awaitText(ITEMS, "by task told / " + parent);
        act(parent, "delete", "{\"reason\":\"test\"}");
        act(child, "delete", "{\"reason\":\"test\"}");
    }

    @Test
    void a_tube_without_a_history_says_so_and_an_administrator_switches_it_on() {
        console.freshTube("untold", "fifottl");
        String id = rest.putText("untold", "x");
        visitor.login(console.viewer(), "tasks/untold/" + id);
        visitor.awaitText(".hint", "The tube keeps no history.");
        assertThat(visitor.find("[data-act=keep-history]").count()).isZero();

        visitor.use(View.WIDE_LIGHT).login(console.admin(), "tasks/untold/" + id);
        visitor.find("[data-act=keep-history]").click();
        visitor.page().getByLabel("Reason").fill("a look at the printer");
        visitor.button("Keep history").last().click();
        visitor.awaitThat("() => document.querySelector('.hint') === null");
        rest.post("tasks/untold/" + id + "/bury", "{\"reason\":\"test\"}");
        visitor.awaitText(ITEMS, "Buried");
        console.drop("untold");
    }
}
