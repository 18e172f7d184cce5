package org.tasktube.outbound;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionEvent;
import jakarta.resource.spi.ConnectionEventListener;
import jakarta.resource.spi.ConnectionManager;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.ManagedConnectionFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tasktube.AdapterState;
import org.tasktube.ConnectionException;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.node.Settings;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;
import org.tasktube.testing.LogLines;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What a container may do with managed connections and their handles. */
class ManagedConnectionTest {

    private final OpenConnections open = new OpenConnections();
    private HikariDataSource database;
    private AgroalDataSource pool;
    private RunningNode running;
    private Tube tube;

    @BeforeEach
    void start() {
        database = TestDatabase.H2.create();
        pool = Jta.pool(database);
        running = new RunningNode(
                pool,
                Jta.TRANSACTIONS,
                new Settings("test", 1 << 20, RunningNode.POLL, Duration.ofSeconds(30), Duration.ZERO));
        tube = running.newTube(new ClientConnection(), TubeDefinition.FIFO);
    }

    @AfterEach
    void stop() {
        running.close();
        pool.close();
        database.close();
    }

    private TubeManagedConnection managed() {
        return new TubeManagedConnection(running.node(), open);
    }

    private static TubeConnection handle(ManagedConnection managed) throws ResourceException {
        return (TubeConnection) managed.getConnection(null, null);
    }

    private Task take(TubeConnection connection) {
        return connection.tube(tube.name()).take(Duration.ZERO).orElseThrow();
    }

    private TaskState state(Task task) {
        return tube.peek(task.id()).orElseThrow().state();
    }

    // Handles

    @Test
    void a_handle_that_was_moved_is_independent_of_its_former_managed_connection() throws Exception {
        tube.put("a");
        TubeManagedConnection former = managed();
        TubeManagedConnection later = managed();
        Closes formerCloses = Closes.of(former);
        Closes laterCloses = Closes.of(later);
        TubeConnection handle = handle(former);
        Task task = take(handle);
        later.associateConnection(handle);
        former.cleanup();
        former.destroy();
        handle.tube(tube.name()).ack(task);
        handle.close();
        assertThat(formerCloses.handles).isEmpty();
        assertThat(laterCloses.handles).containsExactly(handle);
    }

    @Test
    void the_administration_works_after_its_connection_was_closed() throws Exception {
        TubeConnection connection = handle(managed());
        TaskAdmin admin = connection.unwrap(TaskAdmin.class);
        connection.close();
        assertThat(admin.tubeDetails())
                .extracting(each -> each.definition().name())
                .contains(tube.name());
        assertThatThrownBy(() -> connection.unwrap(TaskAdmin.class)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_cleanup_ends_the_sessions_of_all_handles_and_notifies_no_listener() throws Exception {
        tube.putAll(List.of("a", "b"), PutOptions.defaults());
        TubeManagedConnection managed = managed();
        Closes closes = Closes.of(managed);
        TubeConnection first = handle(managed);
        TubeConnection second = handle(managed);
        List<Task> tasks = List.of(take(first), take(second));
        managed.cleanup();
        for (TubeConnection ended : List.of(first, second)) {
            assertThatThrownBy(ended::tubes)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
            assertThat(ended.state()).isEqualTo(AdapterState.RUNNING);
            ended.close();
        }
        assertThat(tasks).extracting(this::state).containsOnly(TaskState.READY);
        assertThat(closes.handles).isEmpty();
    }

    @Test
    void after_a_cleanup_the_pool_gives_the_managed_connection_to_the_next() throws Exception {
        TubeManagedConnection managed = managed();
        TubeConnection first = handle(managed);
        managed.cleanup();
        TubeConnection second = handle(managed);
        first.close();
        assertThat(second.tubes()).hasSize(1);
    }

    @Test
    void a_cleanup_after_a_handle_was_moved_here_ends_it_here() throws Exception {
        TubeManagedConnection former = managed();
        TubeManagedConnection later = managed();
        TubeConnection moved = handle(former);
        later.associateConnection(moved);
        later.cleanup();
        assertThatThrownBy(moved::tubes).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_handle_that_is_closed_is_not_moved() throws Exception {
        TubeConnection closed = handle(managed());
        closed.close();
        TubeManagedConnection later = managed();
        assertThatThrownBy(() -> later.associateConnection(closed)).isInstanceOf(ResourceException.class);
        assertThatThrownBy(() -> later.associateConnection("no handle")).isInstanceOf(ResourceException.class);
    }

    @Test
    void a_managed_connection_that_was_destroyed_gives_no_handle() throws Exception {
        TubeManagedConnection destroyed = managed();
        TubeConnection handle = handle(destroyed);
        destroyed.destroy();
        assertThatThrownBy(handle::tubes).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> handle(destroyed)).isInstanceOf(ResourceException.class);
    }

    @Test
    void the_pool_is_notified_of_a_close_once() throws Exception {
        TubeManagedConnection managed = managed();
        Closes closes = Closes.of(managed);
        TubeConnection handle = handle(managed);
        handle.close();
        handle.close();
        assertThat(closes.handles).containsExactly(handle);
    }

    @Test
    void the_pool_gets_a_connection_back_that_is_closed_in_a_transaction_marked_for_rollback() throws Exception {
        tube.put("a");
        TubeManagedConnection managed = managed();
        Closes closes = Closes.of(managed);
        TubeConnection handle = handle(managed);
        Task task = take(handle);
        Jta.MANAGER.begin();
        Jta.MANAGER.setRollbackOnly();
        handle.close();
        assertThat(closes.handles).containsExactly(handle);
        Jta.MANAGER.rollback();
        Eventually.holds(() -> state(task) == TaskState.READY, "the release by the close");
    }

    // The factory

    @Test
    void a_pool_matches_connections_to_the_same_node_only() throws Exception {
        TubeManagedConnectionFactory factory = Adapter.factory(running.node());
        ManagedConnection ours = factory.createManagedConnection(null, null);
        assertThat(factory.matchManagedConnections(Set.of(ours), null, null)).isSameAs(ours);
        assertThat(factory.matchManagedConnections(Set.of("another's"), null, null))
                .isNull();
        HikariDataSource another = TestDatabase.H2.create();
        try (another;
                RunningNode startedAnew = new RunningNode(another)) {
            TubeManagedConnectionFactory later = Adapter.factory(startedAnew.node());
            assertThat(later.matchManagedConnections(Set.of(ours), null, null)).isNull();
        }
    }

    @Test
    void factories_of_one_adapter_are_equal() {
        Adapter adapter = new Adapter(running.node());
        TubeManagedConnectionFactory one = Adapter.factory(adapter);
        TubeManagedConnectionFactory other = Adapter.factory(adapter);
        assertThat(one).isEqualTo(other).hasSameHashCodeAs(other).isNotEqualTo(new TubeManagedConnectionFactory());
    }

    @Test
    void a_pool_that_is_used_up_is_an_error_that_names_where_connections_were_not_closed() {
        TubeManagedConnectionFactory factory = Adapter.factory(running.node());
        SmallPool used = new SmallPool(3);
        PooledConnectionFactory connections = new PooledConnectionFactory(factory, used);
        connections.getConnection().close();
        for (int i = 0; i < 3; i++) {
            leak(connections);
        }
        assertThatThrownBy(connections::getConnection)
                .isInstanceOf(ConnectionException.class)
                .hasMessageContaining("3 got at " + getClass().getName() + ".leak by "
                        + getClass().getName())
                .hasMessageContaining(
                        ".a_pool_that_is_used_up_is_an_error_that_names_where_connections_were_not_closed")
                .hasMessageContaining("close each connection where you get it")
                .hasMessageContaining("no connection is free");
    }

    @Test
    void a_connection_of_a_managed_one_that_was_used_before_is_named_by_its_class() throws Exception {
        TubeManagedConnectionFactory factory = Adapter.factory(running.node());
        ManagedConnection managed = factory.createManagedConnection(null, null);
        managed.addConnectionEventListener(new Closes(() -> {}));
        PooledConnectionFactory connections =
                new PooledConnectionFactory(factory, (of, info) -> managed.getConnection(null, info));
        connections.getConnection().close();
        leak(connections);
        assertThat(factory.describeOpenConnections())
                .startsWith("1 got at " + getClass().getName() + ", the oldest");
    }

    @Test
    void a_thread_whose_only_other_frame_is_hidden_gets_a_used_connection() throws Exception {
        TubeManagedConnectionFactory factory = Adapter.factory(running.node());
        ManagedConnection managed = factory.createManagedConnection(null, null);
        managed.addConnectionEventListener(new Closes(() -> {}));
        PooledConnectionFactory connections =
                new PooledConnectionFactory(factory, (of, info) -> managed.getConnection(null, info));
        connections.getConnection().close();
        assertThat(OriginTest.inHiddenThread(connections::getConnection)).isInstanceOf(TubeConnectionHandle.class);
    }

    @Test
    void connections_that_are_left_open_at_one_place_are_logged_once_per_minute() throws Exception {
        TubeManagedConnectionFactory factory = Adapter.factory(running.node());
        try (LogLines log = new LogLines("org.tasktube.outbound")) {
            for (int i = 0; i < 20; i++) {
                TubeManagedConnection managed = (TubeManagedConnection) factory.createManagedConnection(null, null);
                Object left = managed.getConnection(null, null);
                ((TubeConnectionHandle) left).setOrigin(Origin.callerOf(PooledConnectionFactory.class));
                managed.cleanup();
            }
            assertThat(log.of("TASKTUBE0130")).singleElement().asString().contains("0s ago");
        }
    }

    private static void leak(PooledConnectionFactory connections) {
        assertThat(connections.getConnection().state()).isEqualTo(AdapterState.RUNNING);
    }

    /** A pool of so many connections, as a container has it, without waiting. */
    private static final class SmallPool implements ConnectionManager {

        private static final long serialVersionUID = 1;

        private int free;

        SmallPool(int free) {
            this.free = free;
        }

        @Override
        public Object allocateConnection(ManagedConnectionFactory factory, ConnectionRequestInfo info)
                throws ResourceException {
            if (free == 0) {
                throw new ResourceException("no connection is free");
            }
            free--;
            ManagedConnection made = factory.createManagedConnection(null, info);
            made.addConnectionEventListener(new Closes(() -> free++));
            return made.getConnection(null, info);
        }
    }

    /** Records closes as a pool does. */
    private static final class Closes implements ConnectionEventListener {

        private final List<Object> handles = new ArrayList<>();
        private final Runnable onClose;

        Closes(Runnable onClose) {
            this.onClose = onClose;
        }

        static Closes of(ManagedConnection managed) {
            Closes closes = new Closes(() -> {});
            managed.addConnectionEventListener(closes);
            return closes;
        }

        @Override
        public void connectionClosed(ConnectionEvent event) {
            assertThat(event.getId()).isEqualTo(ConnectionEvent.CONNECTION_CLOSED);
            handles.add(event.getConnectionHandle());
            onClose.run();
        }

        @Override
        public void connectionErrorOccurred(ConnectionEvent event) {
            throw new AssertionError("no connection of TaskTube's breaks: it is an object in memory");
        }

        @Override
        public void localTransactionStarted(ConnectionEvent event) {
            throw new AssertionError("there are no local transactions");
        }

        @Override
        public void localTransactionCommitted(ConnectionEvent event) {
            throw new AssertionError("there are no local transactions");
        }

        @Override
        public void localTransactionRolledback(ConnectionEvent event) {
            throw new AssertionError("there are no local transactions");
        }
    }
}
