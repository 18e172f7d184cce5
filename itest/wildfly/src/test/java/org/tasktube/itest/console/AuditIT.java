package org.tasktube.itest.console;

import com.microsoft.playwright.Download;
import jakarta.json.JsonValue;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.ConsoleUser;

import static org.assertj.core.api.Assertions.assertThat;

/** The page of the audit: the acts of this test, by user, act, tube and task. */
@InBrowser
@Tag("full")
class AuditIT {

    private static final String TUBE = "audited";
    private static final String FILTER = "tube:" + TUBE + " state:ready";
    private static final String REASON = "the <b>printer</b> is broken";

    /** Of its own: other tests may have used up the rows that the other users have in this minute. */
    private static ConsoleUser auditor;

    private static String task;
    private static String many;
    private static String operation;

    private final ConsoleServer console;
    private final Visitor visitor;

    AuditIT(ConsoleServer console, Visitor visitor) {
        this.console = console;
        this.visitor = visitor;
    }

    @BeforeAll
    static void act(ConsoleServer console) {
        console.freshTube(TUBE, "fifottl");
        auditor = ConsoleUser.random("auditor").addTo(console.server(), "tasktube-operator");
        Rest operator = console.rest(auditor);
        task = operator.putText(TUBE, "x");
        operator.post("tasks/" + TUBE + "/" + task + "/bury", "{\"reason\":\"" + REASON + "\"}");
        ConsoleUser curious = ConsoleUser.random("curious").addTo(console.server(), "tasktube-viewer");
        console.rest(curious).send("POST", "tubes/" + TUBE + "/pause", "{\"reason\":\"test\"}");
        many = operator.putText(TUBE, "y");
        operator.post("operations/preview", "{\"act\":\"BURY\",\"filter\":\"" + FILTER + "\"}");
        operation = operator.post(
                        "operations",
                        "{\"act\":\"BURY\",\"filter\":\"" + FILTER + "\",\"reason\":\"many\",\"count\":1}")
                .getString("id");
        Eventually.holds(
                () -> operator.get("operations/" + operation).getString("state").equals("DONE"),
                "the operation is over");
        operator.send("POST", "operations/" + operation + "/cancel", "{\"reason\":\"too late\"}");
    }

    @AfterAll
    static void drop(ConsoleServer console) {
        console.drop(TUBE);
    }

    /** The rows as the page shows them: act, object, user and right, reason, number, answer. */
    private List<String> rows() {
        return visitor.find("tbody tr").all().stream()
                .map(row -> String.join(
                        " | ", row.locator("th, td").allTextContents().subList(0, 6)))
                .toList();
    }

    @Test
    void each_act_on_a_tube_is_a_row_also_a_refused_one() {
        visitor.login(auditor, "audit?tube=" + TUBE);
        visitor.page().waitForSelector("tbody tr");

        assertThat(rows())
                .containsSequence(
                        "put | audited / " + many + " | auditor operate | – | 1 | 201",
                        "pause | audited | curious operate | – | – | 403",
                        "bury | audited / " + task + " | auditor operate | " + REASON + " | 1 | 200",
                        "put | audited / " + task + " | auditor operate | – | 1 | 201",
                        "create | audited | admin admin | – | – | 201");
        assertThat(visitor.find("main b").count()).as("elements of the reason").isZero();
        visitor.find("tbody tr a", "audited / " + task).first().click();
        visitor.awaitText("main h1", task);
    }

    @Test
    void the_acts_of_a_time_are_chosen_by_the_clock_of_the_browser() {
        visitor.login(auditor, "audit?tube=" + TUBE);
        visitor.page().waitForSelector("tbody tr");
        visitor.page().getByLabel("From, by the time of this browser").fill("2099-01-01T00:00");
        visitor.button("Find").click();
        visitor.awaitText("main", "None matches");
        assertThat(visitor.address()).contains("since=209").contains("tube=" + TUBE);
        visitor.page().getByLabel("From, by the time of this browser").fill("2001-01-01T00:00");
        visitor.button("Find").click();
        visitor.page().waitForSelector("tbody tr");
        assertThat(console.rest(auditor)
                        .send("GET", "audit?until=yesterday", "")
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void a_change_that_another_site_asks_for_is_a_row_and_so_is_a_body_of_another_type() {
        String address = "tasks/" + TUBE + "/" + task + "/kick";
        Rest admin = console.rest(console.admin());
        assertThat(Rest.send(change(address, "Sec-Fetch-Site", "cross-site")).statusCode())
                .isEqualTo(403);
        assertThat(Rest.send(change(address, "Content-Type", "text/plain")).statusCode())
                .isEqualTo(415);

        assertThat(admin.get("audit?who=auditor&limit=2").getJsonArray("entries").stream()
                        .map(JsonValue::asJsonObject)
                        .map(row -> row.getString("act") + " " + row.getInt("status"))
                        .toList())
                .containsExactly("POST /api/v1/" + address + " 415", "POST /api/v1/" + address + " 403");
    }

    @Test
    void a_change_that_no_resource_can_answer_is_a_row_with_its_method_and_its_address() {
        String address = "tasks/" + TUBE + "/" + task + "/kick";
        long traces = unread();
        assertThat(Rest.send(change(address, "Accept", "garbage")).statusCode()).isEqualTo(400);
        assertThat(Rest.send(change(address, "Accept", "text/html;q=x")).statusCode())
                .isEqualTo(400);
        assertThat(Rest.send(change(address, "Accept", "text/plain")).statusCode())
                .isEqualTo(406);
        assertThat(Rest.send(change("tubes/" + TUBE + "/rename", "Accept", "*/*"))
                        .statusCode())
                .isEqualTo(404);
        assertThat(console.rest(auditor).send("PUT", address, "{}").statusCode())
                .isEqualTo(405);

        assertThat(console.rest(console.admin()).get("audit?who=auditor&limit=5").getJsonArray("entries").stream()
                        .map(JsonValue::asJsonObject)
                        .map(row -> row.getString("act") + " " + row.getInt("status"))
                        .toList())
                .containsExactly(
                        "PUT /api/v1/" + address + " 405",
                        "POST /api/v1/tubes/" + TUBE + "/rename 404",
                        "POST /api/v1/" + address + " 406",
                        "POST /api/v1/" + address + " 400",
                        "POST /api/v1/" + address + " 400");
        assertThat(unread()).as("traces of unreadable headers").isEqualTo(traces);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/tasktube/api/v1/tubes/audited/rename",
                "/%74asktube/api/v1/tubes/audited/rename",
                "/tasktube;a=b/api/v1/tubes/audited/rename",
                "/x/../tasktube/api/v1/tubes/%61udited/rename"
            })
    void the_address_in_a_row_is_the_same_for_all_its_forms(String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(console.page("").resolve("/") + path.substring(1)))
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .header("Authorization", Rest.authorization(auditor))
                .header("Content-Type", "application/json")
                .build();
        assertThat(Rest.send(request).statusCode()).isEqualTo(404);
        assertThat(console.rest(console.admin())
                        .get("audit?who=auditor&limit=1")
                        .getJsonArray("entries")
                        .getJsonObject(0)
                        .getString("act"))
                .isEqualTo("POST /api/v1/tubes/audited/rename");
    }

    private long unread() {
        return console.server().log().lines().stream()
                .filter(line -> line.contains("RESTEASY002130"))
                .count();
    }

    private HttpRequest change(String path, String header, String value) {
        return HttpRequest.newBuilder(console.page("api/v1/" + path))
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .header("Authorization", Rest.authorization(auditor))
                .header("Content-Type", "application/json")
                .setHeader(header, value)
                .build();
    }

    @Test
    void an_act_on_many_tasks_is_a_row_with_its_filter_and_its_operation_and_a_preview_is_none() {
        visitor.login(auditor, "audit?who=auditor");
        visitor.page().waitForSelector("tbody tr");

        assertThat(rows())
                .containsSequence(
                        "cancelOperation | operation " + operation + " | auditor operate | too late | – | 409",
                        "startBury | operation " + operation + FILTER + " | auditor operate | many | 1 | 202",
                        "put | audited / " + many + " | auditor operate | – | 1 | 201");
        visitor.find("tbody tr a", "operation " + operation).first().click();
        visitor.awaitText("main h1", "no. " + operation);
    }

    @Test
    void the_form_selects_by_user_act_and_tube_and_the_address_keeps_them() {
        visitor.login(auditor, "audit");
        visitor.page().waitForSelector("tbody tr");
        visitor.page().getByLabel("User").fill("curious");
        visitor.page().getByLabel("Tube").fill(TUBE);
        visitor.button("Find").click();

        visitor.awaitThat("() => document.querySelectorAll('tbody tr').length === 1");
        assertThat(visitor.address()).isEqualTo("audit?who=curious&tube=" + TUBE);
        assertThat(rows()).containsExactly("pause | audited | curious operate | – | – | 403");

        visitor.open(visitor.address());
        visitor.awaitThat("() => document.querySelectorAll('tbody tr').length === 1");
        visitor.find("main a", "Clear").click();
        visitor.page().getByLabel("Act").fill("startBury");
        visitor.press("Enter");
        visitor.awaitText("tbody tr:first-child", "operation " + operation);
        visitor.page().getByLabel("Act").fill("no such act");
        visitor.press("Enter");
        visitor.awaitText("main h2", "No acts");
    }

    @Test
    void the_acts_on_one_task_are_selected_and_each_row_has_its_time() {
        visitor.login(auditor, "audit?tube=" + TUBE + "&task=" + many);
        visitor.awaitThat("() => document.querySelectorAll('tbody tr').length === 1");
        assertThat(rows().get(0)).startsWith("put | " + TUBE + " / " + many);
        assertThat(visitor.find("tbody tr time").first().textContent()).matches("\\d\\d:\\d\\d:\\d\\d");

        visitor.page().getByLabel("Task").fill(operation);
        visitor.page().getByLabel("Tube").fill("");
        visitor.press("Enter");
        visitor.awaitText("tbody tr:last-child", "startBury");
        assertThat(visitor.address()).isEqualTo("audit?task=" + operation);
    }

    @Test
    void all_acts_of_the_view_are_a_file_of_csv_or_of_json_lines() throws IOException {
        visitor.login(auditor, "audit?tube=" + TUBE + "&act=bury");
        visitor.page().waitForSelector("tbody tr");

        List<String> csv = lines("CSV");
        assertThat(csv.get(0)).startsWith("id,at,who,right,act,tube,task,");
        assertThat(csv).hasSize(2);
        assertThat(csv.get(1)).contains(",bury," + TUBE + "," + task + ",").contains("," + REASON + ",");
        List<String> json = lines("JSON lines");
        assertThat(json).hasSize(1);
        assertThat(Rest.parse(json.get(0)).asJsonObject().getString("reason")).isEqualTo(REASON);
    }

    private List<String> lines(String button) throws IOException {
        Download download = visitor.page()
                .waitForDownload(() -> visitor.find("main button", button).click());
        return Files.readAllLines(download.path());
    }

    @Test
    void new_acts_are_counted_and_shown_when_asked() {
        visitor.login(console.admin(), "audit?tube=" + TUBE);
        visitor.page().waitForSelector("tbody tr");
        int before = rows().size();
        console.rest(auditor).post("tasks/" + TUBE + "/" + task + "/dig", "{\"reason\":\"test\"}");

        visitor.awaitText(".news", "1 new");
        assertThat(rows()).hasSize(before);
        visitor.find(".news button").click();
        visitor.awaitText("tbody tr:first-child", "dig");
    }

    @Test
    void a_viewer_has_no_link_to_the_audit_and_reads_nothing_of_it() {
        visitor.login(console.viewer(), "audit?tube=" + TUBE);

        visitor.awaitText("main h2", "You have no right to this");
        assertThat(visitor.find("#nav a", "Audit").count()).isZero();
        assertThat(visitor.find("tbody tr").count()).isZero();
    }
}
