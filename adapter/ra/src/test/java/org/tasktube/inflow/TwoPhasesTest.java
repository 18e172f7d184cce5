package org.tasktube.inflow;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.narayana.NarayanaTransactionIntegration;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.XAConnection;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.xa.PGXADataSource;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.jca.Starter;
import org.tasktube.node.Settings;
import org.tasktube.ra.Containers;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.BoundedWorkManager;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.Proxies;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A put for an idle bean in a transaction with another resource, whose second phase does not reach the database: the
 * transaction manager says COMMITTED, and the put is only prepared.
 */
@Timeout(120)
class TwoPhasesTest {

    private static final AtomicBoolean FAILS = new AtomicBoolean();

    private final Queue<String> begun = new ConcurrentLinkedQueue<>();

    /** The driver, whose second phase can fail as if the connection were gone. */
    public static final class Faulty extends PGXADataSource {

        @Override
        public XAConnection getXAConnection() throws SQLException {
            return faulty(super.getXAConnection());
        }

        @Override
        public XAConnection getXAConnection(String user, String password) throws SQLException {
            return faulty(super.getXAConnection(user, password));
        }

        private static XAConnection faulty(XAConnection real) throws SQLException {
            XAResource resource = new Resource(Optional.of(real.getXAResource()));
            return Proxies.of(
                    XAConnection.class,
                    (method, arguments) -> method.getName().equals("getXAResource")
                            ? resource
                            : Proxies.call(real, method, arguments));
        }
    }

    /** A resource, or one that agrees with everything. Narayana would write a Serializable one, as proxies are. */
    private record Resource(Optional<XAResource> real) implements XAResource {

        private interface Call {
            void on(XAResource resource) throws XAException;
        }

        private void call(Call call) throws XAException {
            if (real.isPresent()) {
                call.on(real.get());
            }
        }

        @Override
        public void commit(Xid xid, boolean onePhase) throws XAException {
            if (real.isPresent() && !onePhase && FAILS.compareAndSet(true, false)) {
                throw new XAException(XAException.XAER_RMFAIL);
            }
            call(resource -> resource.commit(xid, onePhase));
        }

        @Override
        public void end(Xid xid, int flags) throws XAException {
            call(resource -> resource.end(xid, flags));
        }

        @Override
        public void forget(Xid xid) throws XAException {
            call(resource -> resource.forget(xid));
        }

        @Override
        public int getTransactionTimeout() {
            return 0;
        }

        @Override
        public boolean isSameRM(XAResource other) {
            return other == this;
        }

        @Override
        public int prepare(Xid xid) throws XAException {
            return real.isPresent() ? real.get().prepare(xid) : XA_OK;
        }

        @Override
        public Xid[] recover(int flag) {
            return new Xid[0];
        }

        @Override
        public void rollback(Xid xid) throws XAException {
            call(resource -> resource.rollback(xid));
        }

        @Override
        public boolean setTransactionTimeout(int seconds) {
            return false;
        }

        @Override
        public void start(Xid xid, int flags) throws XAException {
            call(resource -> resource.start(xid, flags));
        }
    }

    @ParameterizedTest
    @CsvSource({"true,true", "false,true", "true,false", "false,false"})
    void the_bean_gets_the_task_after_its_commit_and_once(boolean commits, boolean joinsFirst) throws Exception {
        try (HikariDataSource database = TestDatabase.POSTGRESQL.create();
                AgroalDataSource pool = pool(database);
                BoundedWorkManager threads = new BoundedWorkManager(30, 30);
                RunningNode running = new RunningNode(
                        pool,
                        Jta.TRANSACTIONS,
                        new Settings("one", 1 << 20, RunningNode.POLL, Duration.ofSeconds(10), Duration.ZERO))) {
            Activations activations =
                    new Activations(running.node(), new Starter(threads, Thread::new), Containers.refusing(t -> false));
            Tube tube = running.newTube(new ClientConnection(), TubeDefinition.FIFOTTL);
            TaskActivationSpec spec = new TaskActivationSpec();
            spec.setTube(tube.name());
            activations.start(new Bean(task -> begun.add(task.text())), spec);
            Eventually.holds(
                    () -> running.node()
                                    .find(tube.name())
                                    .orElseThrow()
                                    .takers()
                                    .asleep()
                            == 1,
                    "idle");
            Jta.MANAGER.begin();
            if (joinsFirst) {
                Jta.MANAGER.getTransaction().enlistResource(new Resource(Optional.empty()));
            }
            tube.put("in two phases");
            if (!joinsFirst) {
                Jta.MANAGER.getTransaction().enlistResource(new Resource(Optional.empty()));
            }
            FAILS.set(true);
            Jta.MANAGER.commit();
            tube.put("next");
            Eventually.holds(() -> begun.contains("next"), "the next is begun");
            assertThat(begun).containsExactly("next");
            recover(database, commits);
            if (commits) {
                Eventually.holds(() -> begun.contains("in two phases"), "it is begun");
            }
            tube.put("last");
            Eventually.holds(() -> begun.contains("last"), "the last is begun");
            assertThat(begun).hasSize(commits ? 3 : 2).doesNotHaveDuplicates();
            activations.stopAll();
        }
    }

    private static AgroalDataSource pool(HikariDataSource database) throws SQLException {
        return AgroalDataSource.from(
                new AgroalDataSourceConfigurationSupplier().connectionPoolConfiguration(pool -> pool.maxSize(30)
                        .acquisitionTimeout(Duration.ofSeconds(20))
                        .transactionIntegration(new NarayanaTransactionIntegration(Jta.MANAGER, Jta.REGISTRY))
                        .connectionFactoryConfiguration(factory -> factory.connectionProviderClass(Faulty.class)
                                .jdbcUrl(database.getJdbcUrl())
                                .principal(new NamePrincipal(database.getUsername())))));
    }

    private static void recover(HikariDataSource database, boolean commits) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement on = connection.createStatement();
                ResultSet prepared =
                        on.executeQuery("SELECT gid FROM pg_prepared_xacts WHERE database = current_database()")) {
            prepared.next();
            String name = prepared.getString(1);
            new Sql(database).execute((commits ? "COMMIT" : "ROLLBACK") + " PREPARED '" + name + "'");
        }
    }
}
