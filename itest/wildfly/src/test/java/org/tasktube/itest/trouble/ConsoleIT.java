package org.tasktube.itest.trouble;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.ConsoleUser;
import org.tasktube.itest.kit.WildFly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

/** Each endpoint of the console, from each kind of caller, in one table: no refused request changes anything. */
@Tag("full")
class ConsoleIT {

    private static final Path DIRECTORY = Servers.directory("console");
    private static final int QUESTIONS = 25;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Optional<String> ANONYMOUS = Optional.empty();
    private static final Optional<String> GUEST = Optional.of("guest");
    private static final Optional<String> VIEWER = Optional.of("viewer");
    private static final Optional<String> OPERATOR = Optional.of("operator");
    private static final Optional<String> ADMIN = Optional.of("admin");
    private static final Optional<String> CLERK = Optional.of("clerk");
    private static final List<Optional<String>> USERS = List.of(ANONYMOUS, GUEST, VIEWER, OPERATOR, ADMIN);

    private static final String SECRET = "{\"password\":\"geheim\",\"id\":9007199254740993}";
    private static final String OVERSIZED = "{\"reason\":\"" + "x".repeat(3 * 1024 * 1024) + "\"}";
    private static final String DEEP = "{\"reason\":" + "[".repeat(10_000) + "]".repeat(10_000) + "}";

    private static WildFly server;
    private static ConsoleClient console;

    /**
     * A row of the table.
     *
     * @param method the method
     * @param path the path; {id} is a task that is BURIED
     * @param body the body; empty for none
     * @param smallest the smallest role that may do it
     * @param status the status for that role
     */
    private record Endpoint(String method, String path, String body, Optional<String> smallest, int status) {

        boolean isChange() {
            return !method.equals("GET");
        }

        boolean hasBody() {
            return !body.isEmpty();
        }

        boolean allows(Optional<String> user) {
            return USERS.indexOf(user) >= USERS.indexOf(smallest);
        }
    }

    private static final List<Endpoint> ENDPOINTS = List.of(
            new Endpoint("GET", "session", "", VIEWER, 200),
            new Endpoint("GET", "overview", "", VIEWER, 200),
            new Endpoint("GET", "tubes", "", VIEWER, 200),
            new Endpoint("GET", "tubes/orders", "", VIEWER, 200),
            new Endpoint("GET", "tasks?filter=tube:orders%20state:buried", "", VIEWER, 200),
            new Endpoint("GET", "tasks/orders/{id}", "", VIEWER, 200),
            new Endpoint("GET", "tasks/orders/{id}/data", "", VIEWER, 200),
            new Endpoint("GET", "failures", "", VIEWER, 200),
            new Endpoint("GET", "flow", "", VIEWER, 200),
            new Endpoint("GET", "servers", "", VIEWER, 200),
            new Endpoint("GET", "audit?who=admin&limit=5", "", OPERATOR, 200),
            new Endpoint("GET", "openapi.json", "", VIEWER, 200),
            new Endpoint("GET", "operations", "", VIEWER, 200),
            new Endpoint("GET", "operations/{id}", "", VIEWER, 404),
            new Endpoint("POST", "operations/preview", "{\"act\":\"RETRY\",\"filter\":\"tube:orders\"}", OPERATOR, 200),
            new Endpoint(
                    "POST",
                    "operations",
                    "{\"act\":\"RETRY\",\"filter\":\"tube:orders\",\"reason\":\"test\",\"count\":1}",
                    OPERATOR,
                    202),
            new Endpoint("POST", "operations/{id}/cancel", "{\"reason\":\"test\"}", OPERATOR, 404),
            new Endpoint("GET", "tasks/orders/{id}/history", "", VIEWER, 200),
            new Endpoint("POST", "tubes/orders/pause", "{\"reason\":\"test\"}", OPERATOR, 200),
            new Endpoint("POST", "tubes/orders/drain", "{\"reason\":\"test\"}", OPERATOR, 200),
            new Endpoint("POST", "tubes/orders/resume", "{}", OPERATOR, 200),
            new Endpoint("POST", "tubes/orders/let-go", "{\"utube\":\"a\",\"reason\":\"test\"}", OPERATOR, 422),
            new Endpoint("POST", "tubes/orders/tasks", "{\"data\":\"x\"}", OPERATOR, 201),
            new Endpoint("POST", "tasks/orders/{id}/edit", "{\"data\":{\"id\":1},\"reason\":\"test\"}", OPERATOR, 201),
            new Endpoint("POST", "tubes/orders/take", "{}", OPERATOR, 200),
            new Endpoint("POST", "tasks/orders/{id}/ack", "{}", OPERATOR, 400),
            new Endpoint("POST", "tasks/orders/{id}/kick", "{}", OPERATOR, 200),
            new Endpoint("POST", "tasks/orders/{id}/dig", "{}", OPERATOR, 200),
            new Endpoint("POST", "tasks/orders/{id}/bury", "{}", OPERATOR, 200),
            new Endpoint("POST", "tasks/orders/{id}/delete", "{}", OPERATOR, 200),
            new Endpoint("POST", "tasks/orders/{id}/release", "{}", OPERATOR, 409),
            new Endpoint("POST", "tasks/orders/{id}/requeue", "{}", OPERATOR, 409),
            new Endpoint("POST", "tasks/orders/{id}/touch", "{\"increment\":\"PT1M\"}", OPERATOR, 409),
            new Endpoint("POST", "tasks/orders/{id}/done", "{\"data\":\"x\"}", OPERATOR, 409),
            new Endpoint("POST", "tubes", "{\"name\":\"made\",\"type\":\"fifo\"}", ADMIN, 201),
            new Endpoint("PATCH", "tubes/orders", "{\"history\":\"ALL\",\"reason\":\"test\"}", ADMIN, 200),
            new Endpoint("POST", "tubes/orders/truncate", "{\"reason\":\"test\",\"confirm\":\"orders\"}", ADMIN, 200),
            new Endpoint("DELETE", "tubes/orders", "", ADMIN, 204),
            new Endpoint("DELETE", "session", "", VIEWER, 204));

    private String id;

    @BeforeAll
    static void start() {
        server = Servers.onH2File(DIRECTORY);
        server.start();
        console = new ConsoleClient(server);
        ConsoleClient.add(server, "guest", Optional.empty());
        for (String role : List.of("viewer", "operator", "admin")) {
            ConsoleClient.add(server, role, Optional.of("tasktube-" + role));
        }
        ConsoleClient.add(server, "clerk", Optional.of("tasktube-viewer,\"tasktube-operator:orders\""));
        Eventually.holds(
                () -> console.api("GET", "session").as(VIEWER).send().body().contains("RUNNING"), "the adapter runs");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void fill() {
        for (String tube : List.of("orders", "made")) {
            console.api("DELETE", "tubes/" + tube + "?force=true").as(ADMIN).send();
        }
        change("tubes", "{\"name\":\"orders\",\"type\":\"fifottl\"}", ADMIN);
        String put = change("tubes/orders/tasks", "{\"data\":" + SECRET + "}", ADMIN);
        id = put.replaceAll(".*\"id\":\"(\\d+)\".*", "$1");
        change("tasks/orders/" + id + "/bury", "{}", ADMIN);
    }

    private static String change(String path, String body, Optional<String> user) {
        HttpResponse<String> answer = console.api("POST", path, body).as(user).send();
        assertThat(answer.statusCode()).as(answer.body()).isLessThan(300);
        return answer.body();
    }

    @TestFactory
    Stream<DynamicTest> each_endpoint_answers_those_who_have_its_right_and_refuses_all_others() {
        return ENDPOINTS.stream().flatMap(endpoint -> USERS.stream()
                .map(user -> DynamicTest.dynamicTest(
                        endpoint.method() + " " + endpoint.path() + " as " + user.orElse("anonymous"), () -> {
                            fill();
                            if (endpoint.allows(user)) {
                                answered(send(endpoint, endpoint.body(), user), endpoint.status());
                            } else {
                                refused(endpoint, endpoint.body(), user, user.isEmpty() ? 401 : 403);
                            }
                        })));
    }

    /** The clerk is a viewer, and the operator of the tube orders. */
    @TestFactory
    Stream<DynamicTest> a_right_on_a_tube_is_one_on_that_tube_only() {
        return ENDPOINTS.stream()
                .flatMap(endpoint -> Stream.of("orders", "made")
                        .map(tube -> new Endpoint(
                                endpoint.method(),
                                endpoint.path().replace("orders", tube),
                                endpoint.body().replace("orders", tube),
                                endpoint.smallest(),
                                endpoint.status())))
                .map(endpoint -> DynamicTest.dynamicTest(endpoint.method() + " " + endpoint.path(), () -> {
                    fill();
                    boolean isOrders = endpoint.path().contains("/orders")
                            || endpoint.body().contains("tube:orders");
                    boolean isAllowed = endpoint.smallest().equals(VIEWER)
                            || (endpoint.smallest().equals(OPERATOR) && isOrders);
                    HttpResponse<String> answer = send(endpoint, endpoint.body(), CLERK);
                    if (!isAllowed) {
                        answered(answer, 403);
                    } else if (isOrders) {
                        answered(answer, endpoint.status());
                    } else {
                        assertThat(answer.statusCode()).isNotEqualTo(403);
                    }
                }));
    }

    @Test
    void an_act_on_many_tasks_needs_the_right_on_each_tube_that_its_filter_allows() {
        for (String filter : List.of("", "state:buried", "tube:ord*", "-tube:made", "tube:orders,made", "tube:made")) {
            HttpResponse<String> refused = console.api(
                            "POST", "operations/preview", "{\"act\":\"RETRY\",\"filter\":\"" + filter + "\"}")
                    .as(CLERK)
                    .send();
            answered(refused, 403);
            assertThat(refused.body()).contains("on all tubes of the filter");
        }
        answered(
                console.api("POST", "operations/preview", "{\"act\":\"DELETE\",\"filter\":\"tube:orders\"}")
                        .as(CLERK)
                        .send(),
                200);
        answered(
                console.api(
                                "POST",
                                "operations",
                                "{\"act\":\"DELETE\",\"filter\":\"tube:orders\",\"reason\":\"x\",\"count\":1}")
                        .as(CLERK)
                        .send(),
                403);
        assertThat(console.api("GET", "session").as(CLERK).send().body())
                .contains("\"rights\":[\"VIEW\"]", "\"tubes\":{\"orders\":[\"VIEW\",\"OPERATE\"]}");
        assertThat(console.api("GET", "tasks/orders/" + id).as(CLERK).send().body())
                .as("no hidden value on the own tube")
                .contains("geheim");
        assertThat(console.api("GET", "tasks?filter=tube:orders%20data:*geheim*")
                        .as(CLERK)
                        .send()
                        .body())
                .contains(id);
        answered(console.api("GET", "tasks?filter=data:*geheim*").as(CLERK).send(), 403);
    }

    @Test
    void a_login_holds_after_a_kill_of_its_server_until_its_logout() {
        String cookie = console.login("operator");
        server.kill();
        server.start();
        Eventually.holds(
                () -> console.api("GET", "session")
                                .header("Cookie", cookie)
                                .send()
                                .statusCode()
                        == 200,
                "the login holds");
        answered(console.api("DELETE", "session").header("Cookie", cookie).send(), 204);
        answered(console.api("GET", "session").header("Cookie", cookie).send(), 401);
        answered(
                console.api("GET", "session")
                        .header("Cookie", "TASKTUBE_LOGIN=" + "A".repeat(43))
                        .send(),
                401);
    }

    @TestFactory
    Stream<DynamicTest> each_change_from_another_site_is_refused() {
        return ENDPOINTS.stream()
                .filter(Endpoint::isChange)
                .map(endpoint -> DynamicTest.dynamicTest(endpoint.method() + " " + endpoint.path(), () -> {
                    fill();
                    String before = state();
                    for (String[] header : new String[][] {
                        {"Sec-Fetch-Site", "cross-site"},
                        {"Sec-Fetch-Site", "same-site"},
                        {"Sec-Fetch-Site", "none"},
                        {"Origin", "http://evil.example"},
                        {"Origin", "null"}
                    }) {
                        answered(
                                request(endpoint, endpoint.body(), ADMIN)
                                        .header(header[0], header[1])
                                        .send(),
                                403);
                    }
                    assertThat(state()).isEqualTo(before);
                }));
    }

    @TestFactory
    Stream<DynamicTest> each_body_that_is_oversized_or_malformed_is_refused() {
        return ENDPOINTS.stream()
                .filter(Endpoint::hasBody)
                .map(endpoint -> DynamicTest.dynamicTest(endpoint.method() + " " + endpoint.path(), () -> {
                    fill();
                    refused(endpoint, OVERSIZED, ADMIN, 413);
                    refused(endpoint, DEEP, ADMIN, 400);
                    refused(endpoint, "{", ADMIN, 400);
                    refused(endpoint, "[]", ADMIN, 400);
                    refused(endpoint, "{\"unknown\":1," + endpoint.body().substring(1), ADMIN, 400);
                }));
    }

    @TestFactory
    Stream<DynamicTest> each_body_of_another_type_is_refused() {
        return ENDPOINTS.stream()
                .filter(Endpoint::hasBody)
                .map(endpoint -> DynamicTest.dynamicTest(endpoint.method() + " " + endpoint.path(), () -> {
                    fill();
                    String before = state();
                    answered(
                            console.api(endpoint.method(), path(endpoint))
                                    .as(ADMIN)
                                    .header("Content-Type", "text/plain")
                                    .send(),
                            415);
                    assertThat(state()).isEqualTo(before);
                }));
    }

    @TestFactory
    Stream<DynamicTest> a_malformed_address_is_refused_by_its_part() {
        return Stream.of(
                        "400 tasks?filter=colour:red",
                        "400 tasks?filter=" + "x".repeat(2_001),
                        "400 tasks?limit=0",
                        "400 tasks?limit=201",
                        "400 tasks?limit=x",
                        "400 tasks?from=x",
                        "400 failures?limit=1e3",
                        "400 flow?back=1m",
                        "400 flow?back=PT25H",
                        "400 flow?back=x",
                        "400 operations?before=x",
                        "400 operations?limit=0",
                        "400 operations/x",
                        "404 operations/4711",
                        "400 tasks/orders/x",
                        "400 tasks/orders/99999999999999999999",
                        "400 tubes/a%20b",
                        "400 tubes/%00",
                        "404 tasks/orders/4711",
                        "404 tasks/orders/4711/data",
                        "404 tubes/nosuch",
                        "404 tasks/nosuch/1",
                        "404 nosuch")
                .map(row -> DynamicTest.dynamicTest(
                        row.length() < 80 ? row : row.substring(0, 80),
                        () -> answered(
                                console.api("GET", row.substring(4)).as(VIEWER).send(),
                                Integer.parseInt(row.substring(0, 3)))));
    }

    @Test
    void a_wrong_password_is_a_problem_and_not_a_page() {
        CompletableFuture<String> line = server.log().next("TASKTUBE0505");
        HttpResponse<String> answer = console.api("GET", "session")
                .header("Authorization", "Basic dmlld2VyOndyb25n")
                .send();
        answered(answer, 401);
        assertThat(line).succeedsWithin(PATIENCE, STRING).contains("viewer", "127.0.0.1");
    }

    @Test
    void the_longest_name_of_a_form_is_a_wrong_one_without_a_trace() {
        long before = faults();
        HttpResponse<String> answer = console.form("/login", "user=" + "x".repeat(7_000) + "&password=x")
                .send();
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).contains("login.js");
        assertThat(faults()).isEqualTo(before);
    }

    /** The server itself fails with a request whose session ends just then, before any part of the console sees it. */
    @Test
    void several_logins_of_one_browser_at_once_are_no_faults_of_the_console() {
        long before = faults();
        for (int i = 0; i < 10; i++) {
            String cookie = login("operator", "operator", "");
            List<CompletableFuture<HttpResponse<String>>> logins = Stream.generate(() -> CompletableFuture.supplyAsync(
                            () -> console.form("/login", "user=operator&password=operator")
                                    .header("Cookie", cookie)
                                    .send()))
                    .limit(5)
                    .toList();
            assertThat(logins).extracting(answer -> answer.join().statusCode()).contains(302);
        }
        assertThat(faults()).isEqualTo(before);
    }

    private static long faults() {
        return server.log().lines().stream()
                .filter(text -> text.contains("TASKTUBE0510"))
                .count();
    }

    @Test
    void a_page_asks_for_a_login_and_a_user_gets_it() {
        for (String path : List.of("/", "/tasks?filter=state:ready", "/index.html", "/tubes/orders")) {
            HttpResponse<String> anonymous = console.page(path).as(ANONYMOUS).send();
            assertThat(anonymous.body()).as(path).contains("login.js");
            headers(anonymous);
            HttpResponse<String> viewer = console.page(path).as(VIEWER).send();
            assertThat(viewer.statusCode()).as(path).isEqualTo(200);
            assertThat(viewer.body()).doesNotContain("login.js").contains("js/main.js");
            headers(viewer);
        }
        assertThat(console.page("/").as(GUEST).send().statusCode()).isEqualTo(403);
        assertThat(console.page("/WEB-INF/web.xml").as(ADMIN).send().statusCode())
                .isEqualTo(404);
    }

    /** Each session takes memory, and one for a request without a password would have no bound. */
    @Test
    void nobody_gets_a_session_before_the_login() {
        List<ConsoleClient.Request> requests = new ArrayList<>();
        for (String path :
                List.of("/", "/overview?x=1", "/index.html", "/tubes/orders", "/nosuch", "/login", "/metrics")) {
            for (String method : List.of("GET", "HEAD", "POST", "PUT")) {
                requests.add(console.pageBy(method, path).as(ANONYMOUS));
            }
        }
        requests.add(console.form("/login", "user=viewer&password=wrong"));
        requests.add(console.form("/login?user=viewer&password=viewer", ""));
        requests.add(console.form("/login", "user=viewer&password=viewer&x=" + "x".repeat(8_192)));
        requests.add(console.page("/overview").header("Authorization", "Basic dmlld2VyOndyb25n"));
        requests.add(console.api("GET", "session").as(ANONYMOUS));
        for (ConsoleClient.Request request : requests) {
            HttpResponse<String> answer = request.send();
            assertThat(answer.headers().allValues("Set-Cookie"))
                    .as(answer.request().method() + " " + answer.uri())
                    .isEmpty();
            assertThat(answer.body()).doesNotContain("js/main.js");
        }
        HttpResponse<String> login =
                console.form("/login", "user=viewer&password=viewer").send();
        assertThat(login.headers().firstValue("Set-Cookie").orElse("")).contains("HttpOnly", "SameSite=Strict");
        String cookie = login.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
        assertThat(console.api("GET", "session").header("Cookie", cookie).send().body())
                .contains("viewer");
        HttpResponse<String> byPassword =
                console.api("GET", "session").header("Cookie", cookie).as(ADMIN).send();
        answered(byPassword, 200);
        assertThat(byPassword.body()).as("a password counts more than a cookie").contains("\"user\":\"admin\"");
        answered(
                console.api("GET", "session")
                        .header("Cookie", cookie)
                        .header("Authorization", "Basic dmlld2VyOndyb25n")
                        .send(),
                401);
        HttpResponse<String> elsewhere = console.form("/login", "user=viewer&password=viewer")
                .header("Sec-Fetch-Site", "same-site")
                .send();
        assertThat(elsewhere.statusCode()).as("a page at another port logs in").isEqualTo(403);
        assertThat(elsewhere.headers().allValues("Set-Cookie")).isEmpty();
    }

    @Test
    void a_user_without_a_role_gets_no_session_by_the_form_and_a_page_that_says_why() {
        HttpResponse<String> answer = console.form("/login", "user=guest&password=guest")
                .header("Accept", "text/html")
                .send();
        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.body()).contains("none of the roles");
        assertThat(answer.headers().allValues("Set-Cookie")).isEmpty();
        assertThat(console.form("/login", "user=&password=").send().body()).contains("login.js");
    }

    /** Without a bound, one user could take all sessions of a server. */
    @Test
    void a_user_has_at_most_20_logins_and_a_further_one_ends_the_oldest() {
        List<String> cookies = new ArrayList<>();
        for (int i = 0; i < 21; i++) {
            cookies.add(login("operator", "operator", ""));
        }
        assertThat(statusOf(cookies.get(0))).isEqualTo(401);
        assertThat(statusOf(cookies.get(1))).isEqualTo(200);
        String last = cookies.get(20);
        login("operator", "wrong", last);
        assertThat(statusOf(last))
                .as("the session that has had a wrong password")
                .isEqualTo(401);
        String next = login("operator", "operator", cookies.get(19));
        assertThat(statusOf(cookies.get(19)))
                .as("the session before another login")
                .isEqualTo(401);
        assertThat(statusOf(next)).isEqualTo(200);
    }

    private static int statusOf(String cookie) {
        return console.api("GET", "session").header("Cookie", cookie).send().statusCode();
    }

    /** Returns the cookie of the login; empty without one. */
    private static String login(String user, String password, String cookie) {
        ConsoleClient.Request login = console.form("/login", "user=" + user + "&password=" + password);
        HttpResponse<String> answer = (cookie.isEmpty() ? login : login.header("Cookie", cookie)).send();
        return answer.headers().firstValue("Set-Cookie").orElse("").split(";", 2)[0];
    }

    /** Elytron takes some questions for the roles of a user for wrong passwords, and locks the user after ten. */
    @Test
    void a_session_that_asks_for_its_roles_often_locks_no_user_and_ends_with_its_user() {
        ConsoleUser leaver = new ConsoleUser("leaver", "leaver").addTo(server, "tasktube-viewer");
        server.cli("/system-property=tasktube.console.ask-roles-again:add(value=0)");
        try {
            String cookie = login(leaver.name(), leaver.password(), "");
            for (int i = 0; i < QUESTIONS; i++) {
                assertThat(statusOf(cookie)).as("question " + i).isEqualTo(200);
            }
            assertThat(login(leaver.name(), leaver.password(), "")).isNotEmpty();
            leaver.removeFrom(server);
            for (int i = 0; i < QUESTIONS; i++) {
                assertThat(statusOf(cookie)).as("question " + i).isEqualTo(401);
            }
            leaver.addTo(server, "tasktube-viewer");
            assertThat(login(leaver.name(), leaver.password(), ""))
                    .as("a new user of the name")
                    .isNotEmpty();
            leaver.removeFrom(server);
        } finally {
            server.cli("/system-property=tasktube.console.ask-roles-again:remove");
        }
    }

    @Test
    void an_address_that_no_page_has_is_refused_by_its_length() {
        answered(
                console.api("GET", "tasks?filter=" + "x".repeat(40_000))
                        .as(VIEWER)
                        .send(),
                414);
        assertThat(console.page("/overview?" + "x".repeat(40_000))
                        .as(ANONYMOUS)
                        .send()
                        .statusCode())
                .isEqualTo(414);
    }

    @Test
    void only_an_operator_sees_secrets_and_nobody_else_finds_them_by_a_filter() {
        for (String path : List.of("tasks/orders/" + id, "tasks/orders/" + id + "/data")) {
            assertThat(console.api("GET", path).as(VIEWER).send().body())
                    .contains("hidden", "9007199254740993")
                    .doesNotContain("geheim");
            assertThat(console.api("GET", path).as(OPERATOR).send().body()).contains("geheim", "9007199254740993");
        }
        for (String filter : List.of("data.password:g*", "-data.password:g*", "data:*geheim*")) {
            answered(console.api("GET", "tasks?filter=" + filter).as(VIEWER).send(), 403);
            answered(console.api("GET", "tasks?filter=" + filter).as(OPERATOR).send(), 200);
        }
        answered(
                console.api("GET", "tasks?filter=data.id:9007199254740993")
                        .as(VIEWER)
                        .send(),
                200);
    }

    private static String audit(String query) {
        return console.api("GET", "audit?" + query).as(OPERATOR).send().body();
    }

    @Test
    void a_viewer_sees_no_secrets_in_the_filter_of_an_operation() {
        change("tubes/orders/tasks", "{\"data\":\"x\"}", OPERATOR);
        String started = change(
                "operations",
                "{\"act\":\"BURY\",\"filter\":\"tube:orders state:ready -data.password:geheim\",\"reason\":\"test\","
                        + "\"count\":1}",
                OPERATOR);
        assertThat(started).contains("geheim");
        String operation = started.replaceAll(".*\"id\":\"(\\d+)\".*", "$1");
        for (String path : List.of("operations", "operations/" + operation)) {
            assertThat(console.api("GET", path).as(VIEWER).send().body())
                    .as(path)
                    .contains("\"" + operation + "\"")
                    .doesNotContain("geheim");
        }
        Eventually.holds(
                () -> {
                    String now = console.api("GET", "operations/" + operation)
                            .as(OPERATOR)
                            .send()
                            .body();
                    assertThat(now).contains("data.password:geheim");
                    return now.contains("\"state\":\"DONE\"");
                },
                "the operation has ended, and changes nothing beside the next test");
    }

    @Test
    void the_row_of_an_operation_has_its_filter_and_a_preview_which_changes_nothing_has_no_row() {
        String filter = "tube:orders key:row-" + id;
        change("operations/preview", "{\"act\":\"RETRY\",\"filter\":\"" + filter + "\"}", OPERATOR);
        String refused = "{\"act\":\"RETRY\",\"filter\":\"" + filter + "\",\"reason\":\"test\",\"count\":0}";
        answered(console.api("POST", "operations", refused).as(OPERATOR).send(), 409);
        assertThat(audit("act=previewOperation")).contains("\"entries\":[]");
        assertThat(audit("act=startRetry&limit=1")).contains("\"filter\":\"" + filter + "\"");
    }

    @Test
    void a_change_that_no_address_has_names_its_user_and_a_question_for_the_methods_is_no_act() {
        answered(console.api("PUT", "tubes/orders", "{}").as(OPERATOR).send(), 405);
        assertThat(audit("act=PUT%20/api/v1/tubes/orders&limit=1")).contains("\"who\":\"operator\"", "\"status\":405");
        var line = server.log().next("TASKTUBE0500");
        console.api("OPTIONS", "tubes").as(OPERATOR).send();
        change("tubes/orders/resume", "{}", OPERATOR);
        assertThat(line.join()).contains("act=\"resume\"");
    }

    @Test
    void a_method_that_nothing_has_is_no_fault_of_the_console() {
        for (Optional<String> user : List.of(ANONYMOUS, VIEWER)) {
            assertThat(console.pageBy("PROPFIND", "/overview").as(user).send().statusCode())
                    .as(user.orElse("anonymous"))
                    .isEqualTo(405);
        }
    }

    @Test
    void an_act_is_a_line_of_the_audit() {
        var line = server.log().next("TASKTUBE0500");
        change("tubes/orders/pause", "{\"reason\":\"the printer is broken\"}", OPERATOR);
        assertThat(line.join())
                .contains("user=\"operator\"", "right=OPERATE", "act=\"pause\"", "tube=\"orders\"")
                .contains("reason=\"the printer is broken\"", "answer=200");
    }

    @Test
    void a_put_with_a_key_is_done_once() {
        String body = "{\"data\":\"x\",\"key\":\"order-7\"}";
        String first = change("tubes/orders/tasks", body, OPERATOR);
        assertThat(change("tubes/orders/tasks", body, OPERATOR)).isEqualTo(first);
    }

    private void refused(Endpoint endpoint, String body, Optional<String> user, int status) {
        String before = state();
        answered(send(endpoint, body, user), status);
        assertThat(state()).isEqualTo(before);
    }

    private static void answered(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Cache-Control")).contains("no-store");
        headers(answer);
        if (status >= 400) {
            assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("application/problem+json");
            assertThat(answer.body())
                    .contains("\"status\":" + status, "urn:tasktube:problem:")
                    .doesNotContain("Exception", "org.tasktube", "\tat ");
        }
    }

    private static void headers(HttpResponse<String> answer) {
        assertThat(answer.headers().firstValue("Content-Security-Policy").orElse(""))
                .startsWith("default-src 'self';");
        assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    }

    private HttpResponse<String> send(Endpoint endpoint, String body, Optional<String> user) {
        return request(endpoint, body, user).send();
    }

    private ConsoleClient.Request request(Endpoint endpoint, String body, Optional<String> user) {
        return (endpoint.hasBody()
                        ? console.api(endpoint.method(), path(endpoint), body)
                        : console.api(endpoint.method(), path(endpoint)))
                .as(user);
    }

    private String path(Endpoint endpoint) {
        return endpoint.path().replace("{id}", id);
    }

    /** Everything that a request could change, without the times of the answer. */
    private static String state() {
        String tubes = console.api("GET", "tubes").as(VIEWER).send().body();
        String tasks = console.api("GET", "tasks").as(VIEWER).send().body();
        return (tubes + tasks).toLowerCase(Locale.ROOT).replaceAll("\"oldestready(since)?\":\"[^\"]*\",?", "");
    }
}
