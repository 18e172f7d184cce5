package org.tasktube.testing;

import java.sql.Connection;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** A datasource whose connections report what they are about to do, so that a test can do something else first. */
public final class HookedDataSource {

    private static final Pattern SCHEMA = Pattern.compile("\"\\w+\"[.](?=tasktube_)");

    private HookedDataSource() {}

    /**
     * The hook gets the text of each statement before it is prepared, without the schema of the tables. It gets
     * "COMMIT" before a commit, and "CLOSE" before the connection is closed.
     */
    public static DataSource of(DataSource real, Consumer<String> before) {
        return (ConnectionSource) () -> hooked(real.getConnection(), before);
    }

    static String withoutSchema(String statement) {
        return SCHEMA.matcher(statement).replaceAll("");
    }

    private static Connection hooked(Connection real, Consumer<String> before) {
        return Proxies.of(Connection.class, (method, arguments) -> {
            switch (method.getName()) {
                case "prepareStatement" -> before.accept(withoutSchema((String) arguments[0]));
                case "commit" -> before.accept("COMMIT");
                case "close" -> before.accept("CLOSE");
                default -> {
                    // Nothing to report
                }
            }
            return Proxies.call(real, method, arguments);
        });
    }
}
