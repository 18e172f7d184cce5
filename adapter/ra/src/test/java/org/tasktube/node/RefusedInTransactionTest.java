package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.StoreException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.ConnectionSource;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A call that is refused before it changes anything leaves the transaction as it was. */
@Tag("full")
@Timeout(60)
class RefusedInTransactionTest {

    @ParameterizedTest
    @DatabaseSource
    void a_read_without_a_connection(TestDatabase kind) throws Exception {
        without(kind, tube -> tube.peek(1));
    }

    @ParameterizedTest
    @DatabaseSource
    void a_put_without_a_connection(TestDatabase kind) throws Exception {
        without(kind, tube -> tube.put("a"));
    }

    private static void without(TestDatabase kind, Consumer<Tube> call) throws Exception {
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database, 5);
                RunningNode running = new RunningNode(pool, Jta.TRANSACTIONS, "one")) {
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
            List<Connection> all = new ArrayList<>();
            try {
                while (true) {
                    all.add(pool.getConnection());
                }
            } catch (SQLException e) {
                assertThat(all).isNotEmpty();
            }
            Jta.MANAGER.begin();
            assertThatThrownBy(() -> call.accept(tube)).isInstanceOf(StoreException.class);
            boolean committed = Jta.commits();
            for (Connection each : all) {
                each.close();
            }
            assertThat(committed).as("the commit succeeds").isTrue();
        }
    }

    @Test
    void a_datasource_outside_jta() throws Exception {
        AtomicReference<DataSource> now = new AtomicReference<>();
        try (HikariDataSource database = TestDatabase.H2.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode running = new RunningNode(switching(now, pool), Jta.TRANSACTIONS, "one")) {
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
            now.set(database);
            Jta.MANAGER.begin();
            assertThatThrownBy(() -> tube.put("a")).hasMessageContaining("was not asked");
            assertThat(Jta.commits()).as("the commit succeeds").isTrue();
        }
    }

    /** The adapter does not start on a datasource outside JTA, but one may be changed while it runs. */
    private static DataSource switching(AtomicReference<DataSource> now, DataSource first) {
        now.set(first);
        return (ConnectionSource) () -> now.get().getConnection();
    }
}
