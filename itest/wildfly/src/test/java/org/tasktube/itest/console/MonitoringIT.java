package org.tasktube.itest.console;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.ConsoleUser;

import static org.assertj.core.api.Assertions.assertThat;

/** The metrics and the health, as Prometheus and a load balancer ask for them. */
@Tag("console")
@ExtendWith(ConsoleServer.Extension.class)
@Tag("full")
class MonitoringIT {

    private static final String KEY = "0d7c61e4b2f84a19";
    private static final String PROPERTY = "/system-property=tasktube.metrics.key:";
    private static final String NONE = "";
    private static final String ENDED = "Expires=Thu, 01-Jan-1970";
    private static final String[] SESSIONS = {"deployment", "tasktube-console.war", "subsystem", "undertow"};

    private final ConsoleServer console;

    MonitoringIT(ConsoleServer console) {
        this.console = console;
    }

    @BeforeAll
    static void setKey(ConsoleServer console) {
        console.server().cli(PROPERTY + "add(value=" + KEY + ")");
    }

    @AfterAll
    static void removeKey(ConsoleServer console) {
        console.server().cli(PROPERTY + "remove");
    }

    /**
     * A row of the table.
     *
     * @param path the address from the root of the console
     * @param authorization the header of that name, or empty
     */
    private record Row(String name, String method, String path, String authorization, int status) {}

    private Stream<Row> rows() {
        return Stream.of(
                new Row("anonymous", "GET", "metrics", NONE, 401),
                new Row("a wrong key", "GET", "metrics", "Bearer 0d7c61e4b2f84a18", 401),
                new Row("a part of the key", "GET", "metrics", "Bearer 0d7c61e4b2f84a1", 401),
                new Row("no key", "GET", "metrics", "Bearer ", 401),
                new Row("another scheme", "GET", "metrics", "Digest " + KEY, 401),
                new Row("a wrong password", "GET", "metrics", basic(new ConsoleUser("viewer", "wrong")), 401),
                new Row("an unknown user", "GET", "metrics", basic(new ConsoleUser("nobody", "wrong")), 401),
                new Row("a user without a role", "GET", "metrics", basic(console.guest()), 403),
                new Row("the key", "GET", "metrics", "Bearer " + KEY, 200),
                new Row("a scraper", "GET", "metrics", basic(console.scraper()), 200),
                new Row("a viewer", "GET", "metrics", basic(console.viewer()), 200),
                new Row("an operator", "GET", "metrics", basic(console.operator()), 200),
                new Row("an administrator", "GET", "metrics", basic(console.admin()), 200),
                new Row("a POST of a viewer", "POST", "metrics", basic(console.viewer()), 405),
                new Row("a POST with the key", "POST", "metrics", "Bearer " + KEY, 405),
                new Row("a scraper at the API", "GET", "api/v1/overview", basic(console.scraper()), 403),
                new Row("the key at the API", "GET", "api/v1/overview", "Bearer " + KEY, 401),
                new Row("anonymous, live", "GET", "health/live", NONE, 200),
                new Row("anonymous, ready", "GET", "health/ready", NONE, 200),
                new Row("a POST, live", "POST", "health/live", NONE, 405),
                new Row("a POST, ready", "POST", "health/ready", NONE, 405));
    }

    @TestFactory
    Stream<DynamicTest> metrics_and_health_answer_those_who_may_ask() {
        return rows().map(row -> DynamicTest.dynamicTest(row.name() + ": " + row.status(), () -> {
            HttpResponse<String> answer = send(row);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(row.status());
            // A failed login ends the session that the server has begun for it
            assertThat(answer.headers().allValues("Set-Cookie")).allMatch(cookie -> cookie.contains(ENDED));
            assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
            String type = answer.headers().firstValue("Content-Type").orElse("");
            if (row.status() >= 400) {
                assertThat(type).startsWith("application/problem+json");
                assertThat(answer.body()).doesNotContain("Exception", "org.tasktube", KEY);
            } else if (row.path().equals("metrics")) {
                assertThat(type).startsWith("text/plain; version=0.0.4");
                assertThat(answer.body()).contains("tasktube_adapter_up 1", "tasktube_tasks{tube=\"work\"");
            }
        }));
    }

    @Test
    void a_broken_login_is_refused_without_a_trace() {
        HttpResponse<String> answer = send(new Row("no user in BASIC", "GET", "metrics", "Basic !", 401));
        assertThat(answer.statusCode()).isIn(400, 401);
        assertThat(answer.body()).doesNotContain("Exception", "\tat ");
    }

    @Test
    void a_page_that_is_refused_has_the_headers_of_the_console() {
        HttpResponse<String> answer = send(new Row("a scraper", "GET", "tasks", basic(console.scraper()), 403));
        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    }

    @Test
    void scrapes_and_probes_make_no_session() {
        long before = sessions();
        for (String authorization : List.of(NONE, "Bearer " + KEY, basic(console.scraper()), basic(console.viewer()))) {
            send(new Row("", "GET", "metrics", authorization, 0));
            send(new Row("", "GET", "health/ready", authorization, 0));
        }
        assertThat(sessions()).isEqualTo(before);
    }

    private long sessions() {
        return console.server().read("sessions-created", SESSIONS).asLong();
    }

    /** The numbers that change by themselves are compared by their names only. */
    @Test
    void the_registry_of_micrometer_has_the_numbers_of_the_page() {
        console.freshTube("metered", "fifo");
        console.fill("metered", 3);
        String number = "tasktube_tasks{state=\"ready\",temporary=\"false\",tube=\"metered\"} 3.0";
        Eventually.holds(() -> micrometer().contains(number), this::micrometer);
        assertThat(names(micrometer())).isEqualTo(names(page()));

        console.drop("metered");
        Eventually.holds(() -> !micrometer().contains("tube=\"metered\""), this::micrometer);
    }

    /** Returns the names of TaskTube's metrics, without those of the buckets, which Micrometer does not get. */
    private static SortedSet<String> names(String text) {
        return Pattern.compile("(?m)^(tasktube_[a-z_]+)[ {]")
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .filter(name -> !name.endsWith("_bucket"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private String page() {
        return send(new Row("", "GET", "metrics", "Bearer " + KEY, 0)).body();
    }

    /** Returns the samples of TaskTube as Prometheus gets them, without the label by which WildFly names the war. */
    private String micrometer() {
        HttpRequest request = HttpRequest.newBuilder(console.micrometer())
                .timeout(Duration.ofSeconds(30))
                .build();
        return Rest.send(request).body().replace("WF_DEPLOYMENT=\"tasktube-console.war\",", "");
    }

    @Test
    void a_server_without_its_database_lives_and_is_not_ready() {
        console.postgres().kill();
        try {
            Eventually.holds(() -> ready().statusCode() == 503, "the server is not ready");
            Eventually.holds(() -> ready().body().contains("WAITING"), () -> ready().body());
            assertThat(ready().headers().firstValue("Retry-After")).isPresent();
            assertThat(ready().headers().firstValue("Set-Cookie")).isEmpty();
            assertThat(send(new Row("", "GET", "health/live", NONE, 0)).statusCode())
                    .isEqualTo(200);
            assertThat(send(new Row("", "GET", "metrics", "Bearer " + KEY, 0)).body())
                    .contains("tasktube_adapter_up 0", "tasktube_adapter_state{state=\"waiting\"} 1");
            assertThat(send(new Row("", "GET", "api/v1/overview", basic(console.viewer()), 0))
                            .body())
                    .as("unknown numbers are absent")
                    .contains("TaskTube is WAITING", "\"state\":\"WAITING\"")
                    .doesNotContain("totals");
        } finally {
            console.postgres().start();
            Eventually.holds(Duration.ofMinutes(1), () -> ready().statusCode() == 200, () -> ready().body());
        }
    }

    private HttpResponse<String> ready() {
        return send(new Row("", "GET", "health/ready", NONE, 0));
    }

    private HttpResponse<String> send(Row row) {
        HttpRequest.Builder request = HttpRequest.newBuilder(console.page(row.path()))
                .timeout(Duration.ofSeconds(30))
                .method(row.method(), BodyPublishers.noBody());
        if (!row.authorization().isEmpty()) {
            request.header("Authorization", row.authorization());
        }
        return Rest.send(request.build());
    }

    private static String basic(ConsoleUser user) {
        return Rest.authorization(user);
    }
}
