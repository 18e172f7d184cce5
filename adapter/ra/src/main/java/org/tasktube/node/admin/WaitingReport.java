package org.tasktube.node.admin;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.tasktube.AdapterNotRunningException;
import org.tasktube.TakeLimits;
import org.tasktube.TaskMeta;
import org.tasktube.TaskNotFoundException;
import org.tasktube.TaskState;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.BeanStatus;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.TaskRelations;
import org.tasktube.admin.WaitingTask;
import org.tasktube.node.ActiveBean;
import org.tasktube.node.StoreAccess;
import org.tasktube.store.ModeSetting;
import org.tasktube.store.Situation;
import org.tasktube.store.StoredTube;
import org.tasktube.tube.TubeEngine;

/**
 * Finds the reason why a task is not worked on, in the order in which a claim and its conditions decide. The store
 * gives the situation of the task, and this server knows its own consumers.
 */
record WaitingReport(StoreAccess access, TubeReads tubes, String server, List<ActiveBean> beans) {

    WaitingTask why(String tube, long id) {
        TubeDefinition.checkName(tube);
        try {
            TubeEngine engine = tubes.tube(tube);
            Situation situation = access.tasks(engine.stored())
                    .reports()
                    .situation(engine.stored(), id, TaskAdmin.MAX_BEFORE + 1)
                    .orElseThrow(() -> new TaskNotFoundException(tube, id));
            return new Case(engine, situation).reason();
        } catch (AdapterNotRunningException e) {
            return WaitingText.notRunning(tube, id, e.getMessage());
        }
    }

    TaskRelations relations(String tube, long id) {
        TubeDefinition.checkName(tube);
        StoredTube stored = tubes.tube(tube).stored();
        if (access.tasks(stored).reads().meta(stored, id).isEmpty()) {
            throw new TaskNotFoundException(tube, id);
        }
        return access.afters().relations(id);
    }

    /** One task. */
    private final class Case {

        private final TubeEngine engine;
        private final Situation situation;
        private final TaskMeta meta;
        private final WaitingText text;
        private final List<ActiveBean> consumers;

        Case(TubeEngine engine, Situation situation) {
            this.engine = engine;
            this.situation = situation;
            meta = situation.task().task().meta();
            text = new WaitingText(situation, server);
            consumers = beans.stream()
                    .filter(bean -> bean.tube().equals(engine.name()))
                    .toList();
        }

        WaitingTask reason() {
            return switch (meta.state()) {
                case DONE -> text.done();
                case BURIED -> text.buried();
                case TAKEN -> taken();
                case DELAYED ->
                    meta.event().isPresent()
                            ? text.delayed()
                            : text.afterOthers(access.afters().relations(meta.id()));
                case READY -> ready();
            };
        }

        private WaitingTask taken() {
            Optional<ActiveBean> ahead = consumers.stream()
                    .filter(bean -> bean.hasClaimed(meta.id()))
                    .findFirst();
            if (ahead.isPresent()) {
                return text.claimedAhead(ahead.get().status().name());
            }
            for (ActiveBean bean : consumers) {
                BeanStatus status = bean.status();
                for (BeanStatus.Delivery delivery : status.deliveries()) {
                    if (delivery.task() == meta.id()) {
                        return text.delivered(status.name(), delivery.duration());
                    }
                }
            }
            return text.taken();
        }

        private WaitingTask ready() {
            ModeSetting mode =
                    situation.mode().orElseGet(() -> engine.runtime().mode().here());
            if (situation.isOver()) {
                return text.expired();
            } else if (mode.isPaused()) {
                return text.paused(mode);
            } else if (situation.task().isLocked()) {
                return text.locked();
            } else if (situation.head().filter(this::isInUse).isPresent()) {
                return text.behindHead(situation.head().get());
            }
            return limited().or(this::withoutConsumer).orElseGet(this::inOrder);
        }

        /** Returns the reason if a limit of the tube lets no task be taken now. */
        private Optional<WaitingTask> limited() {
            TakeLimits limits = engine.definition().takeLimits();
            Situation.Used used = situation.used();
            OptionalInt most = limits.maxTaken();
            if (most.isPresent() && used.taken() >= most.getAsInt()) {
                return Optional.of(
                        text.limited("has " + used.taken() + " of at most " + most.getAsInt() + " TAKEN tasks"));
            }
            return limits.maxRate()
                    .filter(rate -> used.takes() >= rate.takes())
                    .map(rate -> text.limited(
                            "had " + used.takes() + " of at most " + rate.takes() + " takes in " + rate.period()));
        }

        /**
         * A take that is not committed yet has locked the head, and for others it is READY. In strict order a head can
         * be a task that failed.
         */
        private boolean isInUse(Situation.Found head) {
            return head.isLocked() || head.task().meta().state() != TaskState.READY;
        }

        /** Returns the reason if no consumer can take a task of the tube now, as far as this server knows. */
        private Optional<WaitingTask> withoutConsumer() {
            boolean isHeldElsewhere = situation.holders().stream().anyMatch(node -> node != access.number());
            if (engine.takers().length() > 0 || isHeldElsewhere) {
                return Optional.empty();
            } else if (consumers.isEmpty()) {
                return situation.holders().isEmpty() ? Optional.of(text.noConsumer()) : Optional.empty();
            }
            List<BeanStatus> hindered = consumers.stream()
                    .map(ActiveBean::status)
                    .filter(bean -> bean.hindrance().isPresent())
                    .toList();
            return hindered.size() < consumers.size() ? Optional.empty() : Optional.of(text.hindered(hindered.get(0)));
        }

        private WaitingTask inOrder() {
            if (!situation.isBlocked()) {
                return situation.before().isEmpty() ? text.next() : text.behind();
            }
            Optional<Situation.Found> head = situation.head().filter(this::isBefore);
            if (head.isPresent()) {
                return text.behindHead(head.get());
            }
            return situation.before().isEmpty() ? text.nextInSubQueue() : text.behindInSubQueue();
        }

        /** Returns whether the head comes first. If it was overtaken, the next promotion blocks it. */
        private boolean isBefore(Situation.Found head) {
            return head.task().place().compareTo(situation.task().task().place()) < 0;
        }
    }
}
