package org.tasktube.itest.console;

import jakarta.json.JsonObject;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tasktube.itest.app.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** An operation continues where it was, after the server has died. */
@InBrowser
@Tag("full")
class OperationAfterKillIT {

    private static final int TASKS = 50_000;
    private static final String COUNT = "SELECT count(*) FROM tasktube_task t JOIN tasktube_tube u"
            + " ON u.id = t.tube_id WHERE u.name = 'many' AND t.state = ";

    private final ConsoleServer console;
    private final Visitor visitor;

    OperationAfterKillIT(ConsoleServer console, Visitor visitor) {
        this.console = console;
        this.visitor = visitor;
    }

    @AfterEach
    void drop() {
        console.drop("many");
    }

    @Test
    void a_retry_of_50000_tasks_survives_a_kill_and_changes_each_task_once() {
        console.freshTube("many", "fifottl");
        Rest rest = console.rest(console.operator());
        String id = rest.putText("many", "x");
        rest.post("tasks/many/" + id + "/bury", "{\"reason\":\"test\"}");
        Rows.of(console).copy(id, TASKS - 1);

        visitor.login(console.operator(), "tasks?filter=tube:many%20state:buried");
        visitor.find("[data-act=operation-retry]").first().click();
        visitor.awaitText("dialog[open]", "50,000");
        visitor.page().getByLabel("Reason").fill("the printer works again");
        visitor.find("dialog button[type=submit]").click();
        Eventually.holds(() -> count("r") > TASKS / 10, "a part of the tasks is READY");
        console.server().kill();
        assertThat(count("!")).as("tasks that were left over by the kill").isPositive();
        console.server().start();

        Eventually.holds(Duration.ofMinutes(3), () -> count("r") == TASKS, () -> count("r") + " tasks are READY");
        Eventually.holds(() -> last().getString("state").equals("DONE"), () -> last().toString());
        assertThat(last().getInt("changed")).isEqualTo(TASKS);
        assertThat(last().getInt("skipped")).isZero();
    }

    private JsonObject last() {
        return console.rest(console.viewer())
                .get("operations?limit=1")
                .getJsonArray("operations")
                .getJsonObject(0);
    }

    private int count(String state) {
        return Integer.parseInt(console.read(COUNT + "'" + state + "'"));
    }
}
