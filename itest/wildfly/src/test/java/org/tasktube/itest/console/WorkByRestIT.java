package org.tasktube.itest.console;

import jakarta.json.JsonObject;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.tasktube.itest.app.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** Takes and acts by REST, in a database that refuses or delays a part of them. */
@Tag("console")
@ExtendWith(ConsoleServer.Extension.class)
class WorkByRestIT {

    private static final String TUBE = "by-rest";
    private static final String SESSION = "TaskTube-Session";

    private final ConsoleServer console;
    private final Rest rest;

    WorkByRestIT(ConsoleServer console) {
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

    private HttpResponse<String> take(Optional<String> session) {
        return take(2, session);
    }

    private HttpResponse<String> take(int count, Optional<String> session) {
        HttpRequest.Builder request = HttpRequest.newBuilder(console.page("api/v1/tubes/" + TUBE + "/take"))
                .timeout(Duration.ofSeconds(30))
                .header("Authorization", Rest.authorization(console.operator()))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"count\":" + count + ",\"keep\":\"1h\"}"));
        session.ifPresent(id -> request.header(SESSION, id));
        return Rest.send(request.build());
    }

    private String states() {
        return console.read("SELECT string_agg(t.state, '' ORDER BY t.id) FROM tasktube_task t JOIN tasktube_tube u"
                + " ON u.id = t.tube_id WHERE u.name = '" + TUBE + "'");
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
