package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.OnConflict;
import org.tasktube.PutItem;
import org.tasktube.PutOptions;
import org.tasktube.TaskData;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskFilter;
import org.tasktube.admin.TaskPage;
import org.tasktube.admin.TubeChange;
import org.tasktube.admin.TubeDetail;
import org.tasktube.session.ClientConnection;
import org.tasktube.store.FieldIndex;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Outage;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A search by a declared field reads the index, and finds what a search of all tasks finds. */
@Timeout(120)
@Tag("large")
class SearchableFieldsTest {

    private static final int OTHERS = 60;

    abstract static class Rules {

        private static HikariDataSource database;
        private static Outage pool;
        private static RunningNode running;
        private final ClientConnection connection = new ClientConnection();
        private final TaskAdmin admin = running.node().admin(connection);

        static void start(TestDatabase kind) {
            database = kind.create();
            pool = new Outage(database);
            running = new RunningNode(pool.source(), "app-1");
        }

        @AfterAll
        static void stop() {
            running.close();
            database.close();
        }

        private Tube tube(String... searchable) {
            return running.node()
                    .createTube(
                            connection,
                            TubeDefinition.fifottl(RunningNode.newName()).searchable(searchable));
        }

        private static TaskData json(String text) {
            return TaskData.of(TaskData.JSON, text.getBytes(StandardCharsets.UTF_8));
        }

        private long put(Tube tube, String json) {
            return tube.put(json(json)).id();
        }

        private TaskPage page(String filter) {
            return admin.search(TaskFilter.parse(filter), Optional.empty(), 100);
        }

        private List<Long> find(Tube tube, String condition) {
            return page("tube:" + tube.name() + " " + condition).tasks().stream()
                    .map(task -> task.meta().id())
                    .toList();
        }

        /** The places of the tasks that fit, in the order of their puts. */
        private List<Integer> ordinals(Tube tube, String condition) {
            List<Long> all = find(tube, "").stream().sorted().toList();
            return find(tube, condition).stream().map(all::indexOf).sorted().toList();
        }

        private static long rows(Tube tube) {
            try {
                return new Sql(database)
                        .number("SELECT count(*) FROM tasktube_field WHERE index_id = (SELECT index_id FROM"
                                + " tasktube_tube WHERE name = '" + tube.name() + "')");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private static long rowsWithoutTube() {
            try {
                return new Sql(database)
                        .number("SELECT count(*) FROM tasktube_field WHERE index_id NOT IN"
                                + " (SELECT index_id FROM tasktube_tube)");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private void declare(Tube tube, String... fields) {
            admin.changeTube(tube.name(), TubeChange.NONE.searchable(fields));
        }

        private boolean isIndexing(Tube tube) {
            return admin.tubeDetails().stream()
                    .filter(detail -> detail.definition().name().equals(tube.name()))
                    .anyMatch(TubeDetail::indexing);
        }

        private void awaitIndex(Tube tube) {
            Eventually.holds(() -> !isIndexing(tube), "the index is complete");
        }

        private static void clean() {
            NodeParts parts = running.node().parts();
            while (parts.calls().call(() -> parts.access().store().tasks().cleanIndexes())) {
                // A round may take several calls
            }
        }

        @Test
        void a_search_by_a_declared_field_reads_only_the_tasks_that_have_the_value() {
            Tube tube = tube("customer.id", "order");
            List<Long> wanted = new ArrayList<>();
            for (int i = 0; i < OTHERS; i++) {
                put(tube, "{\"customer\":{\"id\":" + i + "},\"order\":\"o-" + i + "\"}");
                wanted.add(0, put(tube, "{\"order\":\"same\"}"));
            }
            TaskPage page = page("tube:" + tube.name() + " data.order:same");
            assertThat(page.tasks()).extracting(task -> task.meta().id()).containsExactlyElementsOf(wanted);
            assertThat(page.looked()).isEqualTo(OTHERS);
            assertThat(page("tube:" + tube.name() + " data.customer.id:7,8").looked())
                    .isEqualTo(2);
            assertThat(page("data.customer.id:7 data.order:o-7").tasks())
                    .as("in all tubes")
                    .hasSize(1);
            assertThat(find(tube, "data.order:o-*"))
                    .as("a pattern reads the tasks")
                    .hasSize(OTHERS);
            assertThat(find(tube, "-data.order:same")).hasSize(OTHERS);
            assertThat(find(tube, "data.order:same state:buried")).isEmpty();
        }

        @Test
        @Tag("full")
        void the_values_that_a_filter_takes_for_equal_are_found_by_the_index() {
            Tube tube = tube("v", "list.1", "\"a b\"");
            Tube plain = tube();
            List<String> values = List.of(
                    "5",
                    "5.0",
                    "\"5\"",
                    "\"5.0\"",
                    "50e-1",
                    "\"007\"",
                    "7",
                    "true",
                    "\"true\"",
                    "null",
                    "\"\"",
                    "\"a*b\"",
                    "\"*\"",
                    "\"ü\\u0000\"",
                    "{\"w\":5}",
                    "[5]",
                    "1e400",
                    "-0",
                    "0.00",
                    "123456789012345678901234567890",
                    "1.0e2147483647");
            for (String value : values) {
                for (Tube each : List.of(tube, plain)) {
                    put(each, "{\"v\":" + value + ",\"list\":[1," + value + "],\"a b\":" + value + "}");
                }
            }
            for (Tube each : List.of(tube, plain)) {
                each.put("{\"v\":5}");
                each.put(json("{\"v\":5"));
                each.put(json("{\"v\":4,\"v\":5}"));
            }
            for (String value : List.of(
                    "5",
                    "5.0",
                    "\"5\"",
                    "007",
                    "7",
                    "true",
                    "null",
                    "\"\"",
                    "a\\*b",
                    "\"\\\\*\"",
                    "ü",
                    "1e400",
                    "0",
                    "-0",
                    "4",
                    "123456789012345678901234567890",
                    "12345678901234567890123456789e1",
                    "none")) {
                for (String field : List.of("v", "list.1", "\"a b\"")) {
                    String condition = "data." + field + ":" + value;
                    assertThat(ordinals(tube, condition)).as(condition).isEqualTo(ordinals(plain, condition));
                }
            }
        }

        @Test
        void pages_have_each_task_once_and_end_with_another_declaration() {
            Tube tube = tube("order");
            Tube other = tube();
            List<Long> wanted = new ArrayList<>();
            for (int i = 0; i < OTHERS; i++) {
                wanted.add(put(i % 2 == 0 ? tube : other, "{\"order\":1}"));
            }
            String filter = "tube:" + tube.name() + "," + other.name() + " data.order:1";
            List<Long> found = new ArrayList<>();
            Optional<String> next = Optional.empty();
            do {
                TaskPage page = admin.search(TaskFilter.parse(filter), next, 7);
                page.tasks().forEach(task -> found.add(task.meta().id()));
                next = page.next();
            } while (next.isPresent());
            assertThat(found).containsExactlyInAnyOrderElementsOf(wanted);
            Optional<String> place =
                    admin.search(TaskFilter.parse(filter), Optional.empty(), 7).next();
            declare(tube);
            assertThatThrownBy(() -> admin.search(TaskFilter.parse(filter), place, 7))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("begin the search anew");
        }

        @Test
        void several_puts_at_once_a_unique_key_and_a_replacement_are_found() {
            Tube tube = tube("order");
            tube.putAll(IntStream.range(0, OTHERS)
                    .mapToObj(i -> PutItem.of(json("{\"order\":" + i + "}")))
                    .toList());
            assertThat(find(tube, "data.order:" + (OTHERS - 1))).hasSize(1);
            long id = tube.putUnique("k", json("{\"order\":\"old\"}"), PutOptions.defaults(), OnConflict.REPLACE)
                    .id();
            tube.putUnique("k", json("{\"order\":\"kept\"}"), PutOptions.defaults(), OnConflict.KEEP);
            assertThat(find(tube, "data.order:kept")).isEmpty();
            assertThat(find(tube, "data.order:old")).containsExactly(id);
            long before = rows(tube);
            for (int i = 0; i < 2; i++) {
                tube.putUnique("k", json("{\"order\":\"new\"}"), PutOptions.defaults(), OnConflict.REPLACE);
            }
            assertThat(find(tube, "data.order:old")).isEmpty();
            assertThat(find(tube, "data.order:new")).containsExactly(id);
            assertThat(rows(tube)).as("the row of the old value is gone").isEqualTo(before);
        }

        @Test
        void fields_that_are_declared_later_have_all_tasks_after_a_while_and_the_search_has_them_at_once()
                throws Exception {
            Tube tube = tube();
            List<Long> wanted = new ArrayList<>();
            for (int i = 0; i < OTHERS; i++) {
                wanted.add(0, put(tube, "{\"order\":1}"));
                put(tube, "{\"order\":2}");
            }
            assertThat(rows(tube)).as("without fields").isZero();
            declare(tube, " order ");
            assertThat(find(tube, "data.order:1")).containsExactlyInAnyOrderElementsOf(wanted);
            wanted.add(0, put(tube, "{\"order\":1}"));
            awaitIndex(tube);
            assertThat(find(tube, "data.order:1")).containsExactlyElementsOf(wanted);
            assertThat(page("tube:" + tube.name() + " data.order:1").looked()).isEqualTo(OTHERS + 1);
            assertThat(rows(tube)).isEqualTo(2 * OTHERS + 1);
            declare(tube, "order");
            assertThat(isIndexing(tube)).as("the same fields again").isFalse();
        }

        /** Its tasks are not there yet when the index is begun, and have no rows. */
        @Test
        void the_index_waits_for_a_transaction_that_has_put_before_the_declaration() throws Exception {
            Tube tube = tube();
            put(tube, "{\"order\":1}");
            try (Connection other = database.getConnection();
                    Statement statement = other.createStatement()) {
                other.setAutoCommit(false);
                statement.execute("INSERT INTO tasktube_task (id, tube_id, state, pri, ord, created_at, content_type,"
                        + " data) SELECT id + 1000000, tube_id, state, pri, ord + 1, created_at, content_type, data"
                        + " FROM tasktube_task WHERE tube_id = (SELECT id FROM tasktube_tube WHERE name = '"
                        + tube.name() + "')");
                declare(tube, "order");
                NodeParts parts = running.node().parts();
                for (int i = 0; i < 5; i++) {
                    parts.calls().call(() -> {
                        parts.indexes().run();
                        return null;
                    });
                }
                assertThat(isIndexing(tube)).isTrue();
                other.commit();
            }
            awaitIndex(tube);
            assertThat(find(tube, "data.order:1")).hasSize(2);
            assertThat(rows(tube)).isEqualTo(2);
            new Sql(database)
                    .execute("DELETE FROM tasktube_task WHERE id > 1000000 AND tube_id = (SELECT id FROM tasktube_tube"
                            + " WHERE name = '" + tube.name() + "')");
        }

        @Test
        void a_put_and_a_replacement_that_wait_for_a_connection_during_the_declaration_are_found() throws Exception {
            Tube tube = tube();
            tube.putUnique("k", json("{\"order\":0}"), PutOptions.defaults(), OnConflict.KEEP);
            CountDownLatch waiting = new CountDownLatch(2);
            CountDownLatch goOn = new CountDownLatch(1);
            Set<Thread> waiters = ConcurrentHashMap.newKeySet();
            pool.beforeConnect(() -> {
                if (waiters.remove(Thread.currentThread())) {
                    waiting.countDown();
                    Eventually.holds(() -> goOn.getCount() == 0, "the index is complete");
                }
            });
            TaskData data = json("{\"order\":1}");
            CompletableFuture<Void> put = CompletableFuture.runAsync(() -> {
                waiters.add(Thread.currentThread());
                tube.put(data);
            });
            CompletableFuture<Void> replacement = CompletableFuture.runAsync(() -> {
                waiters.add(Thread.currentThread());
                running.node()
                        .tube(new ClientConnection(), tube.name())
                        .putUnique("k", data, PutOptions.defaults(), OnConflict.REPLACE);
            });
            waiting.await();
            declare(tube, "order");
            awaitIndex(tube);
            goOn.countDown();
            put.get(1, TimeUnit.MINUTES);
            replacement.get(1, TimeUnit.MINUTES);
            pool.beforeConnect(() -> {});
            assertThat(ordinals(tube, "data.order:1")).containsExactly(0, 1);
        }

        @Test
        void the_rows_of_ended_tasks_of_dropped_tubes_and_of_former_fields_are_removed() {
            Tube ended = tube("order");
            Tube dropped = tube("order");
            Tube changed = tube("order");
            for (int i = 0; i < OTHERS; i++) {
                for (Tube tube : List.of(ended, dropped, changed)) {
                    put(tube, "{\"order\":1,\"other\":" + i + "}");
                }
            }
            clean();
            assertThat(rows(ended)).isEqualTo(OTHERS);
            for (int i = 0; i < OTHERS - 1; i++) {
                ended.ack(ended.take(Duration.ZERO).orElseThrow());
            }
            assertThat(find(ended, "data.order:1")).hasSize(1);
            dropped.drop();
            declare(changed, "other");
            awaitIndex(changed);
            clean();
            assertThat(rows(ended)).isEqualTo(1);
            assertThat(rowsWithoutTube()).isZero();
            assertThat(rows(changed)).isEqualTo(OTHERS);
            ended.drop();
            declare(changed);
            clean();
            assertThat(rowsWithoutTube()).isZero();
            assertThat(find(changed, "data.order:1")).hasSize(OTHERS);
        }

        @Test
        void data_that_ends_in_the_midst_of_an_array_or_an_object_has_no_value_and_ends_no_thread() {
            Tube tube = tube("v", "1");
            Tube plain = tube();
            for (String data :
                    List.of("{\"b\":[", "{\"b\":{", "{\"b\":[1,2", "{\"b\":{\"x\"", "{\"b\":[}", "[[", "[{},", "{")) {
                put(tube, data);
                put(plain, data);
            }
            assertThat(rows(tube)).isZero();
            for (Tube each : List.of(tube, plain)) {
                assertThat(find(each, "data.v:5")).isEmpty();
                assertThat(find(each, "data.1:5")).isEmpty();
            }
        }

        @Test
        void a_page_is_refused_when_another_tube_has_got_its_index_in_between() {
            Tube first = tube("order");
            Tube second = tube();
            for (int i = 0; i < 3; i++) {
                put(first, "{\"order\":1}");
                put(second, "{\"order\":1}");
            }
            TaskFilter filter = TaskFilter.parse("tube:" + first.name() + "," + second.name() + " data.order:1");
            Optional<String> next = admin.search(filter, Optional.empty(), 2).next();
            assertThat(admin.search(filter, next, 1).tasks()).hasSize(1);
            declare(second, "order");
            awaitIndex(second);
            assertThatThrownBy(() -> admin.search(filter, next, 2)).hasMessageContaining("begin the search anew");
        }

        /** Two replacements of one moment could leave it. */
        @Test
        void a_row_of_a_former_value_finds_nothing() throws Exception {
            Tube tube = tube("order");
            long id = put(tube, "{\"order\":\"c\"}");
            new Sql(database)
                    .execute("INSERT INTO tasktube_field (index_id, hash, task_id) SELECT index_id, "
                            + FieldIndex.hash("order", "b") + ", " + id + " FROM tasktube_tube WHERE name = '"
                            + tube.name() + "'");
            assertThat(find(tube, "data.order:a,b,c")).containsExactly(id);
            assertThat(find(tube, "data.order:b")).isEmpty();
        }

        @Test
        void a_row_that_is_there_already_keeps_no_replacement_from_its_end() throws Exception {
            Tube tube = tube("order");
            long id = tube.putUnique("k", json("{\"order\":1}"), PutOptions.defaults(), OnConflict.REPLACE)
                    .id();
            new Sql(database)
                    .execute("INSERT INTO tasktube_field (index_id, hash, task_id) SELECT index_id, "
                            + FieldIndex.hash("order", "2") + ", " + id + " FROM tasktube_tube WHERE name = '"
                            + tube.name() + "'");
            tube.putUnique("k", json("{\"order\":2}"), PutOptions.defaults(), OnConflict.REPLACE);
            assertThat(find(tube, "data.order:2")).containsExactly(id);
        }

        @Test
        void numbers_of_over_a_thousand_characters_are_texts_with_and_without_an_index() {
            Tube tube = tube("v");
            Tube plain = tube();
            String zeros = "0".repeat(1_100);
            for (Tube each : List.of(tube, plain)) {
                put(each, "{\"v\":1" + zeros + "}");
                put(each, "{\"v\":5." + zeros + "}");
                put(each, "{\"v\":5}");
            }
            for (String value : List.of("1e1100", "5", "5." + zeros, "1" + zeros)) {
                assertThat(ordinals(tube, "data.v:" + value)).as(value).isEqualTo(ordinals(plain, "data.v:" + value));
            }
            assertThat(ordinals(tube, "data.v:5")).containsExactly(2);
        }

        @Test
        void a_field_that_is_none_or_one_too_many_is_refused() {
            Tube tube = tube("order");
            assertThatThrownBy(() -> declare(tube, "a..b"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'a..b' is no field");
            assertThatThrownBy(() -> declare(tube, "\"a\nb\"")).hasMessageContaining("is no field");
            assertThatThrownBy(() -> declare(
                            tube, IntStream.range(0, 9).mapToObj(i -> "f" + i).toArray(String[]::new)))
                    .hasMessageContaining("at most 8");
            assertThatThrownBy(() -> TubeDefinition.fifo("memory").asTemporary().searchable("order"))
                    .hasMessageContaining("a temporary tube takes no searchable fields");
            assertThat(tube.definition().searchable()).containsExactly("order");
        }
    }

    @Nested
    class OnH2 extends Rules {

        @BeforeAll
        static void start() {
            Rules.start(TestDatabase.H2);
        }
    }

    @Nested
    class OnPostgreSql extends Rules {

        @BeforeAll
        static void start() {
            Rules.start(TestDatabase.POSTGRESQL);
        }
    }
}
