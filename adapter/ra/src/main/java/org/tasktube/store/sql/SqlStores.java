package org.tasktube.store.sql;

import jakarta.persistence.PersistenceException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.tasktube.TaskFailure;
import org.tasktube.store.StoreUnavailableException;
import org.tasktube.store.Transactions;

/** Opens the tables of a database, each time in the same schema. */
public final class SqlStores {

    private final SchemaSettings settings;
    private final Transactions transactions;

    /** The schema that was opened at first. Later a connection may have one that an application has set on it. */
    private volatile String schema;

    /**
     * @param transactions the transactions of the calling threads, in which the datasources must take part; if a thread
     *     is in one and its connection is not, a statement fails
     */
    public SqlStores(SchemaSettings settings, Transactions transactions) {
        this.settings = settings;
        this.transactions = transactions;
    }

    /**
     * Opens the tables of a datasource's database, for callers outside JTA transactions. Migrates older tables by the
     * default of the database.
     *
     * @param onFailure runs when a statement fails later as if the database were away or read-only
     * @throws StoreUnavailableException if the database does not answer, or the tables are not TaskTube's
     */
    public static OpenStore open(DataSource dataSource, boolean createTables, Runnable onFailure)
            throws StoreUnavailableException {
        return new SqlStores(
                        new SchemaSettings(createTables, SchemaSettings.Migrate.AUTO, Duration.ZERO), Transactions.NONE)
                .open(dataSource, onFailure);
    }

    /**
     * Opens the tables of a datasource's database.
     *
     * @param onFailure runs when a statement fails later as if the database were away or read-only
     * @throws StoreUnavailableException if the database does not answer, or the tables are not TaskTube's
     */
    public OpenStore open(DataSource dataSource, Runnable onFailure) throws StoreUnavailableException {
        checkTakesPart(dataSource, transactions);
        Opening opening = prepare(dataSource);
        try {
            CallersTransaction caller = new CallersTransaction(transactions);
            Entities entities = new Entities(new PersistenceUnit(dataSource, SchemaName.of(schema)).open(), caller);
            Jdbc jdbc = new Jdbc(
                    Connections.of(dataSource, caller),
                    onFailure,
                    caller,
                    opening.tables.durable().limitsTime(),
                    opening.roundTrips);
            return store(dataSource, jdbc, opening, entities, (lockTimeout, networkTimeout) -> {
                OwnConnection own = new OwnConnection(dataSource, networkTimeout);
                Jdbc onOwn = jdbc.outsideJta(own, opening.tables.durable().lockLimit(lockTimeout));
                return store(dataSource, onOwn, opening, entities.on(onOwn, own), SqlStores::noFurther);
            });
        } catch (PersistenceException e) {
            throw new StoreUnavailableException(
                    "the tables are not as TaskTube needs them: " + innermost(e).getMessage() + "; compare them with "
                            + opening.tables.durable().schemaFile(),
                    e);
        }
    }

    /** The parts that the stores on all connections share. */
    private record Opening(
            Tables tables, String schema, String product, KnownKinds known, KnownTubes history, LongAdder roundTrips) {}

    private static OpenStore store(
            DataSource dataSource,
            Jdbc jdbc,
            Opening opening,
            Entities entities,
            BiFunction<Duration, Duration, OpenStore> own) {
        Dialect dialect = opening.tables.durable();
        return new OpenStore(
                new Registry(jdbc, opening.tables, entities, opening.history),
                tasks(jdbc, opening, false, entities),
                tasks(jdbc, opening, true, entities),
                new AuditTrail(jdbc, dialect),
                new Logins(jdbc, dialect),
                new DeliveryLogs(jdbc, dialect),
                new Flow(jdbc, dialect),
                new Schedules(jdbc, dialect),
                new Afters(jdbc, opening.tables),
                new Progress(jdbc, opening.tables),
                new Operations(jdbc, opening.tables, opening.history),
                dialect.notices(jdbc, dataSource, opening.schema),
                opening.roundTrips::sum,
                opening.product,
                own,
                entities::close);
    }

    private static TaskStore tasks(Jdbc jdbc, Opening opening, boolean temporary, Entities entities) {
        return new TaskStore(jdbc, opening.tables, temporary, entities, opening.known, opening.history);
    }

    private static OpenStore noFurther(Duration lockTimeout, Duration networkTimeout) {
        throw new IllegalStateException("this store has a connection of its own already");
    }

    private static Throwable innermost(Throwable thrown) {
        return thrown.getCause() == null ? thrown : innermost(thrown.getCause());
    }

    private Opening prepare(DataSource dataSource) throws StoreUnavailableException {
        try (Connection connection = dataSource.getConnection()) {
            DatabaseMetaData meta = connection.getMetaData();
            String product = meta.getDatabaseProductName();
            Dialect anywhere = Dialects.of(product, SchemaName.OF_THE_CONNECTION);
            checkCommits(connection);
            checkIsolation(connection);
            LongAdder roundTrips = new LongAdder();
            SqlConnection on = new SqlConnection(connection, roundTrips);
            String found = schema == null ? Schema.find(on, anywhere.schemas(on)) : schema;
            Tables tables = Tables.of(product, SchemaName.of(found));
            tables.durable().prepare(on);
            new Schema(tables.durable(), found).prepare(on, settings);
            schema = found;
            return new Opening(
                    tables,
                    found,
                    product + " " + meta.getDatabaseProductVersion(),
                    new KnownKinds(),
                    new KnownTubes(),
                    roundTrips);
        } catch (SQLException e) {
            throw new StoreUnavailableException(
                    e.getMessage() + (e.getSQLState() == null ? "" : " (SQL state " + e.getSQLState() + ")"), e);
        }
    }

    /** Fails if a connection of a new JTA transaction is not in it: each delivery to a bean would fail at its ack. */
    private static void checkTakesPart(DataSource dataSource, Transactions transactions)
            throws StoreUnavailableException {
        Optional<Boolean> takesPart;
        try {
            takesPart = transactions.inTrial(() -> {
                try (Connection connection = dataSource.getConnection()) {
                    return !connection.getAutoCommit();
                }
            });
        } catch (Exception e) {
            throw new StoreUnavailableException("no connection in a JTA transaction: " + TaskFailure.summary(e), e);
        }
        if (takesPart.filter(part -> !part).isPresent()) {
            throw new StoreUnavailableException("the datasource takes no part in JTA transactions; set jta=true on the"
                    + " datasource, or name another one in the adapter's property datasource");
        }
    }

    /**
     * Fails if a connection outside JTA begins a transaction by itself. The adapter would take it for the caller's, and
     * commit nothing.
     */
    private static void checkCommits(Connection connection) throws SQLException, StoreUnavailableException {
        if (!connection.getAutoCommit()) {
            throw new StoreUnavailableException("the datasource's connections begin with autocommit off, and TaskTube"
                    + " needs it on outside of JTA transactions; leave that setting of the datasource out");
        }
    }

    /**
     * Fails unless transactions are READ COMMITTED. With one snapshot per transaction, a claim would fail at each task
     * that another transaction has taken since.
     */
    private static void checkIsolation(Connection connection) throws SQLException, StoreUnavailableException {
        int isolation = connection.getTransactionIsolation();
        if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
            throw new StoreUnavailableException("the datasource's transactions are " + Connections.isolation(isolation)
                    + ", and TaskTube needs READ COMMITTED; set transaction-isolation=TRANSACTION_READ_COMMITTED on the"
                    + " datasource, or leave it out");
        }
    }
}
