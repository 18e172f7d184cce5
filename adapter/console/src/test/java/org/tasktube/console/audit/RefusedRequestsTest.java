package org.tasktube.console.audit;

import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.admin.AuditAct;
import org.tasktube.admin.TaskAdmin;

import static org.assertj.core.api.Assertions.assertThat;

class RefusedRequestsTest {

    private final List<AuditAct> rows = new ArrayList<>();
    private long nanoTime = Long.MAX_VALUE;
    private final RefusedRequests refused =
            new RefusedRequests(new AuditRows(fake(TubeConnectionFactory.class)), () -> nanoTime);

    /** A factory, a connection and an admin that keeps the rows. */
    private <T> T fake(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> switch (method.getName()) {
                    case "getConnection" -> fake(TubeConnection.class);
                    case "unwrap" -> fake(TaskAdmin.class);
                    case "record" -> {
                        rows.add((AuditAct) arguments[0]);
                        yield null;
                    }
                    default -> null;
                }));
    }

    private void refuse(String user, int times) {
        for (int i = 0; i < times; i++) {
            refused.add(user, request("POST", "/api/v1", "/tubes/orders/pause"), 403);
        }
    }

    private static HttpServletRequest request(String method, String servlet, String path) {
        return (HttpServletRequest) Proxy.newProxyInstance(
                HttpServletRequest.class.getClassLoader(),
                new Class<?>[] {HttpServletRequest.class},
                (self, called, arguments) -> switch (called.getName()) {
                    case "getMethod" -> method;
                    case "getRequestURI" -> "/%74asktube;a=b/" + servlet + path;
                    case "getServletPath" -> servlet;
                    case "getPathInfo" -> path;
                    case "getRemoteAddr" -> "192.0.2.17";
                    default -> throw new AssertionError(called);
                });
    }

    @Test
    void a_row_has_the_user_the_request_and_the_status() {
        refuse("anna", 1);
        assertThat(rows).singleElement().satisfies(row -> {
            assertThat(row.who()).isEqualTo("anna");
            assertThat(row.act()).isEqualTo("POST /api/v1/tubes/orders/pause");
            assertThat(row.right()).isEqualTo("none");
            assertThat(row.status()).isEqualTo(403);
            assertThat(row.address()).contains("192.0.2.17");
        });
    }

    @Test
    void any_request_fits_its_row() {
        refused.add("a\0".repeat(500), request("M".repeat(500), "/x\n" + "y".repeat(10_000), null), 415);
        assertThat(rows).singleElement().satisfies(row -> assertThat(row.act()).hasSize(AuditAct.MAX_ACT));
    }

    @Test
    void a_request_without_a_user_has_no_row() {
        refuse("", 1);
        assertThat(rows).isEmpty();
    }

    @Test
    void a_flood_adds_60_rows_per_user_and_minute() {
        refuse("anna", 1_000);
        assertThat(rows).hasSize(60);
        refuse("ben", 1);
        assertThat(rows).as("rows beside the flood of another user").hasSize(61);

        nanoTime += Duration.ofSeconds(59).toNanos();
        refuse("anna", 1);
        assertThat(rows).hasSize(61);
        nanoTime += Duration.ofSeconds(1).toNanos();
        refuse("anna", 1_000);
        assertThat(rows).hasSize(121);
    }

    @Test
    void refused_acts_and_refused_requests_share_the_60_rows() {
        refuse("anna", 30);
        AuditAct act = rows.get(0);
        for (int i = 0; i < 1_000; i++) {
            refused.add(act);
        }
        assertThat(rows).hasSize(60);
    }
}
