package org.tasktube.node;

import com.zaxxer.hikari.HikariDataSource;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.UserLogin;
import org.tasktube.session.ClientConnection;
import org.tasktube.testing.DatabaseSource;
import org.tasktube.testing.RunningNode;
import org.tasktube.testing.Sql;
import org.tasktube.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The login of a user at a console holds on all servers until its time is over or somebody ends it. */
@Tag("full")
@Timeout(60)
class LoginsTest {

    private static String key(int number) {
        return String.format("%064x", number);
    }

    @ParameterizedTest
    @DatabaseSource
    void a_login_holds_on_all_servers_and_after_the_end_of_the_one_that_has_it(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode two = new RunningNode(database, "two")) {
            TaskAdmin admin = two.node().admin(new ClientConnection());
            try (RunningNode one = new RunningNode(database, "one")) {
                TaskAdmin first = one.node().admin(new ClientConnection());
                first.addLogin(key(1), "anna", "127.0.0.1");
                first.addLogin(key(2), "bert\u00fc", "x".repeat(200));
                assertThat(first.logins()).extracting(UserLogin::key).containsExactlyInAnyOrder(key(1), key(2));
            }
            UserLogin used = admin.useLogin(key(1)).orElseThrow();
            assertThat(used.user()).isEqualTo("anna");
            assertThat(used.address()).isEqualTo("127.0.0.1");
            assertThat(used.server()).isEqualTo("two");
            assertThat(used.seen()).isAfterOrEqualTo(used.since());
            assertThat(admin.useLogin(key(2)).orElseThrow().address()).hasSize(100);
            assertThat(admin.endLogin(key(1))).isTrue();
            assertThat(admin.endLogin(key(1))).isFalse();
            assertThat(admin.useLogin(key(1))).isEmpty();
            assertThat(admin.logins()).extracting(UserLogin::key).containsExactly(key(2));
            assertThatThrownBy(() -> admin.addLogin("short", "anna", ""))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("has 5 characters; it takes 64");
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void a_login_is_over_after_twelve_hours_or_eight_without_a_use_and_goes_with_the_next_one(TestDatabase kind)
            throws Exception {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(database, "one")) {
            TaskAdmin admin = one.node().admin(new ClientConnection());
            Sql sql = new Sql(database);
            for (int i = 1; i <= 4; i++) {
                admin.addLogin(key(i), "anna", "");
            }
            sql.execute("UPDATE tasktube_login SET begun_at = begun_at - INTERVAL '12' HOUR WHERE login_key = '"
                    + key(1) + "'");
            sql.execute("UPDATE tasktube_login SET seen_at = seen_at - INTERVAL '8' HOUR WHERE login_key = '" + key(2)
                    + "'");
            sql.execute("UPDATE tasktube_login SET begun_at = begun_at - INTERVAL '11' HOUR,"
                    + " seen_at = seen_at - INTERVAL '7' HOUR WHERE login_key = '" + key(3) + "'");
            for (int over : List.of(1, 2)) {
                assertThat(admin.useLogin(key(over))).isEmpty();
            }
            assertThat(admin.useLogin(key(3))).isPresent();
            assertThat(admin.logins()).extracting(UserLogin::key).containsExactly(key(4), key(3));
            admin.addLogin(key(5), "bert", "");
            assertThat(sql.number("SELECT count(*) FROM tasktube_login")).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @DatabaseSource
    void the_oldest_login_of_a_user_ends_for_the_twenty_first(TestDatabase kind) {
        try (HikariDataSource database = kind.create();
                RunningNode one = new RunningNode(database, "one")) {
            TaskAdmin admin = one.node().admin(new ClientConnection());
            admin.addLogin(key(0), "bert", "");
            for (int i = 1; i <= UserLogin.MOST_PER_USER + 1; i++) {
                admin.addLogin(key(i), "anna", "");
            }
            assertThat(admin.useLogin(key(1))).isEmpty();
            assertThat(admin.useLogin(key(2))).isPresent();
            assertThat(admin.useLogin(key(0))).isPresent();
            assertThat(admin.logins()).hasSize(UserLogin.MOST_PER_USER + 1);
        }
    }
}
