package org.tasktube.itest.shop;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.Dependent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The rows of the shop: what was done, and when. */
@Dependent
class Book {

    @Resource(lookup = "java:jboss/datasources/ExampleDS")
    private DataSource database;

    void write(String line) {
        try (Connection connection = database.getConnection();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO book (line) VALUES (?)")) {
            insert.setString(1, line);
            insert.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
