package org.tasktube.testing;

import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import org.tasktube.node.Node;

/** A {@link RunningNode} whose pool takes part in the transactions of {@link Jta}. */
public final class JtaNode implements AutoCloseable {

    private final HikariDataSource database;
    private final AgroalDataSource pool;
    private final RunningNode running;

    /** @param database is closed with this */
    public JtaNode(HikariDataSource database) {
        this.database = database;
        pool = Jta.pool(database);
        running = new RunningNode(pool, Jta.TRANSACTIONS, "one");
    }

    public RunningNode running() {
        return running;
    }

    /** The pool whose connections take part in transactions. */
    public AgroalDataSource pool() {
        return pool;
    }

    public Node node() {
        return running.node();
    }

    @Override
    public void close() {
        running.close();
        pool.close();
        database.close();
    }
}
