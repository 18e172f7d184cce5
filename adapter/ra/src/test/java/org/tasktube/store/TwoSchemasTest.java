package org.tasktube.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.TubeDefinition;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.testing.OpenTransactions;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Two adapters with a schema each in one database do not wait for each other. */
@Timeout(60)
class TwoSchemasTest {

    private final Holder holder = new Holder(UUID.randomUUID(), 1);

    private static HikariDataSource in(String schema, TestDatabase kind, HikariDataSource database) throws Exception {
        String name = kind == TestDatabase.H2 ? schema.toUpperCase(Locale.ROOT) : schema;
        new Sql(database).execute("CREATE SCHEMA " + name);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.getJdbcUrl());
        config.setUsername(database.getUsername());
        config.setSchema(name);
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }

    private static OpenStore open(HikariDataSource database) throws StoreUnavailableException {
        return SqlStores.open(database, true, () -> {});
    }

    @Test
    void a_transaction_that_puts_into_a_tube_of_one_schema_holds_up_no_drop_in_another() throws Exception {
        TestDatabase kind = TestDatabase.POSTGRESQL;
        try (HikariDataSource database = kind.create();
                HikariDataSource first = in("first", kind, database);
                HikariDataSource second = in("second", kind, database);
                OpenStore one = open(first);
                OpenStore other = open(second);
                OpenTransactions caller = new OpenTransactions(first)) {
            StoredTube here =
                    one.registry().createTube(TubeDefinition.fifo("a"), false).orElseThrow();
            StoredTube there =
                    other.registry().createTube(TubeDefinition.fifo("b"), false).orElseThrow();
            caller.begin();
            caller.store().put(here, List.of(TaskToPut.of("x").build()));
            other.registry().dropTube(there);
            assertThat(other.registry().tubes()).isEmpty();
        }
    }

    @Test
    void a_transaction_that_drops_a_tube_of_one_schema_holds_up_no_put_and_no_take_in_another() throws Exception {
        TestDatabase kind = TestDatabase.POSTGRESQL;
        try (HikariDataSource database = kind.create();
                HikariDataSource first = in("first", kind, database);
                HikariDataSource second = in("second", kind, database);
                OpenStore one = open(first);
                OpenStore other = open(second);
                OpenTransactions caller = new OpenTransactions(first)) {
            StoredTube here =
                    one.registry().createTube(TubeDefinition.utube("a"), true).orElseThrow();
            StoredTube there =
                    other.registry().createTube(TubeDefinition.utube("b"), true).orElseThrow();
            NewTask task = TaskToPut.of("x").utube("u").build();
            assertThat(other.tasks().put(there, List.of(task)).outcome()).isEqualTo(Put.Outcome.DONE);
            caller.begin();
            caller.registry().dropTube(here);
            assertThat(other.tasks().claim(there, holder, OrderKey.START, 1)).hasSize(1);
            assertThat(other.tasks().put(there, List.of(task)).outcome()).isEqualTo(Put.Outcome.DONE);
        }
    }
}
