package org.tasktube.console.metrics;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.StringReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.AdapterState;
import org.tasktube.ConnectionException;
import org.tasktube.console.metrics.Fakes.Adapter;
import org.tasktube.console.metrics.Fakes.Answer;
import org.tasktube.console.metrics.Fakes.Request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.EnumSource.Mode.EXCLUDE;

/** Health is a status and a state, for everybody. */
class HealthServletTest {

    private final Adapter adapter = new Adapter();
    private final HealthServlet servlet = new HealthServlet(adapter.factory());

    @ParameterizedTest
    @EnumSource(AdapterState.class)
    void a_console_that_answers_is_live_in_every_state_and_uses_no_connection(AdapterState state) throws Exception {
        adapter.state = state;
        adapter.refusal = new ConnectionException("no connection is free", new IllegalStateException());

        Answer answer = Fakes.ask(servlet, Request.get(HealthServlet.LIVE));

        assertThat(answer.status).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("{\"status\":200}");
        assertThat(answer.headers).containsEntry("Cache-Control", "no-store");
    }

    @Test
    void a_running_adapter_is_ready() throws Exception {
        Answer answer = Fakes.ask(servlet, Request.get(HealthServlet.READY));

        assertThat(answer.status).isEqualTo(200);
        assertThat(answer.headers).containsEntry("Content-Type", "application/json");
        assertThat(answer.body()).isEqualTo("{\"status\":200,\"state\":\"RUNNING\"}");
        assertThat(adapter.open).isZero();
    }

    @ParameterizedTest
    @EnumSource(value = AdapterState.class, mode = EXCLUDE, names = "RUNNING")
    void an_adapter_in_another_state_is_not_ready(AdapterState state) throws Exception {
        adapter.state = state;

        Answer answer = Fakes.ask(servlet, Request.get(HealthServlet.READY));

        JsonObject problem = problem(answer);
        assertThat(problem.getString("state")).isEqualTo(state.name());
        assertThat(problem.getString("type")).isEqualTo("urn:tasktube:problem:not-running");
        assertThat(problem.keySet()).containsExactlyInAnyOrder("status", "state", "type", "title");
    }

    @Test
    void without_a_free_connection_the_server_is_not_ready_and_its_state_is_unknown() throws Exception {
        adapter.refusal = new ConnectionException("no connection is free", new IllegalStateException());

        JsonObject problem = problem(Fakes.ask(servlet, Request.get(HealthServlet.READY)));

        assertThat(problem.getString("type")).isEqualTo("urn:tasktube:problem:no-connection");
        assertThat(problem.keySet()).containsExactlyInAnyOrder("status", "type", "title");
    }

    private static JsonObject problem(Answer answer) {
        assertThat(answer.status).isEqualTo(503);
        assertThat(answer.headers)
                .containsEntry("Content-Type", "application/problem+json")
                .containsEntry("Retry-After", "1");
        JsonObject problem = Json.createReader(new StringReader(answer.body())).readObject();
        assertThat(problem.getInt("status")).isEqualTo(503);
        return problem;
    }

    @Test
    void a_backlog_does_not_make_the_server_unready() throws Exception {
        adapter.tubes = () -> {
            throw new AssertionError("health does not read tubes");
        };

        assertThat(Fakes.ask(servlet, Request.get(HealthServlet.READY)).status).isEqualTo(200);
    }
}
