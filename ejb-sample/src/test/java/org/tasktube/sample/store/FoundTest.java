package org.tasktube.sample.store;

import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.sample.links.Address;
import org.tasktube.sample.links.Contents;
import org.tasktube.sample.links.Link;
import org.tasktube.sample.links.LinkKind;
import org.tasktube.sample.store.Database.Tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

class FoundTest {

    private static final Instant QUEUED = Instant.parse("2026-11-21T12:00:00Z");
    private static final Link LINK = new Link(LinkKind.PAGE, "http://g/b", "part");

    @ParameterizedTest
    @EnumSource
    void an_empty_database_has_nothing(Database database) {
        withPages(database, Map.of(), found -> {
            assertThat(found.totals()).isEqualTo(new Totals(0, 0, null, null));
            assertThat(found.totals().perSecond()).isZero();
            assertThat(found.sites()).isEmpty();
            assertThat(found.refused()).isEmpty();
        });
    }

    @ParameterizedTest
    @EnumSource
    void pages_are_counted(Database database) {
        withPages(database, visits(), found -> {
            assertThat(found.totals().known()).isEqualTo(5);
            assertThat(found.totals().checked()).isEqualTo(4);
            assertThat(found.totals().first()).isEqualTo(QUEUED);
            assertThat(found.sites())
                    .containsExactly(
                            new SiteTotals("http://g", 1, 0, 0, 100), new SiteTotals("http://h", 1, 2, 2, 300));
        });
    }

    @ParameterizedTest
    @EnumSource
    void the_slowest_come_first(Database database) {
        withPages(database, visits(), found -> {
            assertThat(found.slowest("http://h", 2))
                    .extracting(Page::url)
                    .containsExactly("http://h/x.gif", "http://h/a");
            assertThat(found.slowest("http://h", 1)).extracting(Page::millis).containsExactly(900L);
        });
    }

    @ParameterizedTest
    @EnumSource
    void what_is_missing_or_moved_is_refused(Database database) {
        withPages(database, visits(), found -> assertThat(found.refused())
                .extracting(Page::url, Page::status, Page::location)
                .containsExactly(
                        tuple("http://h/old", 301, Optional.of("http://g/b")),
                        tuple("http://h/x.gif", 404, Optional.empty())));
    }

    @ParameterizedTest
    @EnumSource
    void links_and_anchors_are_handed_on_page_by_page(Database database) {
        withPages(database, visits(), found -> {
            Map<String, List<Link>> links = new HashMap<>();
            found.forEachLinks(links::put);
            assertThat(links).containsOnlyKeys("http://h/a", "http://h/old").containsEntry("http://h/a", List.of(LINK));
            Map<String, Set<String>> anchors = new HashMap<>();
            found.forEachAnchors(anchors::put);
            assertThat(anchors)
                    .containsOnly(Map.entry("http://h/a", Set.of()), Map.entry("http://g/b", Set.of("one", "zwölf")));
        });
    }

    @ParameterizedTest
    @EnumSource
    void text_that_a_database_does_not_take_is_cleaned(Database database) {
        Contents nasty = new Contents("a\0b\n\tc" + "x".repeat(500), List.of(), Set.of());
        try (Tables tables = database.newTables()) {
            queue(tables, List.of("http://h/a"));
            inTransaction(tables, entities -> new Pages(entities)
                    .visited(Address.start("http://h/a"), html(200, Optional.of("\0"), 1, 1), nasty));
            inTransaction(tables, entities -> assertThat(
                            new Found(entities).slowest("http://h", 1).get(0).title())
                    .startsWith("a b cx")
                    .hasSize(300));
        }
    }

    @ParameterizedTest
    @EnumSource
    void an_unknown_page_is_not_written(Database database) {
        try (Tables tables = database.newTables()) {
            inTransaction(tables, entities -> assertThat(new Pages(entities)
                            .visited(Address.start("http://h/a"), html(200, Optional.empty(), 1, 1), Contents.NONE))
                    .isFalse());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_page_is_visited_once(Database database) {
        try (Tables tables = database.newTables()) {
            queue(tables, List.of("http://h/a"));
            for (boolean first : List.of(true, false)) {
                inTransaction(tables, entities -> assertThat(new Pages(entities)
                                .visited(Address.start("http://h/a"), html(200, Optional.empty(), 1, 1), Contents.NONE))
                        .isEqualTo(first));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_was_added_is_known_also_before_the_commit(Database database) {
        try (Tables tables = database.newTables()) {
            queue(tables, List.of("http://h/a"));
            inTransaction(tables, entities -> {
                Pages pages = new Pages(entities);
                pages.add(List.of("http://h/b"), QUEUED);
                assertThat(pages.known(Set.of("http://h/a", "http://h/b", "http://h/c")))
                        .containsExactlyInAnyOrder("http://h/a", "http://h/b");
                assertThat(pages.known(Set.of())).isEmpty();
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_site_is_added_once(Database database) {
        try (Tables tables = database.newTables()) {
            for (int i = 0; i < 2; i++) {
                inTransaction(
                        tables, entities -> new Pages(entities).addSites(List.of("http://h", "http://g", "http://h")));
            }
            inTransaction(tables, entities -> assertThat(new Pages(entities).sites())
                    .containsExactlyInAnyOrder("http://g", "http://h"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void clear_forgets_all(Database database) {
        try (Tables tables = database.newTables()) {
            queue(tables, List.of("http://h/a"));
            inTransaction(tables, entities -> new Pages(entities).clear());
            inTransaction(tables, entities -> {
                assertThat(new Found(entities).totals().known()).isZero();
                assertThat(new Pages(entities).sites()).isEmpty();
            });
        }
    }

    private record Finding(Visit visit, Contents contents) {}

    private static Map<String, Finding> visits() {
        return Map.of(
                "http://h/a",
                new Finding(html(200, Optional.empty(), 300, 20), new Contents("A", List.of(LINK), Set.of())),
                "http://g/b",
                new Finding(html(200, Optional.empty(), 100, 10), new Contents("B", List.of(), Set.of("one", "zwölf"))),
                "http://h/old",
                new Finding(
                        file(301, Optional.of("http://g/b"), 10),
                        new Contents("", List.of(new Link(LinkKind.PAGE, "http://g/b", "")), Set.of())),
                "http://h/x.gif",
                new Finding(file(404, Optional.empty(), 900), Contents.NONE));
    }

    private static Visit html(int status, Optional<String> location, int bytes, int millis) {
        return new Visit(status, "text/html", true, location, bytes, Duration.ofMillis(millis));
    }

    private static Visit file(int status, Optional<String> location, int millis) {
        return new Visit(status, "image/gif", false, location, 0, Duration.ofMillis(millis));
    }

    private static void withPages(Database database, Map<String, Finding> findings, Consumer<Found> test) {
        try (Tables tables = database.newTables()) {
            if (!findings.isEmpty()) {
                List<String> urls = new ArrayList<>(findings.keySet());
                urls.add("http://h/waiting");
                queue(tables, urls);
            }
            inTransaction(
                    tables,
                    entities -> findings.forEach((url, finding) -> assertThat(new Pages(entities)
                                    .visited(Address.start(url), finding.visit(), finding.contents()))
                            .isTrue()));
            inTransaction(tables, entities -> test.accept(new Found(entities)));
        }
    }

    private static void queue(Tables tables, List<String> urls) {
        inTransaction(tables, entities -> {
            Pages pages = new Pages(entities);
            pages.addSites(urls.stream().map(url -> Address.start(url).site()).toList());
            pages.add(urls, QUEUED);
        });
    }

    private static void inTransaction(Tables tables, Consumer<EntityManager> work) {
        try (EntityManager entities = tables.entities().createEntityManager()) {
            entities.getTransaction().begin();
            work.accept(entities);
            entities.getTransaction().commit();
        }
    }
}
