package org.tasktube.console.security;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tasktube.console.problem.Kind;

import static org.assertj.core.api.Assertions.assertThat;

/** A refusal of the server itself is a problem of the console's kinds. */
class ErrorServletTest {

    @ParameterizedTest
    @CsvSource({
        "400, REQUEST",
        "401, LOGIN",
        "403, FORBIDDEN",
        "404, NO_RESOURCE",
        "405, METHOD",
        "413, TOO_LARGE",
        "429, TOO_MANY",
        "414, ADDRESS",
        "431, REQUEST",
        "500, FAULT",
        "501, METHOD",
        "503, FAULT"
    })
    void each_status_has_a_kind(int status, Kind kind) {
        assertThat(ErrorServlet.problem(status, "/tasktube/x").kind()).isEqualTo(kind);
    }

    @ParameterizedTest
    @CsvSource({
        "/tasktube/api/v1/tubes, true",
        "/tasktube/metrics, true",
        "/tasktube/, false",
        "/tasktube/tasks, false",
        "/tasktube/metrics.html, false",
        "'', false"
    })
    void only_the_addresses_of_scripts_answer_a_problem(String asked, boolean script) {
        assertThat(ErrorServlet.isForScripts(asked, "/tasktube")).isEqualTo(script);
    }
}
