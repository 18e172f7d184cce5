package org.tasktube.store.sql;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.tasktube.store.StoreUnavailableException;

/**
 * The steps from older tables to the present ones, a file each. The functions of PostgreSQL are created anew after the
 * last step.
 */
final class Migration {

    /** The versions that tables ever had, in their order. */
    private static final List<Integer> VERSIONS =
            Script.read("migration/versions.txt").lines().map(Integer::valueOf).toList();

    /** The version of the tables of this adapter. */
    static final int VERSION = VERSIONS.get(VERSIONS.size() - 1);

    private static final String FUNCTION = "CREATE FUNCTION";

    private final Dialect dialect;

    Migration(Dialect dialect) {
        this.dialect = dialect;
    }

    /** Returns whether there are steps from that version to the present one. */
    static boolean begins(int version) {
        return version != VERSION && VERSIONS.contains(version);
    }

    /** Returns all steps from a version, for administrators who migrate the tables themselves. */
    String text(int from) {
        StringBuilder text = new StringBuilder();
        steps(from).forEach(step -> text.append(step.text(dialect)).append('\n'));
        functions().forEach(function -> text.append(function).append(";\n\n"));
        return text.toString();
    }

    /**
     * Migrates the tables, in the caller's transaction. H2 commits each statement: a step that did not get to its end
     * runs again.
     *
     * @throws StoreUnavailableException if a server of the older version is at work
     */
    void run(SqlConnection on, int from, SchemaSettings settings) throws SQLException, StoreUnavailableException {
        checkNobodyWorks(on, from, settings);
        for (Step step : steps(from).toList()) {
            for (String statement : Script.statements(step.text(dialect))) {
                on.execute(statement);
            }
        }
        for (String function : functions().toList()) {
            on.execute(function);
        }
    }

    /** Its statements are for other tables, so that each of its calls would fail. */
    private void checkNobodyWorks(SqlConnection on, int from, SchemaSettings settings)
            throws SQLException, StoreUnavailableException {
        Optional<String> server = on.first(
                dialect.statements().get("server_at_work"),
                row -> row.getString(1),
                Parameters.of("silent", settings.nodeTimeout().toMillis()));
        if (server.isPresent()) {
            throw new StoreUnavailableException(
                    "the tables of version " + from + " wait for their migration to version " + VERSION
                            + " until server " + server.get() + " has stopped, or was silent for nodeTimeout");
        }
    }

    private Stream<String> functions() {
        return Script.statements(Script.definition(dialect)).stream()
                .filter(statement -> statement.startsWith(FUNCTION))
                .map(statement -> statement.replaceFirst(FUNCTION, "CREATE OR REPLACE FUNCTION"));
    }

    private static Stream<Step> steps(int from) {
        return Stream.iterate(VERSIONS.indexOf(from), index -> index + 1 < VERSIONS.size(), index -> index + 1)
                .map(index -> new Step(VERSIONS.get(index), VERSIONS.get(index + 1)));
    }

    private record Step(int from, int to) {

        /** Returns the file, and the new version at its end. */
        String text(Dialect dialect) {
            String file = "migration/" + dialect.schemaFile().replaceFirst("schema-(.*)[.]sql", "$1") + "-" + from + "-"
                    + to + ".sql";
            return Script.read(file) + "UPDATE tasktube_schema SET version = " + to + ";\n";
        }
    }
}
