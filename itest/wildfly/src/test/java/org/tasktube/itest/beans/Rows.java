package org.tasktube.itest.beans;

import jakarta.annotation.Resource;
import jakarta.ejb.EJBException;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A table of the application's own, by JDBC, in the caller's transaction. */
@Stateless
public class Rows {

    @Resource(lookup = "java:jboss/datasources/ExampleDS")
    private DataSource source;

    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void create() {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS bean_row (text VARCHAR(200) NOT NULL)");
        } catch (SQLException e) {
            throw new EJBException(e);
        }
    }

    public void add(String text) {
        try (Connection connection = source.getConnection();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO bean_row (text) VALUES (?)")) {
            insert.setString(1, text);
            insert.executeUpdate();
        } catch (SQLException e) {
            throw new EJBException(e);
        }
    }

    public long count(String text) {
        try (Connection connection = source.getConnection();
                PreparedStatement select =
                        connection.prepareStatement("SELECT count(*) FROM bean_row WHERE text = ?")) {
            select.setString(1, text);
            try (ResultSet found = select.executeQuery()) {
                found.next();
                return found.getLong(1);
            }
        } catch (SQLException e) {
            throw new EJBException(e);
        }
    }
}
