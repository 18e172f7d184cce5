package org.tasktube.itest.console;

import jakarta.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.ConsoleUser;

import static org.assertj.core.api.Assertions.assertThat;

/** A client that takes and acks by REST, and lives longer than the server that made its session. */
@Tag("console")
@ExtendWith(ConsoleServer.Extension.class)
@Tag("full")
class RestAfterKillIT extends RestSession {

    private static final String TUBE = "after-kill";

    RestAfterKillIT(ConsoleServer console) {
        super(console, TUBE);
    }

    private String takeNew() {
        return take("{\"keep\":\"1h\"}", Optional.empty())
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
        HttpResponse<String> taken = take("{}", Optional.of(session));
        assertThat(taken.body()).as("the same session").contains("\"session\":\"" + session + "\"", second);
        assertThat(ack(console.operator(), second, session).statusCode()).isEqualTo(200);
    }

    @Test
    void a_session_goes_on_after_a_kill_while_a_take_of_it_waits() {
        String id = rest.putText(TUBE, "x");
        String session = takeNew();
        CompletableFuture<HttpResponse<String>> waiting =
                CompletableFuture.supplyAsync(() -> take("{\"timeout\":\"20s\"}", Optional.of(session)));
        Eventually.holds(
                () -> console.read(
                                "SELECT count(*) FROM tasktube_session WHERE node <> 0 AND session = '" + session + "'")
                        .equals("1"),
                "the take has a connection of the session");
        killAndStart();
        assertThat(waiting).failsWithin(Duration.ofSeconds(60));
        HttpResponse<String> acked = ack(console.operator(), id, session);
        assertThat(acked.statusCode()).as(acked.body()).isEqualTo(200);
    }
}
