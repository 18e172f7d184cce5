package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import jakarta.json.spi.JsonProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.StoreException;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.store.Holder;
import org.tasktube.store.NewTask;
import org.tasktube.store.OrderKey;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.StoredTube;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The column of the headers: other programs can read it, and whatever is in it does no harm. */
class HeadersJsonTest {

    private static final String EURO = "\u20ac";

    private static OpenStore open(HikariDataSource database) throws StoreUnavailableException {
        return SqlStores.open(database, true, () -> {
            throw new AssertionError("the database counts as away");
        });
    }

    private static StoredTube tube(OpenStore open) {
        return open.registry().createTube(TubeDefinition.fifo("a"), false).orElseThrow();
    }

    private static NewTask task(Map<String, String> headers) {
        return TaskToPut.of("x").headers(headers).build();
    }

    @ParameterizedTest
    @EnumSource
    void the_column_is_json_in_the_order_of_put_and_null_for_none(TestDatabase kind) throws Exception {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("b", "\"\n" + EURO);
        headers.put("a", "");
        try (HikariDataSource database = kind.create();
                OpenStore open = open(database)) {
            StoredTube tube = tube(open);
            open.tasks().put(tube, List.of(task(headers), task(Map.of())));
            open.tasks().put(tube, List.of(task(Map.of())));
            Sql sql = new Sql(database);
            assertThat(sql.number("SELECT count(*) FROM tasktube_task WHERE headers = '{\"b\":\"\\\"\\n" + EURO
                            + "\",\"a\":\"\"}'"))
                    .isEqualTo(1);
            assertThat(sql.number("SELECT count(*) FROM tasktube_task WHERE headers IS NULL"))
                    .isEqualTo(2);
        }
    }

    @Test
    void postgresql_searches_the_column_as_json() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                OpenStore open = open(database)) {
            StoredTube tube = tube(open);
            open.tasks().put(tube, List.of(task(Map.of("a.b", "1\u0001\u001f")), task(Map.of("a.b", "2"))));
            assertThat(new Sql(database)
                            .number("SELECT count(*) FROM tasktube_task WHERE headers::jsonb ->> 'a.b' = '2'"))
                    .isEqualTo(1);
        }
    }

    @Test
    void a_character_that_the_encoding_lacks_fails_the_put_and_nothing_is_lost() throws Exception {
        try (HikariDataSource database = TestDatabase.createLatin1();
                OpenStore open = open(database)) {
            StoredTube tube = tube(open);
            TaskStore store = open.tasks();
            long before = store.put(tube, List.of(task(Map.of("a", "\u00fc")))).id();
            List<List<NewTask>> puts =
                    List.of(List.of(task(Map.of("a", EURO))), List.of(task(Map.of()), task(Map.of("a", EURO))));
            for (List<NewTask> put : puts) {
                assertThatThrownBy(() -> store.put(tube, put))
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("LATIN1")
                        .hasMessageContaining("encoding UTF8");
            }
            assertThatThrownBy(() -> store.replace(tube, before, TaskState.READY, task(Map.of("a", EURO))))
                    .isInstanceOf(StoreException.class);
            assertThat(store.reads().page(tube, TaskState.READY, 0, 9))
                    .singleElement()
                    .satisfies(task -> assertThat(task.headers()).isEqualTo(Map.of("a", "\u00fc")));
            assertThat(store.put(tube, List.of(task(Map.of("a", "b")))).ids()).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_column_that_another_program_has_written_fails_by_its_name(TestDatabase kind) throws Exception {
        Holder holder = new Holder(UUID.randomUUID(), 1);
        try (HikariDataSource database = kind.create();
                OpenStore open = open(database)) {
            StoredTube tube = tube(open);
            TaskStore store = open.tasks();
            long id = store.put(tube, List.of(task(Map.of("a", "b")))).id();
            for (String other : List.of("{", "[]", "{\"a\":1}", "")) {
                new Sql(database).execute("UPDATE tasktube_task SET headers = '" + other + "'");
                assertThatThrownBy(() -> store.reads().find(tube, id))
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("column headers");
            }
            assertThatThrownBy(() -> store.claim(tube, holder, OrderKey.START, 1))
                    .isInstanceOf(StoreException.class);
        }
    }

    /** The loader of an application that brings another provider of JSON Processing. */
    private static final class ApplicationLoader extends ClassLoader {

        private static final String SERVICE = "META-INF/services/" + JsonProvider.class.getName();

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            return name.equals(SERVICE)
                    ? Collections.enumeration(List.of(new URL(null, "text:provider", new TextHandler())))
                    : super.getResources(name);
        }
    }

    private static final class TextHandler extends URLStreamHandler {
        @Override
        protected URLConnection openConnection(URL url) {
            return new URLConnection(url) {
                @Override
                public void connect() {}

                @Override
                public InputStream getInputStream() {
                    return new ByteArrayInputStream("com.example.MissingProvider".getBytes(UTF_8));
                }
            };
        }
    }

    @Test
    void the_provider_is_the_servers_even_if_the_application_has_its_own() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        ClassLoader applications = new ApplicationLoader();
        thread.setContextClassLoader(applications);
        try {
            assertThatThrownBy(JsonProvider::provider).isInstanceOf(Throwable.class);
            assertThat(HeadersJson.provider()).isNotNull();
            assertThat(thread.getContextClassLoader()).isSameAs(applications);
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
