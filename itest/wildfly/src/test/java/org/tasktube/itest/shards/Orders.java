package org.tasktube.itest.shards;

import jakarta.ejb.Stateless;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import org.tasktube.PutOptions;
import org.tasktube.TubeConnection;
import org.tasktube.TubeDefinition;

/** The rows of orders, each in the database of its tenant. */
@Stateless
public class Orders {

    /** Searchable by its tenant, so that a move finds the tasks of one without reading those of all others. */
    static final TubeDefinition TUBE = TubeDefinition.fifottl("orders").searchable("tenant");

    /** A row and its task, in one transaction with one phase. */
    public void place(Shard shard, OrderPlaced order, int delaySeconds) {
        Tenants.hold(shard, order.tenant());
        insert(shard, "placed", order);
        try (TubeConnection connection = shard.tubes().getConnection()) {
            PutOptions options = PutOptions.defaults().delay(Duration.ofSeconds(delaySeconds));
            connection.createTubeIfNotExists(TUBE).put(order, options);
        }
    }

    static void ship(Shard shard, OrderPlaced order) {
        Tenants.hold(shard, order.tenant());
        insert(shard, "shipped", order);
    }

    private static void insert(Shard shard, String table, OrderPlaced order) {
        try (Connection connection = shard.rows().getConnection();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO " + table + " VALUES (?, ?)")) {
            insert.setString(1, order.tenant());
            insert.setString(2, order.number());
            insert.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
