package org.tasktube.itest.console;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tasktube.itest.app.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** Acts by REST on a task that a bean holds. */
@Tag("console")
@ExtendWith(ConsoleServer.Extension.class)
@Tag("full")
class TakenIT {

    private final ConsoleServer console;
    private final Rest rest;

    TakenIT(ConsoleServer console) {
        this.console = console;
        this.rest = console.rest(console.operator());
    }

    private String held(String tube) {
        String id = rest.put(tube, "{\"data\":\"hold\",\"ttr\":\"1h\"}");
        Eventually.holds(() -> state(id).equals("t"), "a bean holds the task");
        return id;
    }

    private String state(String id) {
        return console.read("SELECT coalesce((SELECT state FROM tasktube_task WHERE id = " + id + "), 'gone')");
    }

    private void end(String tube, String id) {
        console.openGate();
        Eventually.holds(() -> !state(id).equals("t"), "no bean holds the task");
        rest.send("POST", "tasks/" + tube + "/" + id + "/delete", "{\"reason\":\"test\"}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "release | {\"delay\":\"1h\"} | ~",
                "bury | {} | !",
                "delete | {} | gone",
                "done | {\"data\":\"x\",\"outcome\":\"REJECTED\"} | -",
                "touch | {\"increment\":\"10m\"} | t"
            })
    void an_act_changes_the_task_of_a_bean_outside_of_a_transaction(String act, String body, String state) {
        String id = held("work");
        try {
            rest.post("tasks/work/" + id + "/" + act, body);
            assertThat(state(id)).isEqualTo(state);
        } finally {
            end("work", id);
        }
        assertThat(state(id)).as("the bean's ack came too late").isEqualTo("gone");
    }

    @ParameterizedTest
    @ValueSource(strings = {"release", "requeue"})
    void a_task_that_is_returned_is_delivered_again(String act) {
        String id = held("work");
        try {
            rest.post("tasks/work/" + id + "/" + act, "{}");
            Eventually.holds(
                    () -> console.read("SELECT taken_count FROM tasktube_task WHERE id = " + id)
                            .equals("2"),
                    "another instance has it");
        } finally {
            end("work", id);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"release", "delete", "bury", "done"})
    void an_act_wins_over_the_transaction_of_a_bean(String act) {
        String id = held("work-tx");
        try {
            rest.post("tasks/work-tx/" + id + "/" + act, "{}");
        } finally {
            end("work-tx", id);
        }
    }
}
