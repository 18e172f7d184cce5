package org.tasktube.console.json;

import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.tasktube.admin.BeanStatus;
import org.tasktube.admin.ServerStatus;
import org.tasktube.admin.TubeWork;

import static org.assertj.core.api.Assertions.assertThat;

class ServersViewTest {

    private static final Jsonb JSON = JsonbBuilder.create();

    @Test
    void this_server_shows_what_each_instance_of_its_beans_does() {
        BeanStatus bean = new BeanStatus(
                "Checker",
                "links",
                8,
                4,
                1,
                List.of(new BeanStatus.Delivery("links", 9_007_199_254_740_993L, 2, Duration.ofMillis(1_500))),
                3,
                Optional.of(new BeanStatus.Hindrance(BeanStatus.Reason.NO_THREAD, "no thread")));
        String json = json(server(true, Optional.of(List.of(bean))));
        assertThat(json)
                .contains("\"isThis\":true", "\"state\":\"RUNNING\"", "\"silence\":\"PT2S\"")
                .contains("\"limit\":4", "\"maxSession\":8", "\"busy\":1", "\"claimed\":3")
                .contains("\"hindrance\":{\"reason\":\"NO_THREAD\",\"text\":\"no thread\"}")
                .contains("\"attempts\":2,\"duration\":\"PT1.5S\",\"task\":\"9007199254740993\",\"tube\":\"links\"");
    }

    @Test
    void the_beans_of_another_server_are_absent_because_they_are_not_known() {
        assertThat(json(server(false, Optional.empty())))
                .contains("\"heartbeat\":\"2026-11-22T12:00:00Z\"")
                .contains("\"working\":[{\"beans\":1,\"busy\":2,\"instances\":4,\"tube\":\"orders\"}]")
                .doesNotContain("deliveries");
    }

    private static ServerStatus server(boolean isThis, Optional<List<BeanStatus>> beans) {
        return new ServerStatus(
                "app-1",
                7,
                isThis,
                ServerStatus.State.RUNNING,
                Optional.of(Instant.parse("2026-11-22T12:00:00Z")),
                Duration.ofSeconds(2),
                5,
                1,
                Map.of("orders", new TubeWork.Beans(1, 4, 2)),
                beans,
                0,
                Optional.empty());
    }

    private static String json(ServerStatus server) {
        return JSON.toJson(ServersView.of(List.of(server)));
    }
}
