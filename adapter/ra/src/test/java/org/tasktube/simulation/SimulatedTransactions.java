package org.tasktube.simulation;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.tasktube.TransactionNotActiveException;
import org.tasktube.store.Effects;
import org.tasktube.store.Transactions;
import org.tasktube.testing.ConnectionSource;
import org.tasktube.testing.Proxies;

/** The transactions of a server, as its transaction manager and its pool have them: one per thread. */
final class SimulatedTransactions implements Transactions {

    private static final int EFFECTS_LATER_MS = 200;

    private final DataSource database;
    private final List<Runnable> afterFailedCommit = new CopyOnWriteArrayList<>();

    private final List<Open> open = new ArrayList<>();

    @SuppressWarnings("ThreadLocalUsage") // each server has its own
    private final ThreadLocal<Open> current = new ThreadLocal<>();

    /** One that was begun and has not ended. */
    static final class Open {

        private final Effects effects = new Effects();
        private final Connection connection;
        private boolean rollbackOnly;
        private boolean over;

        private Open(Connection connection) {
            this.connection = connection;
        }
    }

    SimulatedTransactions(DataSource database) {
        this.database = database;
    }

    /** Gives the connection of the transaction that the thread is in, or a new one. */
    DataSource dataSource() {
        return (ConnectionSource) () -> {
            Open mine = current.get();
            if (mine != null && mine.over) {
                throw new SQLException("the transaction is not active");
            }
            return mine == null ? database.getConnection() : Proxies.leftOpen(mine.connection);
        };
    }

    Open begin() throws SQLException {
        Connection connection = database.getConnection();
        connection.setAutoCommit(false);
        Open begun = new Open(connection);
        current.set(begun);
        open.add(begun);
        return begun;
    }

    /** Commits, if it may. Returns whether the caller learns that. */
    boolean commit(boolean answerIsLost) throws SQLException {
        Open mine = end();
        if (mine.over || mine.rollbackOnly) {
            rollBack(mine);
            mine.connection.close();
            throw notActive();
        }
        mine.connection.commit();
        mine.connection.close();
        // Others may learn of the commit before its own server does
        Scheduler.present().sleep(Duration.ofMillis(Scheduler.present().random().nextInt(EFFECTS_LATER_MS)));
        mine.effects.end(!answerIsLost);
        if (answerIsLost) {
            afterFailedCommit.forEach(Runnable::run);
        }
        return !answerIsLost;
    }

    /** Returns whether all of it is rolled back: not if a statement has run by itself after the transaction's time. */
    boolean rollback() throws SQLException {
        Open mine = end();
        boolean whole = !mine.over;
        rollBack(mine);
        mine.connection.close();
        return whole;
    }

    private static void rollBack(Open mine) throws SQLException {
        if (!mine.over) {
            mine.connection.rollback();
            mine.effects.end(false);
        }
    }

    /** The time of a transaction is over. A statement that its thread has begun may run by itself after that. */
    void timeOut(Open other) throws SQLException {
        if (open.contains(other) && !other.over) {
            other.connection.rollback();
            other.connection.setAutoCommit(true);
            other.over = true;
            other.effects.end(false);
            afterFailedCommit.forEach(Runnable::run);
        }
    }

    /** The server is no more: the database rolls back, and nobody learns that. */
    void kill() throws SQLException {
        for (Open each : open) {
            each.connection.rollback();
            each.over = true;
        }
        afterFailedCommit.clear();
    }

    private Open end() {
        Open mine = current.get();
        current.remove();
        open.remove(mine);
        return mine;
    }

    @Override
    public boolean active() {
        return current.get() != null;
    }

    @Override
    public void check() {
        if (active() && (current.get().rollbackOnly || current.get().over)) {
            throw notActive();
        }
    }

    private static TransactionNotActiveException notActive() {
        return new TransactionNotActiveException("the transaction is over, or marked for rollback");
    }

    @Override
    public Object key() {
        return current.get();
    }

    @Override
    public void afterCommit(Runnable action) {
        if (!active()) {
            action.run();
        } else if (!current.get().effects.afterCommit(action)) {
            throw notActive();
        }
    }

    @Override
    public void atEnd(Runnable action) {
        if (!active() || !current.get().effects.atEnd(action)) {
            action.run();
        }
    }

    @Override
    public Runnable afterFailedCommit(Runnable action) {
        afterFailedCommit.add(action);
        return () -> afterFailedCommit.remove(action);
    }

    @Override
    public void setRollbackOnly() {
        current.get().rollbackOnly = true;
    }
}
