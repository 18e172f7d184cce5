package org.tasktube.console.metrics;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.AdapterState;
import org.tasktube.ConnectionException;
import org.tasktube.console.metrics.Fakes.Adapter;
import org.tasktube.console.metrics.Fakes.Answer;
import org.tasktube.console.metrics.Fakes.Request;

import static org.assertj.core.api.Assertions.assertThat;

/** A user with a role, or a caller with the key, reads the metrics. All others get a problem, and read nothing. */
class MetricsServletTest {

    private static final String KEY = "0123456789abcdef";
    private static final Request METRICS = Request.get(MetricsServlet.PATH);

    private final Adapter adapter = new Adapter();
    private final MetricsServlet servlet = new MetricsServlet(adapter.factory());

    @AfterEach
    void noKey() {
        System.clearProperty(MetricsAccess.PROPERTY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tasktube-metrics", "tasktube-viewer", "tasktube-operator", "tasktube-admin"})
    void a_user_with_a_role_reads_the_metrics(String role) throws Exception {
        Answer answer = Fakes.ask(servlet, METRICS.user("anna", role));

        assertThat(answer.status).isEqualTo(200);
        assertThat(answer.headers)
                .containsEntry("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
                .containsEntry("Cache-Control", "no-store");
        assertThat(answer.body()).contains("tasktube_adapter_up 1\n").contains("tube=\"orders\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer " + KEY, "bearer " + KEY, "BEARER  " + KEY + " "})
    void a_caller_with_the_key_reads_the_metrics(String authorization) throws Exception {
        System.setProperty(MetricsAccess.PROPERTY, KEY);

        assertThat(Fakes.ask(servlet, METRICS.authorization(authorization)).status)
                .isEqualTo(200);
    }

    @Test
    void a_caller_without_user_and_key_gets_401_with_the_next_step() throws Exception {
        System.setProperty(MetricsAccess.PROPERTY, KEY);

        Answer answer = Fakes.ask(servlet, METRICS);

        assertRefused(answer, 401);
        assertThat(answer.headers).containsEntry("WWW-Authenticate", "Bearer realm=\"TaskTube\"");
        assertThat(answer.body()).contains(MetricsAccess.PROPERTY).contains(MetricsAccess.ROLE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Bearer 0123456789abcdeF",
                "Bearer 0123456789abcde",
                "Bearer 0123456789abcdef0",
                "Bearer ",
                "Bearer"
            })
    void a_wrong_key_gets_401_even_with_a_user_of_no_role(String authorization) throws Exception {
        System.setProperty(MetricsAccess.PROPERTY, KEY);

        Answer answer = Fakes.ask(servlet, METRICS.authorization(authorization));

        assertRefused(answer, 401);
        assertThat(answer.body()).doesNotContain(KEY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer ", "Bearer x", "Bearer null"})
    void without_the_property_no_key_is_right(String authorization) throws Exception {
        assertRefused(Fakes.ask(servlet, METRICS.authorization(authorization)), 401);
    }

    @Test
    void an_empty_property_is_no_key() throws Exception {
        System.setProperty(MetricsAccess.PROPERTY, "");

        assertRefused(Fakes.ask(servlet, METRICS.authorization("Bearer ")), 401);
    }

    @Test
    void a_key_of_fewer_than_16_characters_is_not_accepted_and_the_answer_names_the_bound() throws Exception {
        System.setProperty(MetricsAccess.PROPERTY, "0123456789abcde");

        Answer answer = Fakes.ask(servlet, METRICS.authorization("Bearer 0123456789abcde"));

        assertRefused(answer, 401);
        assertThat(answer.body()).contains("fewer than 16 characters");
    }

    @Test
    void a_user_without_a_role_gets_403() throws Exception {
        Answer answer = Fakes.ask(servlet, METRICS.user("berta", "another-role"));

        assertRefused(answer, 403);
        assertThat(answer.body()).contains(MetricsAccess.ROLE);
    }

    private void assertRefused(Answer answer, int status) {
        assertThat(answer.status).isEqualTo(status);
        assertThat(answer.headers).containsEntry("Content-Type", "application/problem+json");
        assertThat(answer.body()).contains("\"status\":" + status).doesNotContain("tasktube_");
        assertThat(adapter.opened).isZero();
    }

    @Test
    void a_waiting_adapter_is_an_answer_and_not_a_failed_scrape() throws Exception {
        adapter.state = AdapterState.WAITING;

        Answer answer = Fakes.ask(servlet, METRICS.user("anna", MetricsAccess.ROLE));

        assertThat(answer.status).isEqualTo(200);
        assertThat(answer.body()).contains("tasktube_adapter_up 0\n");
    }

    @Test
    void without_a_free_connection_the_scrape_fails_with_503() throws Exception {
        adapter.refusal = new ConnectionException("no connection is free", new IllegalStateException());

        Answer answer = Fakes.ask(servlet, METRICS.user("anna", MetricsAccess.ROLE));

        assertThat(answer.status).isEqualTo(503);
        assertThat(answer.headers).containsEntry("Retry-After", "1");
        assertThat(answer.body()).contains("urn:tasktube:problem:no-connection");
    }

    @Test
    void scrapes_within_a_second_read_once_and_leave_no_connection_open() throws Exception {
        for (int i = 0; i < 20; i++) {
            Fakes.ask(servlet, METRICS.user("anna", MetricsAccess.ROLE));
        }

        assertThat(adapter.opened).isLessThan(20);
        assertThat(adapter.open).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS", "TRACE"})
    void only_get_and_head_are_answered(String method) throws Exception {
        Answer answer =
                Fakes.ask(servlet, METRICS.user("anna", MetricsAccess.ROLE).method(method));

        assertRefused(answer, 405);
        assertThat(answer.headers).containsEntry("Allow", "GET, HEAD");
    }
}
