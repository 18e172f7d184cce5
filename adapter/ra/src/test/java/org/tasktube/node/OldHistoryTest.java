package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tasktube.History;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The maintenance thread removes moves that are older than the retention of their tube. */
@Timeout(60)
class OldHistoryTest {

    private static final int TUBES = 3;

    abstract static class Rules {

        private static HikariDataSource database;
        private static RunningNode running;

        static void start(TestDatabase kind) {
            database = kind.create();
            running = new RunningNode(database, "app-1");
        }

        @AfterAll
        static void stop() {
            running.close();
            database.close();
        }

        private static List<Tube> tubes(ClientConnection connection) {
            List<Tube> tubes = new ArrayList<>();
            for (int i = 0; i < TUBES; i++) {
                tubes.add(running.node()
                        .createTube(
                                connection,
                                TubeDefinition.fifottl(RunningNode.newName()).history(History.ALL)));
            }
            return tubes;
        }

        private static long moves() {
            try {
                return new Sql(database).number("SELECT count(*) FROM tasktube_history");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Test
        void old_moves_of_all_tubes_are_removed_and_young_ones_stay() throws Exception {
            ClientConnection connection = new ClientConnection();
            List<Tube> tubes = tubes(connection);
            for (Tube tube : tubes) {
                tube.bury(tube.put("old").id());
                tube.kick();
            }
            new Sql(database).execute("UPDATE tasktube_history SET at = at - INTERVAL '91' DAY");
            assertThat(moves()).isEqualTo(2 * TUBES);
            for (Tube tube : tubes) {
                tube.bury(tube.put("young").id());
            }
            NodeParts parts = running.node().parts();
            parts.queue().execute(parts.oldHistory());
            Eventually.holds(() -> moves() == TUBES, "only the young moves are left");
            assertThat(running.node()
                            .admin(connection)
                            .history(tubes.get(0).name(), tubes.get(0).put("x").id(), Optional.empty(), 10)
                            .events())
                    .hasSize(1);
        }
    }

    @Nested
    class OnH2 extends Rules {
        @BeforeAll
        static void start() {
            start(TestDatabase.H2);
        }
    }

    @Nested
    class OnPostgreSql extends Rules {
        @BeforeAll
        static void start() {
            start(TestDatabase.POSTGRESQL);
        }
    }
}
