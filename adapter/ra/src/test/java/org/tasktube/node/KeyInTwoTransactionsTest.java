package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import jakarta.transaction.Transaction;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tasktube.OnConflict;
import org.tasktube.PutOptions;
import org.tasktube.StoreException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Jta;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A unique key that a bean of REQUIRES_NEW puts while its caller's transaction has put it: neither can end first. */
class KeyInTwoTransactionsTest {

    @ParameterizedTest
    @EnumSource
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void a_put_waits_for_the_outer_transaction_for_seconds_and_says_so(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode running = new RunningNode(pool, Jta.TRANSACTIONS, "one")) {
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
            Jta.MANAGER.begin();
            tube.putUnique("key", "outer", PutOptions.defaults(), OnConflict.KEEP);
            Transaction outer = Jta.MANAGER.suspend();
            Jta.MANAGER.begin();
            assertThatThrownBy(() -> tube.putUnique("key", "inner", PutOptions.defaults(), OnConflict.KEEP))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("unique key 'key'")
                    .hasMessageContaining("REQUIRES_NEW");
            Jta.MANAGER.rollback();
            Jta.MANAGER.resume(outer);
            Jta.MANAGER.commit();
            assertThat(tube.statistics().ready()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void a_put_that_finds_its_key_takes_no_slot_from_others(TestDatabase kind) throws Exception {
        try (HikariDataSource database = kind.create();
                AgroalDataSource pool = Jta.pool(database);
                RunningNode running = new RunningNode(pool, Jta.TRANSACTIONS, "one")) {
            Tube tube = running.node()
                    .createTube(new ClientConnection(), TubeDefinition.limfifottl(RunningNode.newName(), 2));
            tube.putUnique("key", "there", PutOptions.defaults(), OnConflict.KEEP);
            Jta.MANAGER.begin();
            tube.putUnique("key", "again", PutOptions.defaults(), OnConflict.KEEP);
            Transaction open = Jta.MANAGER.suspend();
            assertThat(tube.put("another").text()).isEqualTo("another");
            Jta.MANAGER.resume(open);
            Jta.MANAGER.rollback();
        }
    }
}
