package org.tasktube.itest.trouble;

import java.io.IOException;
import java.net.CookieManager;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.app.Eventually;
import org.tasktube.itest.kit.WildFly;

import static org.assertj.core.api.Assertions.assertThat;

/** The recipe of docs/console.md for a provider of OpenID Connect: users log in there, with roles from their tokens. */
@Tag("full")
class ConsoleByProviderIT {

    private static final Path DIRECTORY = Servers.directory("console-by-provider");
    private static final Path PAGE = Path.of("../../docs/console.md");
    private static final OidcProvider PROVIDER = new OidcProvider();

    private static final int FOUND = 302;
    private static final int MOST_REDIRECTS = 10;

    private static WildFly server;

    @BeforeAll
    static void start() {
        PROVIDER.user("nobody");
        server = Servers.onH2File(DIRECTORY);
        server.cli(recipe());
        server.start();
        String token = PROVIDER.accessToken("robot", List.of("tasktube-viewer"));
        Eventually.holds(() -> session(token).body().contains("RUNNING"), "the adapter runs");
    }

    /** The lines of the page, with the address and the secret of this provider. */
    private static String[] recipe() {
        try (Stream<String> lines = Files.lines(PAGE)) {
            return lines.filter(line -> line.startsWith("/subsystem=elytron-oidc-client/")
                            || line.startsWith("/system-property=tasktube.console.login:"))
                    .map(line -> line.replace("https://login.example.org/realms/staff", PROVIDER.url())
                            .replace("a secret of the provider", OidcProvider.SECRET))
                    .toArray(String[]::new);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterAll
    static void stop() {
        server.close();
        PROVIDER.close();
    }

    private static HttpClient browser() {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .cookieHandler(new CookieManager())
                .build();
    }

    private static HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(server.console(path)).timeout(Duration.ofMinutes(1));
    }

    /** Follows redirects, of which the client itself follows five. */
    private static HttpResponse<String> send(HttpClient client, HttpRequest.Builder request) {
        HttpResponse<String> answer = sendOnce(client, request.build());
        for (int i = 0; i < MOST_REDIRECTS && answer.statusCode() == FOUND; i++) {
            String to = answer.headers().firstValue("Location").orElseThrow();
            answer = sendOnce(
                    client, HttpRequest.newBuilder(answer.uri().resolve(to)).build());
        }
        return answer;
    }

    private static HttpResponse<String> sendOnce(HttpClient client, HttpRequest request) {
        try {
            return client.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static HttpResponse<String> session(String token) {
        return send(browser(), request("api/v1/session").header("Authorization", "Bearer " + token));
    }

    @Test
    void a_page_leads_over_the_provider_back_to_itself_with_the_roles_of_the_token() {
        PROVIDER.user("anna", "tasktube-viewer", "tasktube-operator:orders");
        HttpClient browser = browser();
        HttpResponse<String> page = send(browser, request("tasks?filter=state:buried"));
        assertThat(page.statusCode()).as(page.body()).isEqualTo(200);
        assertThat(page.body()).contains("js/main.js");
        assertThat(page.uri().toString()).contains("filter=state").doesNotContain("code=");
        HttpResponse<String> session = send(browser, request("api/v1/session"));
        assertThat(session.body()).contains("\"user\":\"anna\"", "\"byProvider\":true", "\"rights\":[\"VIEW\"]");
        assertThat(send(browser, request("login")).body()).contains("You are signed in");
        HttpResponse<String> refused = send(
                browser,
                request("api/v1/tubes/other/pause")
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString("{\"reason\":\"x\"}")));
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);

        assertThat(send(browser, request("api/v1/session").DELETE()).statusCode())
                .isEqualTo(204);
        assertThat(send(browser, request("api/v1/session")).statusCode()).isEqualTo(401);
    }

    @Test
    void a_user_without_a_role_sees_nothing_and_a_password_opens_nothing() {
        PROVIDER.user("guest", "other");
        HttpClient browser = browser();
        assertThat(send(browser, request("")).statusCode()).isEqualTo(403);
        assertThat(send(browser, request("api/v1/session")).statusCode()).isEqualTo(403);
        HttpResponse<String> form = send(
                browser(),
                request("login")
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(BodyPublishers.ofString("user=admin&password=admin")));
        assertThat(form.statusCode()).isEqualTo(405);
        assertThat(send(browser(), request("api/v1/session")).statusCode()).isEqualTo(401);
    }

    @Test
    void a_script_sends_a_token_and_a_wrong_one_opens_nothing() {
        assertThat(session(PROVIDER.accessToken("robot", List.of("tasktube-operator")))
                        .body())
                .contains("\"user\":\"robot\"", "OPERATE");
        try (OidcProvider other = new OidcProvider()) {
            HttpResponse<String> refused = session(other.accessToken("robot", List.of("tasktube-admin")));
            assertThat(refused.statusCode()).isEqualTo(401);
        }
        String ofAnother = PROVIDER.accessToken("another", "robot", List.of("tasktube-admin"));
        assertThat(session(ofAnother).statusCode())
                .as("meant for another client")
                .isEqualTo(401);
        assertThat(session("nonsense").statusCode()).isEqualTo(401);
    }
}
