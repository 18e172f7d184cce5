package org.tasktube.itest.lanes;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.tasktube.Task;

/** The application's own rows, of the same transaction as the put or the ack. No key refuses a second one. */
@ApplicationScoped
public class Facts {

    private static final String SERVER = System.getProperty("jboss.node.name");

    @Resource(lookup = "java:jboss/datasources/ExampleDS")
    private DataSource database;

    void put(Lane lane, Task task, long number) {
        insert("lane_put", lane, task, number);
    }

    void done(Lane lane, Task task, long number) {
        insert("lane_done", lane, task, number);
    }

    void released(Lane lane, Task task, long number) {
        insert("lane_released", lane, task, number);
    }

    private void insert(String table, Lane lane, Task task, long number) {
        try (Connection connection = database.getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO " + table + " (lane, number, task, sub, server) VALUES (?, ?, ?, ?, ?)")) {
            insert.setString(1, lane.name());
            insert.setLong(2, number);
            insert.setLong(3, task.id());
            insert.setString(4, task.utube().orElse(""));
            insert.setString(5, SERVER);
            insert.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
