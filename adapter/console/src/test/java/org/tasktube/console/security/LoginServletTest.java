package org.tasktube.console.security;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** A script with a wrong password gets a problem, a person gets the page of the login. */
class LoginServletTest {

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
        assertThat(LoginServlet.isForScripts(asked, "/tasktube")).isEqualTo(script);
    }
}
