package org.tasktube.sample.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.itest.kit.ServerOptions;
import org.tasktube.itest.kit.WildFly;
import org.tasktube.sample.demo.LinkCheckerClient.Progress;
import org.tasktube.sample.demo.TestSite.Response;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The whole sample on a real server. */
@Timeout(300)
class LinkCheckerIT {

    private static final Path MODULE = Path.of("").toAbsolutePath();

    private static WildFly server;
    private static LinkCheckerClient checker;

    @BeforeAll
    static void start() throws IOException {
        // ports of its own, so that a demo can run beside it
        server = SampleServer.create(
                MODULE,
                MODULE.resolve("target/it"),
                ServerOptions.defaults().portOffset(11_000).shortLived());
        server.start();
        server.deploy(SampleServer.war(MODULE));
        checker = SampleServer.checker(server);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void clear() {
        checker.clear();
    }

    @Test
    void what_is_wrong_with_a_site_is_reported_with_where_it_stands() throws Exception {
        Map<String, Response> pages = Map.of(
                "/",
                Response.html("<a href='a.html'>a</a><a href='gone'>gone</a><a href='old'>old</a>"
                        + "<a href='http://127.0.0.33:9/'>not ours</a>"),
                "/a.html",
                Response.html("<a href='/'>home</a><img src='no.gif'><img src='yes.gif'><a href='/#part'>part</a>"),
                "/yes.gif",
                new Response(200, "image/gif", "", ""),
                "/old",
                Response.movedTo("/a.html"));
        try (TestSite site = new TestSite("127.0.0.31", path -> pages.getOrDefault(path, Response.status(404)))) {
            Progress end = check(site.url("/"));
            assertThat(end).isEqualTo(new Progress(6, 0, 0));
            assertThat(checker.get("report.txt")).contains("""
                              Missing images: 1
                                %1$s/no.gif (status 404)
                                  on %1$s/a.html
                              Broken links: 1
                                %1$s/gone (status 404)
                                  on %1$s/
                              Links to anchors that are not on the page: 1
                                %1$s/#part (no such anchor)
                                  on %1$s/a.html
                              Links to what has moved: 1
                                %1$s/old (status 301 to /a.html)
                                  on %1$s/
                            """.formatted(site.url("")));
            assertThat(checker.get("report.html")).contains(site.url("/no.gif"));
            assertThat(site.asked())
                    .containsExactlyInAnyOrder(
                            "GET /", "GET /a.html", "GET /gone", "GET /old", "HEAD /no.gif", "HEAD /yes.gif");
        }
    }

    @Test
    @Tag("full")
    void a_host_with_trouble_is_asked_again_and_given_up_in_the_end() throws Exception {
        Map<String, Integer> times = new ConcurrentHashMap<>();
        try (TestSite site = new TestSite("127.0.0.31", path -> {
            int time = times.merge(path, 1, Integer::sum);
            return switch (path) {
                case "/" -> Response.html("<a href='flaky'>flaky</a><a href='sick'>sick</a>");
                case "/flaky" -> time < 3 ? Response.status(503) : Response.html("well again");
                default -> Response.status(500);
            };
        })) {
            Progress end = check(site.url("/"));
            assertThat(end).isEqualTo(new Progress(2, 0, 1));
            assertThat(times).containsEntry("/flaky", 3).containsEntry("/sick", 4);
            assertThat(checker.get("report.txt"))
                    .contains(site.url("/sick") + " (given up: GET " + site.url("/sick")
                            + " was answered with status 500)");
        }
    }

    @Test
    @Tag("full")
    void pages_of_two_sites_that_link_to_each_other_are_checked_once_and_one_of_a_site_at_a_time() throws Exception {
        int pages = 100;
        AtomicReference<TestSite> other = new AtomicReference<>();
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (TestSite first = new TestSite("127.0.0.31", path -> {
                    most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                    String html = links("", path, pages) + links(other.get().url(""), path, pages);
                    atOnce.decrementAndGet();
                    return Response.html(html);
                });
                TestSite second = new TestSite(
                        "127.0.0.32",
                        path -> Response.html(links("", path, pages) + links(first.url(""), path, pages)))) {
            other.set(second);
            Progress end = checker.await(checker.check(List.of(first.url("/1"), second.url("/1"))));
            assertThat(end).isEqualTo(new Progress(pages + pages, 0, 0));
            assertThat(first.asked()).hasSizeBetween(pages, pages + pages / 10);
            assertThat(most).hasValue(1);
        }
    }

    @Test
    void the_result_of_a_check_is_kept() throws Exception {
        try (TestSite site = new TestSite("127.0.0.31", path -> Response.html(""))) {
            long check = checker.check(List.of(site.url("/")));
            Progress end = checker.await(check);
            assertThat(checker.await(check)).isEqualTo(end);
            checker.clear();
            assertThatThrownBy(() -> checker.await(check)).hasMessageContaining("404");
        }
    }

    @Test
    @Tag("full")
    void a_check_goes_on_by_itself_after_the_server_was_killed() throws Exception {
        int pages = 600;
        CountDownLatch half = new CountDownLatch(pages / 2);
        try (TestSite site = new TestSite("127.0.0.31", path -> {
            half.countDown();
            return Response.html(links("", path, pages));
        })) {
            long check = checker.check(List.of(site.url("/1")));
            half.await();
            server.kill();
            int asked = site.asked().size();
            server.start();
            Progress end = checker.await(check);
            assertThat(end).isEqualTo(new Progress(pages, 0, 0));
            assertThat(site.asked().stream().distinct()).hasSize(pages);
            // what was not committed is asked for again, and no more
            assertThat(site.asked().size()).isGreaterThan(asked).isLessThan(pages + asked);
        }
    }

    @Test
    @Tag("full")
    void a_check_goes_on_after_a_redeployment() throws Exception {
        int pages = 300;
        CountDownLatch half = new CountDownLatch(pages / 2);
        try (TestSite site = new TestSite("127.0.0.31", path -> {
            half.countDown();
            return Response.html(links("", path, pages));
        })) {
            long check = checker.check(List.of(site.url("/1")));
            half.await();
            server.redeploy("link-checker.war");
            assertThat(checker.await(check)).isEqualTo(new Progress(pages, 0, 0));
        }
    }

    @Test
    void what_is_no_address_is_refused() {
        assertThatThrownBy(() -> checker.check(List.of("index.html")))
                .hasMessageContaining("400")
                .hasMessageContaining("'index.html' is no address to start at");
        assertThatThrownBy(() -> checker.check(List.of())).hasMessageContaining("400");
        assertThat(checker.progress()).isEqualTo(new Progress(0, 0, 0));
    }

    private static Progress check(String url) {
        return checker.await(checker.check(List.of(url)));
    }

    /** Links to two pages further on, to the page before, and to ten that many pages link to. */
    private static String links(String site, String path, int pages) {
        int number = Integer.parseInt(path.substring(1));
        StringBuilder html = new StringBuilder();
        IntStream.concat(
                        IntStream.of(number * 2, number * 2 + 1, Math.max(1, number - 1)), IntStream.rangeClosed(1, 10))
                .filter(page -> page <= pages)
                .forEach(page -> html.append("<a href='")
                        .append(site)
                        .append('/')
                        .append(page)
                        .append("'>x</a>"));
        return html.toString();
    }
}
