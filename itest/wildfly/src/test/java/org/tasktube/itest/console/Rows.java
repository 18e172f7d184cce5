package org.tasktube.itest.console;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows of tasks that are made by SQL: copies of tasks that the adapter itself has put, each with its own id and order.
 */
record Rows(ConsoleServer console) {

    static Rows of(ConsoleServer console) {
        return new Rows(console);
    }

    /** Adds copies of a task, behind it in the order of put. */
    void copy(String id, int copies) {
        List<String> columns = columns();
        String values = String.join(",", columns)
                .replaceFirst("\\bid\\b", "nextval('tasktube_task_seq')")
                .replaceFirst("\\bord\\b", "currval('tasktube_task_seq')");
        console.sql("INSERT INTO tasktube_task (" + String.join(",", columns) + ") SELECT " + values
                + " FROM tasktube_task, generate_series(1, " + copies + ") WHERE id = " + id);
        console.sql("ANALYZE tasktube_task");
    }

    private List<String> columns() {
        try (Connection connection = console.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT * FROM tasktube_task WHERE false")) {
            List<String> columns = new ArrayList<>();
            for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                columns.add(row.getMetaData().getColumnName(i));
            }
            return columns;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
