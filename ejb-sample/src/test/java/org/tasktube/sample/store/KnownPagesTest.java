package org.tasktube.sample.store;

import java.sql.Connection;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.sample.store.Database.Tables;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class KnownPagesTest {

    private static final OffsetDateTime NOW = OffsetDateTime.parse("2026-11-21T12:00:00Z");
    private static final List<String> THREE = List.of("http://h/c", "http://h/a", "http://h/b");

    @ParameterizedTest
    @EnumSource
    void a_page_is_new_once(Database database) throws Exception {
        try (Tables tables = database.newTables();
                Connection connection = tables.begin()) {
            KnownPages pages = new KnownPages(connection);
            assertThat(pages.add(THREE, NOW)).containsExactlyInAnyOrderElementsOf(THREE);
            assertThat(pages.add(List.of("http://h/a", "http://h/d"), NOW)).containsExactly("http://h/d");
            assertThat(pages.add(THREE, NOW)).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_site_is_added_once(Database database) throws Exception {
        try (Tables tables = database.newTables();
                Connection connection = tables.begin()) {
            new KnownPages(connection).addSites(List.of("http://h", "http://g", "http://h"));
            new KnownPages(connection).addSites(List.of("http://h"));
            connection.commit();
            assertThat(tables.entities()
                            .createEntityManager()
                            .createQuery("select s.site from Site s order by s.site", String.class)
                            .getResultList())
                    .containsExactly("http://g", "http://h");
        }
    }

    @ParameterizedTest
    @EnumSource
    void what_was_rolled_back_is_new_again(Database database) throws Exception {
        try (Tables tables = database.newTables();
                Connection connection = tables.begin()) {
            new KnownPages(connection).add(THREE, NOW);
            connection.rollback();
            assertThat(new KnownPages(connection).add(THREE, NOW)).hasSize(3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void of_two_that_find_a_page_at_once_the_second_waits_and_goes_on(Database database) throws Exception {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (Tables tables = database.newTables();
                Connection first = tables.begin();
                Connection second = tables.begin()) {
            new KnownPages(first).add(List.of("http://h/a"), NOW);
            Future<List<String>> added =
                    threads.submit(() -> new KnownPages(second).add(List.of("http://h/a", "http://h/b"), NOW));
            first.commit();
            assertThat(added.get()).containsExactly("http://h/b");
            second.commit();
        } finally {
            threads.shutdownNow();
        }
    }

    /** Each transaction adds many links that the others add too, in any order, and commits or rolls back. */
    @ParameterizedTest
    @EnumSource
    void many_that_find_the_same_pages_add_each_once_and_none_fails(Database database) throws Exception {
        int beans = 8;
        List<String> urls =
                IntStream.range(0, 3000).mapToObj(i -> "http://h/" + i).toList();
        ExecutorService threads = Executors.newFixedThreadPool(beans);
        try (Tables tables = database.newTables()) {
            CyclicBarrier start = new CyclicBarrier(beans);
            List<Callable<List<String>>> work = new ArrayList<>();
            for (int i = 0; i < beans; i++) {
                Random random = new Random(i);
                work.add(() -> {
                    start.await();
                    return addInRounds(tables, urls, random);
                });
            }
            List<String> added = new ArrayList<>();
            for (Future<List<String>> bean : threads.invokeAll(work)) {
                added.addAll(bean.get());
            }
            assertThat(added).doesNotHaveDuplicates();
            try (Connection connection = tables.begin()) {
                added.addAll(new KnownPages(connection).add(urls, NOW));
            }
            assertThat(added).containsExactlyInAnyOrderElementsOf(urls);
        } finally {
            threads.shutdownNow();
        }
    }

    private static List<String> addInRounds(Tables tables, List<String> urls, Random random) throws Exception {
        List<String> committed = new ArrayList<>();
        try (Connection connection = tables.begin()) {
            for (int round = 0; round < 300; round++) {
                List<String> some = new ArrayList<>(urls);
                Collections.shuffle(some, random);
                List<String> added = new KnownPages(connection).add(some.subList(0, 30), NOW);
                if (random.nextInt(4) == 0) {
                    connection.rollback();
                } else {
                    connection.commit();
                    committed.addAll(added);
                }
            }
        }
        return committed;
    }
}
