package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.StoreException;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** After three heartbeats that failed the store is opened anew, and a read during that finds the former one closed. */
class ClosedStoreTest {

    @ParameterizedTest
    @EnumSource
    void a_read_from_a_closed_store_fails_as_any_failure_of_the_database(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create()) {
            OpenStore store = SqlStores.open(database, true, () -> {});
            store.close();
            assertThatThrownBy(() -> store.registry().tube("t")).isInstanceOf(StoreException.class);
        }
    }
}
