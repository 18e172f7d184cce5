package org.tasktube.rules;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.tasktube.OnConflict;
import org.tasktube.PutItem;
import org.tasktube.PutOptions;
import org.tasktube.ReleaseOptions;
import org.tasktube.Task;
import org.tasktube.TaskData;
import org.tasktube.TaskMeta;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskResult;
import org.tasktube.TaskState;
import org.tasktube.Tube;
import org.tasktube.admin.EditedTask;
import org.tasktube.admin.TaskRelations;
import org.tasktube.admin.WaitingTask;
import org.tasktube.testing.Eventually;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tasktube.rules.Rule.rule;
import static org.tasktube.rules.Scenario.LONG;
import static org.tasktube.rules.Scenario.with;
import static org.tasktube.spi.TubeOption.DELAY;
import static org.tasktube.spi.TubeOption.TTL;
import static org.tasktube.spi.TubeOption.UTUBE;

/** A task can wait for others of its transaction. */
final class AfterRules extends RuleGroup {

    private static final String ONE_TRANSACTION = "outside one, each put is a transaction of its own";

    @Override
    String heading() {
        return "After";
    }

    @Override
    List<Rule> rules() {
        List<Rule> rules = new ArrayList<>(List.of(
                rule(
                        "A task `after` others is DELAYED without a deadline until each has ended by an ack, with any result",
                        this::it_waits_for_each),
                rule("Whichever way a holder acks counts, on any server", this::each_ack_counts)
                        .onTwoServers(),
                rule("`before` adds a task that comes first, in the same transaction", this::before_adds),
                rule("`relations` names the tasks before and after another", this::the_relations_are_named),
                rule("A parent that is BURIED is waited for, and a retry goes on", this::a_burial_is_waited_for),
                rule(
                        "If a parent is deleted, or its tube is emptied, the child is BURIED with that reason",
                        this::a_lost_parent_buries),
                rule("With `afterAny` each end of a parent counts", this::any_end_counts),
                rule("If a parent's ttl is over, the child is BURIED", this::an_expired_parent_buries)
                        .needs(TTL),
                rule("An empty `after` is a plain put", this::an_empty_one_is_plain),
                rule("A rollback of the put leaves parents that nobody waits for", this::a_rollback),
                rule("An ack that is rolled back is waited for", this::an_ack_that_is_undone),
                rule("A child that is deleted or buried waits no more", this::the_child_ends),
                rule("REPLACE of a child keeps it waiting", this::a_replacement_waits),
                rule(
                        "REPLACE of a task that exists is refused with `after` and `before`",
                        this::an_order_of_what_exists),
                rule("A child that waits no more is not buried by its parents", this::one_that_went_on_is_left_alone)
                        .needs(DELAY),
                rule("An edited form waits as the task did, and others wait for it", this::edited_forms),
                rule("A parent that another server deletes buries the child", this::a_parent_deleted_elsewhere)
                        .onTwoServers(),
                rule(
                                "The ttl of a child counts from the end of its wait, and its key stays taken",
                                this::the_ttl_counts_later)
                        .needs(TTL),
                rule("A child keeps the order of its sub-queue from its put", this::a_child_in_a_sub_queue)
                        .needs(UTUBE),
                rule("`putAll` can have tasks after others", this::many_after_one),
                rule(
                        "A parent that the transaction has not put, or has ended, is refused, and nothing is put",
                        this::foreign_parents_are_refused),
                rule("`after` and `before` of one put are refused together, and `after` with a delay", this::mixed)
                        .needs(DELAY)));
        rules.replaceAll(rule -> rule.only(Mode.IN_JTA, ONE_TRANSACTION));
        return List.copyOf(rules);
    }

    /** Puts some parents, and a child of all of them. */
    private static List<Task> group(Scenario scenario, PutOptions options, String... parents) throws Exception {
        List<Task> tasks = new ArrayList<>();
        scenario.together(() -> {
            for (String parent : parents) {
                tasks.add(scenario.tube().put(parent));
            }
            tasks.add(scenario.tube().put("child", options.after(tasks)));
        });
        return tasks;
    }

    private static TaskState state(Tube tube, Task task) {
        return tube.peek(task.id()).orElseThrow().state();
    }

    private static void becomes(Scenario scenario, Task task, TaskState state) {
        Eventually.holds(() -> state(scenario.tube(), task) == state, "it is " + state);
    }

    private static Task take(Tube tube, String text) {
        Task task = tube.take(LONG).orElseThrow();
        assertThat(task.text()).isEqualTo(text);
        return task;
    }

    private static List<Task> takeParents(Scenario scenario, int count) {
        List<Task> taken = scenario.tube().take(9, ZERO);
        assertThat(taken).hasSize(count).noneMatch(task -> task.text().equals("child"));
        return taken;
    }

    private void it_waits_for_each(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        Task child = group(scenario, with(), "a", "b", "c").get(3);
        assertThat(child.state()).isEqualTo(TaskState.DELAYED);
        assertThat(tube.peekDelayed().map(Task::id)).contains(child.id());
        assertThat(tube.meta(child.id()).flatMap(TaskMeta::event)).isEmpty();
        List<Task> parents = takeParents(scenario, 3);
        tube.ack(parents.get(1));
        tube.ack(parents.get(2), TaskResult.rejected("no"));
        assertThat(tube.take(ZERO)).isEmpty();
        assertThat(state(tube, child)).isEqualTo(TaskState.DELAYED);
        tube.ack(parents.get(0));
        tube.ack(take(tube, "child"));
        assertThat(tube.take(ZERO)).isEmpty();
    }

    private void each_ack_counts(Scenario scenario) throws Exception {
        Tube elsewhere = scenario.elsewhere();
        group(scenario, with(), "a", "b", "c");
        Task here = scenario.tube().take(ZERO).orElseThrow();
        List<Task> there = elsewhere.take(2, LONG);
        elsewhere.ackAll(there.size() == 2 ? there : elsewhere.take(1, LONG));
        if (there.size() == 1) {
            elsewhere.ack(there.get(0));
        }
        scenario.tube().ack(here);
        elsewhere.ack(take(elsewhere, "child"));
    }

    private void before_adds(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        List<Task> tasks = new ArrayList<>();
        scenario.together(() -> {
            tasks.add(tube.put("child"));
            tasks.add(tube.put("a", with().before(tasks.get(0))));
            tasks.add(scenario.another().put("b", with().before(tasks.get(0))));
        });
        assertThat(state(tube, tasks.get(0))).isEqualTo(TaskState.DELAYED);
        takeParents(scenario, 2).forEach(tube::ack);
        tube.ack(take(tube, "child"));
    }

    private void a_burial_is_waited_for(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        Task child = group(scenario, with(), "a").get(1);
        assertThat(why(scenario, child)).contains("waits for 1 of 1 task", "which is READY");
        tube.bury(takeParents(scenario, 1).get(0));
        assertThat(why(scenario, child)).contains("which is BURIED: a retry makes it go on");
        assertThat(tube.take(ofMillis(50))).isEmpty();
        assertThat(state(tube, child)).isEqualTo(TaskState.DELAYED);
        tube.kick();
        tube.ack(takeParents(scenario, 1).get(0));
        tube.ack(take(tube, "child"));
    }

    private static String why(Scenario scenario, Task child) {
        WaitingTask why = AdminRules.alone(() -> scenario.admin().whyWaiting(child.tube(), child.id()));
        assertThat(why.reason()).isEqualTo(WaitingTask.Reason.AFTER);
        return why.sentence();
    }

    private void the_relations_are_named(Scenario scenario) throws Exception {
        List<Task> tasks = group(scenario, with(), "a", "b");
        Task first = scenario.take();
        scenario.tube().ack(first);
        TaskRelations child = relations(scenario, tasks.get(2));
        assertThat(child.parents()).isEqualTo(2);
        assertThat(child.open()).isOne();
        assertThat(child.before()).extracting(TaskRelations.Relative::ended).containsExactly(false, true);
        assertThat(child.before())
                .extracting(TaskRelations.Relative::state)
                .containsExactly(Optional.of(TaskState.READY), Optional.empty());
        Task last = scenario.take();
        assertThat(relations(scenario, last).after())
                .singleElement()
                .satisfies(
                        after -> assertThat(after.id()).isEqualTo(tasks.get(2).id()))
                .satisfies(after ->
                        assertThat(after.tube()).contains(scenario.tube().name()));
        assertThatThrownBy(() -> relations(scenario, first)).isInstanceOf(TaskNotFoundException.class);
    }

    private static TaskRelations relations(Scenario scenario, Task task) {
        return AdminRules.alone(() -> scenario.admin().relations(task.tube(), task.id()));
    }

    private void a_lost_parent_buries(Scenario scenario) throws Exception {
        Tube other = scenario.create(tube -> tube);
        List<BiConsumer<Tube, Task>> ends = List.of(
                (tube, parent) -> tube.delete(parent.id()),
                (tube, parent) -> tube.truncate(),
                (tube, parent) -> tube.drop());
        for (BiConsumer<Tube, Task> end : ends) {
            List<Task> tasks = new ArrayList<>();
            scenario.together(() -> {
                tasks.add(other.put("a"));
                tasks.add(scenario.tube().put("b"));
                tasks.add(scenario.tube().put("child", with().after(tasks)));
            });
            end.accept(other, tasks.get(0));
            becomes(scenario, tasks.get(2), TaskState.BURIED);
            assertThat(scenario.tube()
                            .meta(tasks.get(2).id())
                            .orElseThrow()
                            .lastFailure()
                            .orElseThrow()
                            .message())
                    .contains("task " + tasks.get(0).id())
                    .contains("without an ack");
            scenario.tube().truncate();
        }
    }

    private void any_end_counts(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        List<Task> tasks = new ArrayList<>();
        scenario.together(() -> {
            tasks.add(tube.put("a"));
            tasks.add(tube.put("b"));
            tasks.add(tube.put("child", with().afterAny(tasks)));
        });
        tube.delete(tasks.get(0).id());
        tube.ack(tube.take(ZERO).orElseThrow());
        tube.ack(take(tube, "child"));
    }

    private void an_expired_parent_buries(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        List<Task> tasks = new ArrayList<>();
        scenario.together(() -> {
            tasks.add(tube.put("a", with().ttl(ofMillis(20))));
            tasks.add(tube.put("child", with().after(tasks)));
        });
        becomes(scenario, tasks.get(1), TaskState.BURIED);
    }

    private void an_empty_one_is_plain(Scenario scenario) {
        scenario.tube().put("a", with().after(List.of()));
        assertThat(scenario.tube().take(ZERO)).isPresent();
    }

    private void a_rollback(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        scenario.undone(() -> {
            Task parent = tube.put("a");
            tube.put("child", with().after(parent));
        });
        assertThat(tube.statistics().total()).isZero();
        assertThat(tube.take(ZERO)).isEmpty();
    }

    private void an_ack_that_is_undone(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        Task child = group(scenario, with(), "a").get(1);
        Task parent = takeParents(scenario, 1).get(0);
        scenario.undone(() -> tube.ack(parent));
        assertThat(tube.take(ofMillis(50))).isEmpty();
        assertThat(state(tube, child)).isEqualTo(TaskState.DELAYED);
        tube.ack(parent);
        tube.ack(take(tube, "child"));
    }

    private void the_child_ends(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        tube.delete(group(scenario, with(), "a").get(1).id());
        tube.ack(takeParents(scenario, 1).get(0));
        Task child = group(scenario, with(), "b").get(1);
        tube.bury(child.id());
        tube.ack(takeParents(scenario, 1).get(0));
        assertThat(state(tube, child)).isEqualTo(TaskState.BURIED);
        tube.kick();
        tube.ack(take(tube, "child"));
    }

    private void a_replacement_waits(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        scenario.together(() -> {
            Task parent = tube.put("a");
            tube.putUnique("k", "old", with().after(parent), OnConflict.FAIL);
        });
        Task child = tube.putUnique("k", "child", with(), OnConflict.REPLACE);
        assertThat(child.state()).isEqualTo(TaskState.DELAYED);
        assertThat(tube.statistics().delayed()).isOne();
        assertThat(tube.statistics().ready()).isOne();
        tube.ack(takeParents(scenario, 1).get(0));
        tube.ack(take(tube, "child"));
    }

    private void an_order_of_what_exists(Scenario scenario) {
        Tube tube = scenario.tube();
        tube.putUnique("k", "old", with(), OnConflict.FAIL);
        assertThatThrownBy(() -> scenario.together(() -> {
                    Task parent = tube.put("a");
                    tube.putUnique("k", "new", with().after(parent), OnConflict.REPLACE);
                }))
                .hasMessageContaining("leave after and before out");
        assertThatThrownBy(() -> scenario.together(() -> {
                    Task child = tube.put("a");
                    tube.putUnique("k", "new", with().before(child), OnConflict.REPLACE);
                }))
                .hasMessageContaining("leave after and before out");
        assertThat(take(tube, "old").text()).isEqualTo("old");
    }

    private void one_that_went_on_is_left_alone(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        Tube other = scenario.create(made -> made);
        List<Task> tasks = new ArrayList<>();
        scenario.together(() -> {
            tasks.add(other.put("a"));
            tasks.add(tube.put("child", with().after(tasks)));
            tasks.add(tube.put("next", with().after(tasks.get(0))));
        });
        tube.bury(tasks.get(1).id());
        tube.kick();
        tube.release(take(tube, "child"), ReleaseOptions.defaults().delay(ofMinutes(5)));
        other.delete(tasks.get(0).id());
        becomes(scenario, tasks.get(2), TaskState.BURIED);
        assertThat(state(tube, tasks.get(1))).isEqualTo(TaskState.DELAYED);
    }

    private void edited_forms(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        List<Task> tasks = group(scenario, with(), "a");
        tube.bury(takeParents(scenario, 1).get(0));
        Task parent = edited(scenario, tasks.get(0), "b");
        assertThatThrownBy(() -> scenario.together(() ->
                        scenario.admin().retryEdited(parent.tube(), tasks.get(1).id(), delayed())))
                .hasMessageContaining("waits for others");
        Task child = edited(scenario, tasks.get(1), "child");
        assertThat(child.state()).isEqualTo(TaskState.DELAYED);
        assertThat(relations(scenario, child).before()).singleElement().satisfies(before -> assertThat(before.id())
                .isEqualTo(parent.id()));
        tube.ack(takeParents(scenario, 1).get(0));
        tube.ack(take(tube, "child"));
    }

    private static EditedTask delayed() {
        EditedTask plain = EditedTask.of(TaskData.of("child"));
        return new EditedTask(
                plain.data(),
                plain.pri(),
                plain.ttl(),
                plain.ttr(),
                Optional.of(Duration.ofSeconds(10)),
                plain.utube(),
                plain.headers(),
                plain.keepOld());
    }

    private static Task edited(Scenario scenario, Task task, String text) throws Exception {
        List<Task> made = new ArrayList<>();
        scenario.together(
                () -> made.add(scenario.admin().retryEdited(task.tube(), task.id(), EditedTask.of(TaskData.of(text)))));
        return made.get(0);
    }

    private void a_parent_deleted_elsewhere(Scenario scenario) throws Exception {
        List<Task> tasks = group(scenario, with(), "a");
        scenario.elsewhere().delete(tasks.get(0).id());
        becomes(scenario, tasks.get(1), TaskState.BURIED);
    }

    private void the_ttl_counts_later(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        List<Task> tasks = new ArrayList<>();
        scenario.together(() -> {
            tasks.add(tube.put("a"));
            tasks.add(tube.putUnique("k", "child", with().ttl(ofMillis(500)).after(tasks), OnConflict.FAIL));
        });
        Task parent = takeParents(scenario, 1).get(0);
        Task brief = scenario.another().put("brief", with().ttl(ofMillis(501)));
        Eventually.holds(() -> tube.peek(brief.id()).isEmpty(), "a ttl as long is over");
        assertThat(tube.find("k").map(Task::state)).contains(TaskState.DELAYED);
        assertThat(tube.putUnique("k", "other", with(), OnConflict.KEEP).id())
                .isEqualTo(tasks.get(1).id());
        tube.ack(parent);
        Eventually.holds(() -> tube.peek(tasks.get(1).id()).isEmpty(), "its own ttl is over");
        scenario.together(() -> {
            Task other = tube.put("b");
            tasks.add(tube.put("child", with().ttl(ofMinutes(5)).after(other)));
        });
        tube.ack(tube.take(ZERO).orElseThrow());
        becomes(scenario, tasks.get(2), TaskState.READY);
        TaskMeta child = tube.meta(tasks.get(2).id()).orElseThrow();
        assertThat(Duration.between(child.now(), child.event().orElseThrow())).isBetween(ofMinutes(3), ofMinutes(5));
    }

    private void a_child_in_a_sub_queue(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        scenario.together(() -> {
            Task parent = tube.put("a");
            tube.put("child", with().utube("x").after(parent));
            tube.put("later", with().utube("x"));
        });
        List<Task> taken = tube.take(9, ZERO);
        assertThat(taken).extracting(Task::text).containsExactlyInAnyOrder("a", "later");
        tube.ack(taken.stream()
                .filter(task -> task.text().equals("a"))
                .findFirst()
                .orElseThrow());
        assertThat(tube.take(ofMillis(50))).isEmpty();
        tube.ack(taken.stream()
                .filter(task -> task.text().equals("later"))
                .findFirst()
                .orElseThrow());
        tube.ack(take(tube, "child"));
    }

    private void many_after_one(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        scenario.together(() -> {
            Task parent = tube.put("a");
            tube.putAll(List.of(PutItem.of("b", with().after(parent)), PutItem.of("c", with().after(parent))));
        });
        tube.ack(take(tube, "a"));
        tube.ack(tube.take(LONG).orElseThrow());
        tube.ack(tube.take(LONG).orElseThrow());
    }

    private void foreign_parents_are_refused(Scenario scenario) throws Exception {
        Tube tube = scenario.tube();
        Task foreign = tube.put("a");
        assertThatThrownBy(() -> tube.put("child", with().after(foreign))).hasMessageContaining("one JTA transaction");
        assertThatThrownBy(() -> tube.put("b", with().before(foreign))).hasMessageContaining("has not put");
        assertThat(tube.statistics().total()).isEqualTo(1);
        tube.ack(take(tube, "a"));
        assertThatThrownBy(() -> scenario.together(() -> {
                    Task own = tube.put("own");
                    tube.ack(take(tube, "own"));
                    tube.put("child", with().after(own));
                }))
                .hasMessageContaining("ended already");
        assertThatThrownBy(() -> scenario.together(() -> {
                    Task own = tube.put("own");
                    tube.ack(take(tube, "own"), TaskResult.completed("fine"));
                    tube.put("child", with().after(own));
                }))
                .hasMessageContaining("ended already");
        assertThat(tube.statistics().total()).isZero();
    }

    private void mixed(Scenario scenario) throws Exception {
        Task task = scenario.tube().put("a");
        assertThatThrownBy(() -> with().after(task).before(task)).hasMessageContaining("leave one of them out");
        assertThatThrownBy(() -> scenario.tube().put("b", with().after(task).delay(ofMillis(5))))
                .hasMessageContaining("leave it out");
        assertThatThrownBy(() -> scenario.tube().put("b", with().after(task).asUrgent()))
                .hasMessageContaining("leave one of them out");
    }
}
