package org.tasktube.itest.console;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import jakarta.json.stream.JsonParser;
import jakarta.json.stream.JsonParser.Event;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.itest.app.Eventually;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

/** Takes and acts by REST, in a database that refuses or delays a part of them. */
@Tag("console")
@ExtendWith(ConsoleServer.Extension.class)
@Tag("full")
class WorkByRestIT extends RestSession {

    private static final String TUBE = "by-rest";

    /** The most takes at once with a heap of 512 MiB, and the most tasks of 1 MB in an answer. */
    private static final int TAKES = 8;

    private static final int OF_ANSWER = 8;

    /** A small part of an answer, with the begin of its body. */
    private static final int SOME = 4096;

    WorkByRestIT(ConsoleServer console) {
        super(console, TUBE);
    }

    private HttpResponse<String> take(Optional<String> session) {
        return take(2, session);
    }

    private HttpResponse<String> take(int count, Optional<String> session) {
        return Rest.send(request(count, session));
    }

    private HttpRequest request(int count, Optional<String> session) {
        return takeRequest("{\"count\":" + count + ",\"keep\":\"1h\"}", session);
    }

    /** Has the database refuse the row of each take. */
    private void refuseRows() {
        console.sql("CREATE FUNCTION refuse_take() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                + " IF NEW.act = 'take' THEN RAISE EXCEPTION 'no room'; END IF; RETURN NEW; END $$");
        console.sql("CREATE TRIGGER refuse_take BEFORE INSERT ON tasktube_audit FOR EACH ROW"
                + " EXECUTE FUNCTION refuse_take()");
    }

    private void acceptRows() {
        console.sql("DROP TRIGGER refuse_take ON tasktube_audit");
        console.sql("DROP FUNCTION refuse_take()");
    }

    @Test
    void a_take_without_its_row_in_the_audit_keeps_no_task() {
        rest.putText(TUBE, "first");
        String session = take(Optional.empty()).headers().firstValue(SESSION).orElseThrow();
        rest.putText(TUBE, "second");
        rest.putText(TUBE, "third");
        refuseRows();
        try {
            assertThat(take(Optional.of(session)).statusCode()).isEqualTo(503);
            assertThat(states())
                    .as("the session goes on with its own task only")
                    .isEqualTo("trr");
            assertThat(take(Optional.empty()).statusCode()).isEqualTo(503);
            Eventually.holds(() -> states().equals("trr"), () -> "a session without an answer ends: " + states());
        } finally {
            acceptRows();
        }
        assertThat(take(Optional.of(session)).statusCode()).isEqualTo(200);
        assertThat(states()).isEqualTo("ttt");
    }

    @Test
    void a_take_of_large_tasks_takes_only_those_that_its_answer_can_have() {
        String megabyte = "x".repeat(1_000_000);
        for (int i = 0; i < 20; i++) {
            rest.putText(TUBE, megabyte);
        }
        JsonObject taken = Rest.parse(take(100, Optional.empty()).body()).asJsonObject();
        assertThat(taken.getJsonArray("tasks")).as("tasks within 8 MiB").hasSize(8);
        assertThat(states()).isEqualTo("t".repeat(8) + "r".repeat(12));
        assertThat(console.read("SELECT sum(t.taken_count) FROM tasktube_task t JOIN tasktube_tube u"
                        + " ON u.id = t.tube_id WHERE u.name = '" + TUBE + "'"))
                .as("takes")
                .isEqualTo("8");
    }

    /** Puts tasks of 8 MiB of data in all, whose text has six bytes of JSON per byte. */
    private void putEscapes(int answers) {
        String data =
                Base64.getEncoder().encodeToString("\u0001".repeat(1_000_000).getBytes(UTF_8));
        for (int i = 0; i < answers * OF_ANSWER; i++) {
            rest.put(TUBE, "{\"base64\":\"" + data + "\",\"contentType\":\"text/plain\"}");
        }
    }

    @Test
    void takes_at_once_that_read_slowly_end_with_tasks_or_with_a_refusal() throws Exception {
        putEscapes(TAKES);
        ExecutorService clients = Executors.newFixedThreadPool(TAKES);
        try {
            List<Future<Long>> takes = IntStream.range(0, TAKES)
                    .mapToObj(i -> clients.submit(this::tasksOfTake))
                    .toList();
            long tasks = 0;
            for (Future<Long> take : takes) {
                tasks += take.get();
            }
            assertThat(tasks).isPositive();
            assertThat(states()).as("tasks that a client has").isEqualTo(taken(tasks, TAKES * OF_ANSWER));
        } finally {
            clients.shutdownNow();
        }
    }

    private static String taken(long tasks, int all) {
        return "t".repeat((int) tasks) + "r".repeat((int) (all - tasks));
    }

    /** Returns the number of tasks in the answer of a take; 0 if the server refuses it. */
    private long tasksOfTake() throws IOException, InterruptedException {
        HttpResponse<InputStream> answer =
                HttpClient.newHttpClient().send(request(OF_ANSWER, Optional.empty()), BodyHandlers.ofInputStream());
        try (InputStream body = answer.body()) {
            if (answer.statusCode() != 200) {
                assertThat(answer.statusCode()).isIn(429, 503);
                return 0;
            }
            long tasks = 0;
            try (JsonParser json = Json.createParser(body)) {
                while (json.hasNext()) {
                    tasks += json.next() == Event.KEY_NAME && json.getString().equals("attempts") ? 1 : 0;
                }
            }
            return tasks;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_client_that_leaves_before_the_end_of_its_answer_has_no_task(boolean inSession) throws IOException {
        rest.putText(TUBE, "first");
        String session = take(Optional.empty()).headers().firstValue(SESSION).orElseThrow();
        putEscapes(1);
        try (Socket client =
                new Socket(console.page("").getHost(), console.page("").getPort())) {
            client.setSoLinger(true, 0);
            client.getOutputStream()
                    .write(RawRequest.take(
                            console.page("api/v1/tubes/" + TUBE + "/take"),
                            console.operator(),
                            inSession ? Optional.of(session) : Optional.empty()));
            assertThat(new String(client.getInputStream().readNBytes(SOME), ISO_8859_1))
                    .startsWith("HTTP/1.1 200")
                    .contains("\\u0001");
        }
        Eventually.holds(() -> states().equals("t" + "r".repeat(OF_ANSWER)), () -> "released: " + states());
        Eventually.holds(
                () -> acts().equals("undelivered 8 200, take 8 200, take 1 200"), () -> "rows of the audit: " + acts());
        assertThat(take(Optional.of(session)).statusCode())
                .as("the session goes on")
                .isEqualTo(200);
    }

    /** Returns the acts on tasks in the audit, the newest first. */
    private String acts() {
        return rest.get("audit?tube=" + TUBE + "&limit=20").getJsonArray("entries").stream()
                .map(JsonValue::asJsonObject)
                .takeWhile(row -> !row.getString("act").equals("create"))
                .filter(row -> !row.getString("act").equals("put"))
                .map(row -> row.getString("act") + " " + row.getInt("number") + " " + row.getInt("status"))
                .collect(joining(", "));
    }

    @Test
    void a_take_of_many_small_tasks_takes_them_all() {
        console.fill(TUBE, 110);
        JsonObject taken = Rest.parse(take(100, Optional.empty()).body()).asJsonObject();
        assertThat(taken.getJsonArray("tasks")).hasSize(100);
    }

    @Test
    void an_act_that_has_committed_is_answered_as_done_although_numbers_cannot_be_read() throws Exception {
        rest.putText(TUBE, "x");
        try (Connection connection = console.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("LOCK TABLE tasktube_task IN ACCESS EXCLUSIVE MODE");
            JsonObject paused = rest.post("tubes/" + TUBE + "/pause", "{\"reason\":\"the printer is broken\"}");
            assertThat(paused.getString("mode")).isEqualTo("PAUSED");
            connection.rollback();
        }
    }
}
