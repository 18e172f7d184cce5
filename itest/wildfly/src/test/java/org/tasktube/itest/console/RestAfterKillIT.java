package org.tasktube.itest.console;

import jakarta.json.JsonObject;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.ConsoleUser;

import static org.assertj.core.api.Assertions.assertThat;

/** A client that takes and acks by REST, and lives longer than the server that made its session. */
@Tag("console")
@ExtendWith(ConsoleServer.Extension.class)
class RestAfterKillIT {

    private static final String TUBE = "after-kill";
    private static final String SESSION = "TaskTube-Session";

    private final ConsoleServer console;
    private final Rest rest;

    RestAfterKillIT(ConsoleServer console) {
        this.console = console;
        this.rest = console.rest(console.operator());
    }

    @BeforeEach
    void make() {
        console.freshTube(TUBE, "fifottl");
    }

    @AfterEach
    void drop() {
        console.drop(TUBE);
    }

    private HttpRequest request(ConsoleUser user, String path, String body, Optional<String> session) {
        HttpRequest.Builder request = HttpRequest.newBuilder(console.page("api/v1/" + path))
                .timeout(Duration.ofSeconds(60))
                .header("Authorization", Rest.authorization(user))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body));
        session.ifPresent(id -> request.header(SESSION, id));
        return request.build();
    }

    private HttpResponse<String> post(ConsoleUser user, String path, String body, Optional<String> session) {
        return Rest.send(request(user, path, body, session));
    }

    private String takeNew() {
        return post(console.operator(), "tubes/" + TUBE + "/take", "{\"keep\":\"1h\"}", Optional.empty())
                .headers()
                .firstValue(SESSION)
                .orElseThrow();
    }

    private HttpResponse<String> ack(ConsoleUser user, String id, String session) {
        return post(user, "tasks/" + TUBE + "/" + id + "/ack", "{}", Optional.of(session));
    }

    private void killAndStart() {
        console.server().kill();
        console.server().start();
        Eventually.holds(
                () -> rest.get("session").getString("adapterState", "").equals("RUNNING"), "the adapter runs again");
    }

    private String sql(String query) {
        return console.read(query);
    }

    private String states() {
        return sql("SELECT string_agg(t.state, '' ORDER BY t.id) FROM tasktube_task t JOIN tasktube_tube u"
                + " ON u.id = t.tube_id WHERE u.name = '" + TUBE + "'");
    }

    @Test
    void a_session_goes_on_after_a_kill_of_its_server_for_its_user_and_for_no_other() {
        String first = rest.putText(TUBE, "first");
        String second = rest.putText(TUBE, "second");
        String session = takeNew();
        killAndStart();
        assertThat(states()).isEqualTo("tr");
        HttpResponse<String> refused = ack(console.admin(), first, session);
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
        assertThat(refused.body())
                .contains("urn:tasktube:problem:forbidden", "take tasks in a session of your own")
                .doesNotContain("org.tasktube");
        JsonObject row =
                rest.get("audit?act=ack&limit=1").getJsonArray("entries").getJsonObject(0);
        assertThat(row.getString("who")).isEqualTo(console.admin().name());
        assertThat(row.getInt("status")).isEqualTo(403);
        assertThat(states()).isEqualTo("tr");
        HttpResponse<String> acked = ack(console.operator(), first, session);
        assertThat(acked.statusCode()).as(acked.body()).isEqualTo(200);
        HttpResponse<String> taken = post(console.operator(), "tubes/" + TUBE + "/take", "{}", Optional.of(session));
        assertThat(taken.body()).as("the same session").contains("\"session\":\"" + session + "\"", second);
        assertThat(ack(console.operator(), second, session).statusCode()).isEqualTo(200);
    }

    @Test
    void a_session_goes_on_after_a_kill_while_a_take_of_it_waits() {
        String id = rest.putText(TUBE, "x");
        String session = takeNew();
        CompletableFuture<HttpResponse<String>> waiting = CompletableFuture.supplyAsync(() ->
                post(console.operator(), "tubes/" + TUBE + "/take", "{\"timeout\":\"20s\"}", Optional.of(session)));
        Eventually.holds(
                () -> sql("SELECT count(*) FROM tasktube_session WHERE node <> 0 AND session = '" + session + "'")
                        .equals("1"),
                "the take has a connection of the session");
        killAndStart();
        assertThat(waiting).failsWithin(Duration.ofSeconds(60));
        HttpResponse<String> acked = ack(console.operator(), id, session);
        assertThat(acked.statusCode()).as(acked.body()).isEqualTo(200);
    }
}
