package org.tasktube.itest.console;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.Cookie;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.ConsoleUser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

@InBrowser
@Tag("full")
class LoginIT {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final ConsoleServer console;
    private final Visitor visitor;

    LoginIT(ConsoleServer console, Visitor visitor) {
        this.console = console;
        this.visitor = visitor;
    }

    @Test
    void a_login_leads_to_the_page_that_was_asked_for() {
        visitor.login(console.viewer(), "tasks?filter=state:buried");

        assertThat(visitor.address()).isEqualTo("tasks?filter=state:buried");
        assertThat(visitor.find("#user").textContent()).contains("viewer");
        assertThat(visitor.find(".pill-text").textContent()).isEqualTo("state:buried");
    }

    @Test
    void a_wrong_password_is_named_and_the_right_one_helps_then() {
        CompletableFuture<String> refusal = console.server().log().next("TASKTUBE0505");
        visitor.page().navigate(console.page("").toString());
        visitor.fillLogin(console.viewer().name(), "wrong");
        visitor.awaitText("[role=alert]", "wrong");
        assertThat(refusal).succeedsWithin(PATIENCE, STRING).contains("viewer", "127.0.0.1");
        assertThat(console.server().log().lines()).noneMatch(line -> line.contains("WELD-000335"));

        visitor.fillLogin(console.viewer().name(), console.viewer().password());
        visitor.awaitText("#user", "viewer");
    }

    @Test
    void a_login_in_a_browser_that_has_one_ends_the_streams_of_that() {
        visitor.page()
                .waitForResponse(answer -> answer.url().endsWith("/events"), () -> visitor.login(console.viewer(), ""));
        String login = "fetch('/tasktube/login', {method: 'POST', body: new URLSearchParams('user=%s&password=%s')})"
                .formatted(console.admin().name(), console.admin().password());
        visitor.page()
                .evaluate("() => new Promise(open => { window.ended = false;"
                        + " const stream = new EventSource('api/v1/events');"
                        + " stream.onerror = () => window.ended = true; stream.onopen = open; })");
        visitor.page().evaluate(login);
        visitor.awaitThat("() => window.ended");
        assertThat(console.server().log().lines()).noneMatch(line -> line.contains("UT015005"));
    }

    @Test
    void no_script_reads_the_cookie_of_a_session() {
        visitor.login(console.viewer(), "");

        Cookie cookie = visitor.page().context().cookies().get(0);
        assertThat(cookie.httpOnly).isTrue();
        assertThat(visitor.page().evaluate("document.cookie")).isEqualTo("");
    }

    @Test
    void a_sign_out_ends_the_session() {
        visitor.login(console.viewer(), "");
        visitor.find("[aria-label='Sign out']").click();
        visitor.page().waitForSelector("form[action$='/login']");

        visitor.page().navigate(console.page("tasks").toString());
        visitor.page().waitForSelector("form[action$='/login']");
    }

    @Test
    void an_administrator_ends_the_login_of_another_and_keeps_the_own() {
        ConsoleUser leaver = ConsoleUser.random("sitter").addTo(console.server(), "tasktube-viewer");
        visitor.login(leaver, "");
        Page left = visitor.page();
        visitor.use(View.WIDE_LIGHT).login(console.admin(), "servers");
        visitor.awaitText("main h2", "Logins");

        visitor.find("tr:has-text('" + leaver.name() + "') [data-act=end]").click();
        visitor.find("dialog button[type=submit]").click();
        visitor.page()
                .waitForCondition(() ->
                        visitor.find("tr:has-text('" + leaver.name() + "')").count() == 0);
        left.waitForSelector("form[action$='/login']");
        visitor.open("tasks");
        visitor.awaitText("#user", console.admin().name());
        assertThat(console.rest(console.admin())
                        .get("audit?act=endLogin&limit=1")
                        .toString())
                .contains("the login of " + leaver.name() + " from 127.0.0.1");
        assertThat(console.rest(console.operator()).send("GET", "logins", "").statusCode())
                .isEqualTo(403);
    }

    @Test
    void the_end_of_a_session_loses_no_text_and_the_act_goes_on_after_the_login() {
        console.freshTube("login", "fifottl");
        visitor.login(console.operator(), "tubes/login");
        visitor.find("#live").click();
        visitor.awaitText("#live", "Paused");
        visitor.find("[data-act=pause]").click();
        visitor.page().getByLabel("Reason").fill("a long reason that nobody types twice");
        visitor.page().context().clearCookies();

        visitor.button("Pause login").click();
        visitor.awaitText("dialog:last-of-type h2", "Your session has ended");
        visitor.page().getByLabel("Password").fill("wrong");
        visitor.button("Sign in").click();
        visitor.awaitText("dialog:last-of-type .outcome", "is wrong");
        visitor.page().getByLabel("Password").fill(console.operator().password());
        visitor.button("Sign in").click();

        visitor.page().waitForCondition(() -> visitor.find("dialog").count() == 0);
        assertThat(console.rest(console.viewer()).get("tubes/login").getString("modeReason"))
                .isEqualTo("a long reason that nobody types twice");
        assertThat(visitor.find("#user").textContent()).contains("operator");
        console.drop("login");
    }

    @Test
    void a_login_that_was_cancelled_and_made_later_leaves_a_page_that_lives() {
        console.freshTube("login", "fifottl");
        visitor.login(console.operator(), "tubes/login");
        visitor.find("[data-act=pause]").click();
        visitor.page().getByLabel("Reason").fill("first");
        visitor.page().context().clearCookies();
        visitor.button("Pause login").click();
        visitor.awaitText("dialog:last-of-type h2", "Your session has ended");
        visitor.press("Escape");
        visitor.awaitText("dialog .outcome", "Your session has ended");
        visitor.button("Pause login").click();
        visitor.page().getByLabel("Password").fill(console.operator().password());
        visitor.button("Sign in").click();
        visitor.page().waitForCondition(() -> visitor.find("dialog").count() == 0);
        visitor.awaitText("main h1", "paused");
        visitor.awaitText("#live", "Live");
        console.drop("login");
    }

    @Test
    void back_after_the_end_of_a_session_asks_for_the_login() {
        visitor.login(console.viewer(), "failures");
        visitor.open("servers");
        visitor.page().context().clearCookies();
        visitor.page().navigate("about:blank");
        visitor.page().goBack();
        visitor.page().waitForSelector("form[action$='/login']");
    }

    /** The answer for the session of the page; without a role, it is a problem. */
    private String session() {
        return (String) visitor.page()
                .evaluate("fetch('/tasktube/api/v1/session', {headers: {Authorization: 'Foo x'}})"
                        + ".then(answer => answer.text())");
    }

    @Test
    void a_user_that_loses_a_role_or_is_removed_loses_the_rights_of_the_session_too() {
        console.freshTube("login", "fifottl");
        ConsoleUser leaver = ConsoleUser.random("leaver").addTo(console.server(), "tasktube-admin");
        console.server().cli("/system-property=tasktube.console.ask-roles-again:add(value=100)");
        try {
            visitor.login(leaver, "tubes/login");
            visitor.awaitText("main h2", "Definition");
            assertThat(visitor.find("[data-act]").count()).isPositive();

            leaver.change(console.server(), "tasktube-admin", "tasktube-viewer");
            Eventually.holds(() -> session().contains("[\"VIEW\"]"), () -> "the session of a viewer: " + session());
            visitor.open("tubes/login");
            visitor.awaitText("main h2", "Definition");
            assertThat(visitor.find("[data-act]").count()).isZero();

            leaver.removeFrom(console.server());
            visitor.page().waitForSelector("form[action$='/login']");
        } finally {
            console.server().cli("/system-property=tasktube.console.ask-roles-again:remove");
            console.drop("login");
        }
    }

    /** Returns the cookie of a login by the form; empty if the password was wrong. */
    private Optional<String> cookie(ConsoleUser user, String password) {
        HttpRequest form = HttpRequest.newBuilder(console.page("login"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString("user=" + user.name() + "&password=" + password))
                .build();
        return Rest.send(form).headers().allValues("Set-Cookie").stream()
                .map(cookie -> cookie.split(";", 2)[0])
                .filter(cookie -> cookie.length() > 40)
                .findFirst();
    }

    private int ask(String method, String cookie) {
        return Rest.send(HttpRequest.newBuilder(console.page("api/v1/session"))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .header("Cookie", cookie)
                        .build())
                .statusCode();
    }

    /** Each request reads the login and the roles again. */
    private void withoutPauses(ConsoleUser user, Runnable rule) {
        console.server().cli("/system-property=tasktube.console.ask-roles-again:add(value=0)");
        try {
            rule.run();
        } finally {
            console.server().cli("/system-property=tasktube.console.ask-roles-again:remove");
            user.removeFrom(console.server());
        }
    }

    @Test
    void a_logout_while_the_database_is_away_ends_the_login_for_good_and_a_login_of_that_time_holds() {
        ConsoleUser user = ConsoleUser.random("away").addTo(console.server(), "tasktube-viewer");
        withoutPauses(user, () -> logOutWhileAway(user));
    }

    private void logOutWhileAway(ConsoleUser user) {
        String ended = cookie(user, user.password()).orElseThrow();
        assertThat(ask("GET", ended)).isEqualTo(200);
        console.sql("ALTER TABLE tasktube_login RENAME TO tasktube_login_away");
        String held;
        try {
            assertThat(ask("GET", ended)).as("what the server knows holds").isEqualTo(200);
            assertThat(ask("DELETE", ended)).as("the row is there yet").isEqualTo(503);
            assertThat(ask("GET", ended)).isEqualTo(401);
            held = cookie(user, user.password()).orElseThrow();
            assertThat(ask("GET", held)).isEqualTo(200);
        } finally {
            console.sql("ALTER TABLE tasktube_login_away RENAME TO tasktube_login");
        }
        assertThat(ask("GET", held)).isEqualTo(200);
        assertThat(console.read("SELECT count(*) FROM tasktube_login WHERE who = '" + user.name() + "'"))
                .as("the one that holds")
                .isEqualTo("1");
        assertThat(ask("GET", ended)).isEqualTo(401);
        assertThat(ask("GET", "TASKTUBE_LOGIN=x; TASKTUBE_LOGIN=" + "A".repeat(43) + "; " + held))
                .as("cookies that others have set hide no login")
                .isEqualTo(200);
    }

    @Test
    void wrong_passwords_lock_a_user_also_beside_an_open_page_of_the_user() {
        ConsoleUser user = ConsoleUser.random("locked").addTo(console.server(), "tasktube-viewer");
        withoutPauses(user, () -> guess(user));
    }

    private void guess(ConsoleUser user) {
        String open = cookie(user, user.password()).orElseThrow();
        for (int i = 0; i < 12; i++) {
            assertThat(cookie(user, "wrong")).isEmpty();
            int unused = ask("GET", open);
        }
        assertThat(cookie(user, user.password())).as("locked").isEmpty();
    }

    @Test
    void a_right_password_of_a_script_ends_the_count_of_wrong_ones() {
        ConsoleUser user = ConsoleUser.random("forgiven").addTo(console.server(), "tasktube-viewer");
        withoutPauses(user, () -> {
            for (int i = 0; i < 12; i++) {
                assertThat(byPassword(new ConsoleUser(user.name(), "wrong"))).isEqualTo(401);
                assertThat(byPassword(user)).isEqualTo(200);
            }
            for (int i = 0; i < 10; i++) {
                assertThat(byPassword(new ConsoleUser(user.name(), "wrong"))).isEqualTo(401);
            }
            assertThat(byPassword(user)).as("locked").isEqualTo(401);
        });
    }

    private int byPassword(ConsoleUser user) {
        return console.rest(user).send("GET", "session", "").statusCode();
    }

    @Test
    void a_viewer_has_no_buttons_of_acts() {
        console.freshTube("login", "fifottl");
        String id = console.rest(console.admin()).putText("login", "x");
        visitor.login(console.viewer(), "tasks/login/" + id);
        visitor.awaitText("main", "This data is no JSON");
        assertThat(visitor.find("[data-act]").count()).isZero();

        visitor.open("tubes/login");
        visitor.awaitText("main h2", "Definition");
        assertThat(visitor.find("[data-act]").count()).isZero();
        console.drop("login");
    }
}
