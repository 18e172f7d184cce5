package org.tasktube.store.sql;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.tasktube.testing.ConnectionSource;
import org.tasktube.testing.Proxies;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** A connection that the adapter kept for itself comes back to the pool as it was. */
class OwnConnectionTest {

    @Test
    void a_connection_is_returned_with_the_limit_that_it_had() throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                Connection physical =
                        DriverManager.getConnection(database.getJdbcUrl(), database.getUsername(), null)) {
            physical.setNetworkTimeout(Runnable::run, 30_000);
            try (OwnConnection own = new OwnConnection(poolOf(physical), Duration.ofSeconds(2))) {
                assertThat(own.<Integer>lend(Connection::getNetworkTimeout)).isEqualTo(2_000);
            }
            assertThat(physical.getNetworkTimeout()).isEqualTo(30_000);
        }
    }

    /** As WildFly's: what was set on a connection stays set when it is returned. */
    private static DataSource poolOf(Connection physical) {
        return (ConnectionSource) () -> Proxies.leftOpen(physical);
    }
}
