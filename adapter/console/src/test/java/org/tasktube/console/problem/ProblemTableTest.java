package org.tasktube.console.problem;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.StringReader;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Base64;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.AdapterState;
import org.tasktube.StoreException;
import org.tasktube.TaskTubeException;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeDrainingException;
import org.tasktube.TubeNotFoundException;
import org.tasktube.admin.FilterException;
import org.tasktube.admin.TaskFilter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class ProblemTableTest {

    @Test
    void each_error_of_the_api_has_a_kind() {
        assertThat(ProblemTable.KINDS.keySet()).isEqualTo(Set.of(TaskTubeException.class.getPermittedSubclasses()));
    }

    @Test
    void an_error_of_the_api_keeps_its_message() {
        Problem problem = ProblemTable.of(new TubeNotFoundException("orders"), "/x");
        assertThat(problem.kind().status()).isEqualTo(404);
        assertThat(problem.detail()).contains("orders");
        assertThat(ProblemTable.of(new TubeDrainingException("orders", "anna", Instant.EPOCH, "audit"), "/x")
                        .detail())
                .contains("anna", "audit");
    }

    @Test
    void a_wrong_filter_has_its_position() {
        FilterException thrown =
                catchThrowableOfType(FilterException.class, () -> TaskFilter.parse("state:ready colour:red"));
        JsonObject json = read(ProblemTable.of(thrown, "/x"));
        assertThat(json.getInt("status")).isEqualTo(400);
        assertThat(json.getInt("position")).isEqualTo(12);
        assertThat(json.getString("type")).isEqualTo("urn:tasktube:problem:filter");
    }

    @Test
    void an_argument_that_the_api_refuses_is_the_callers_fault_and_another_is_not() {
        assertThat(ProblemTable.of(catchThrowable(() -> TubeDefinition.fifo("1 2")), "/x")
                        .kind())
                .isEqualTo(Kind.VALUE);
        assertThat(ProblemTable.of(catchThrowable(() -> Base64.getDecoder().decode("%")), "/x")
                        .kind())
                .isEqualTo(Kind.FAULT);
    }

    @Test
    void a_fault_or_a_reason_of_the_database_is_not_shown() {
        for (Throwable thrown : Set.of(
                new StoreException("SELECT password FROM t", new SQLException("password", "42000")),
                new IllegalStateException("password"),
                new StackOverflowError("password"))) {
            assertThat(ProblemTable.of(thrown, "/x").json()).doesNotContain("password", "Exception", "SELECT");
        }
    }

    @Test
    void a_refusal_of_tasktube_itself_keeps_its_message_though_it_is_one_of_the_store() {
        Problem problem = ProblemTable.of(new StoreException("3 reads are running; repeat the call"), "/x");
        assertThat(problem.kind()).isEqualTo(Kind.BUSY);
        assertThat(problem.kind().passes()).isTrue();
        assertThat(problem.detail()).isEqualTo("3 reads are running; repeat the call");
    }

    @Test
    void a_pool_without_a_free_connection_is_named_and_is_no_refusal_of_the_database() {
        SQLException pool = new SQLException(new IllegalStateException("IJ000453: no managed connection"));
        assertThat(ProblemTable.of(new StoreException("x", new IllegalStateException(pool)), "/x"))
                .satisfies(problem -> assertThat(problem.kind()).isEqualTo(Kind.NO_CONNECTION))
                .satisfies(problem -> assertThat(problem.detail()).contains("max-pool-size"));
        SQLException unreachable = new SQLException(new SQLException("refused", "08001"));
        assertThat(ProblemTable.of(new StoreException("x", unreachable), "/x").kind())
                .isEqualTo(Kind.DATABASE);
    }

    @Test
    void an_adapter_that_waits_asks_for_another_try() {
        Problem problem = ProblemTable.of(new AdapterNotRunningException(AdapterState.WAITING, "wait"), "/x");
        assertThat(problem.kind().status()).isEqualTo(503);
        assertThat(problem.kind().passes()).isTrue();
    }

    @Test
    void hostile_text_is_written_as_json() {
        assertThat(read(Problem.of(Kind.BODY, "\"}<script>\n", "/\"")).getString("detail"))
                .isEqualTo("\"}<script>\n");
    }

    private static JsonObject read(Problem problem) {
        return Json.createReader(new StringReader(problem.json())).readObject();
    }
}
