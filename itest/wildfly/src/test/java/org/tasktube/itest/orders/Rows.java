package org.tasktube.itest.orders;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.Dependent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The application's rows, in a database that is not TaskTube's. No key refuses a second one. */
@Dependent
class Rows {

    @Resource(lookup = "java:jboss/datasources/OrdersDS")
    private DataSource database;

    void ordered(long number) {
        insert("ordered", number);
    }

    void shipped(long number) {
        insert("shipped", number);
    }

    private void insert(String table, long number) {
        try (Connection connection = database.getConnection();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO " + table + " VALUES (?)")) {
            insert.setLong(1, number);
            insert.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
