package org.tasktube.store;

import com.zaxxer.hikari.HikariDataSource;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.TubeDefinition;
import org.tasktube.store.sql.OpenStore;
import org.tasktube.store.sql.SqlStores;
import org.tasktube.testing.OpenTransactions;
import org.tasktube.testing.TaskToPut;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Two adapters with a schema each in one PostgreSQL database do not wait for each other. */
@Timeout(60)
class TwoSchemasTest {

    private final Holder holder = new Holder(UUID.randomUUID(), 1);

    private HikariDataSource database;
    private HikariDataSource first;
    private HikariDataSource second;
    private OpenStore one;
    private OpenStore other;
    private OpenTransactions caller;

    @BeforeEach
    void open() throws Exception {
        TestDatabase kind = TestDatabase.POSTGRESQL;
        database = kind.createEmpty();
        first = kind.createSchema(database, "first");
        second = kind.createSchema(database, "second");
        one = SqlStores.open(first, true, () -> {});
        other = SqlStores.open(second, true, () -> {});
        caller = new OpenTransactions(first);
    }

    @AfterEach
    void close() throws Exception {
        caller.close();
        one.close();
        other.close();
        first.close();
        second.close();
        database.close();
    }

    private static StoredTube create(OpenStore store, TubeDefinition tube, boolean subQueues) {
        return store.registry().createTube(tube, subQueues).orElseThrow();
    }

    @Test
    void a_transaction_that_puts_into_a_tube_of_one_schema_holds_up_no_drop_in_another() throws Exception {
        StoredTube here = create(one, TubeDefinition.fifo("a"), false);
        StoredTube there = create(other, TubeDefinition.fifo("b"), false);
        caller.begin();
        caller.store().put(here, List.of(TaskToPut.of("x").build()));
        other.registry().dropTube(there);
        assertThat(other.registry().tubes()).isEmpty();
    }

    @Test
    void a_transaction_that_drops_a_tube_of_one_schema_holds_up_no_put_and_no_take_in_another() throws Exception {
        StoredTube here = create(one, TubeDefinition.utube("a"), true);
        StoredTube there = create(other, TubeDefinition.utube("b"), true);
        NewTask task = TaskToPut.of("x").utube("u").build();
        assertThat(other.tasks().put(there, List.of(task)).outcome()).isEqualTo(Put.Outcome.DONE);
        caller.begin();
        caller.registry().dropTube(here);
        assertThat(other.tasks().claim(there, holder, OrderKey.START, 1)).hasSize(1);
        assertThat(other.tasks().put(there, List.of(task)).outcome()).isEqualTo(Put.Outcome.DONE);
    }
}
