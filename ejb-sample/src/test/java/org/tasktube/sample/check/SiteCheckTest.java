package org.tasktube.sample.check;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.tasktube.sample.links.Address;
import org.tasktube.sample.store.Page;
import org.tasktube.sample.store.PageLinks;
import org.tasktube.sample.store.Site;
import org.tasktube.test.TubeKit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The check of a site by its beans, without a server. */
class SiteCheckTest {

    @RegisterExtension
    final TubeKit kit = new TubeKit(Site.class, Page.class, PageLinks.class);

    private final Map<String, String> site = new ConcurrentHashMap<>(
            Map.of("/", "<a href='/one'>1</a><a href='/two'>2</a>", "/one", "<a href='/two'>2</a>"));
    private HttpServer server;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String page = site.get(exchange.getRequestURI().getPath());
        byte[] body = page == null ? new byte[0] : page.getBytes(UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/html");
        exchange.sendResponseHeaders(page == null ? 503 : 200, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Test
    void a_check_ends_when_the_last_page_is_checked_or_given_up() {
        Fetcher fetcher = new Fetcher(Runnable::run, Duration.ofSeconds(30), 1000);
        PageChecker pages = kit.inject(new PageChecker(), fetcher);
        SiteChecker sites = kit.inject(new SiteChecker());
        LinkChecker checker = kit.inject(new LinkChecker());
        Address start = Address.start("http://localhost:" + server.getAddress().getPort());
        long check = kit.inTransaction(() -> checker.check(List.of(start)));

        assertThat(kit.deliver(sites)).isEqualTo(1);
        // The first page leads to the second, and that one to the third, whose host has trouble
        assertThatThrownBy(() -> kit.deliver(pages)).hasRootCauseInstanceOf(HostTroubleException.class);
        assertThat(kit.inTransaction(checker::progress).waiting()).isEqualTo(1);
        assertThat(kit.puts(Tubes.PAGES)).hasSize(1);

        site.put("/two", "at last");
        kit.advance(Duration.ofMinutes(1));
        assertThat(kit.deliver(pages)).isEqualTo(1);
        assertThat(kit.deliver(sites)).isEqualTo(1);
        assertThat(kit.inject(new Tubes()).await(check, Duration.ZERO))
                .hasValueSatisfying(progress -> assertThat(progress.done()).isEqualTo(3));
    }
}
