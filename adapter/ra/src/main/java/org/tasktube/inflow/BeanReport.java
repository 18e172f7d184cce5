package org.tasktube.inflow;

import java.util.Optional;
import java.util.function.Supplier;
import org.tasktube.AdapterState;
import org.tasktube.admin.BeanStatus;
import org.tasktube.admin.BeanStatus.Hindrance;
import org.tasktube.admin.BeanStatus.Reason;
import org.tasktube.node.ActiveBean;
import org.tasktube.node.Node;
import org.tasktube.tube.TubeEngine;

/** Describes an active bean for the administration: its work now, and what keeps tasks from it. */
final class BeanReport implements ActiveBean {

    private final String bean;
    private final DeliveryPolicy policy;
    private final Node node;
    private final DeliveryThreads threads;
    private final Supplier<Claims> claims;

    /**
     * The state of the claim loop.
     *
     * @param hasThread true if the server has given the loop its thread
     * @param tube the tube from which it claims; empty before it has found the tube
     * @param refused true if the last claim failed
     */
    record Claims(boolean hasThread, Optional<TubeEngine> tube, boolean refused) {}

    BeanReport(String bean, DeliveryPolicy policy, Node node, DeliveryThreads threads, Supplier<Claims> claims) {
        this.bean = bean;
        this.policy = policy;
        this.node = node;
        this.threads = threads;
        this.claims = claims;
    }

    @Override
    public String tube() {
        return policy.tube();
    }

    @Override
    public boolean hasClaimed(long task) {
        return threads.load().ahead().stream()
                .anyMatch(claimed -> claimed.task().id() == task);
    }

    @Override
    public BeanStatus status() {
        BeanLoad load = threads.load();
        return new BeanStatus(
                bean,
                policy.tube(),
                policy.maxSession(),
                load.sessions(),
                load.busy(),
                load.deliveries(),
                load.ahead().size(),
                hindrance(load));
    }

    private Optional<Hindrance> hindrance(BeanLoad load) {
        return ofAdapter().or(this::ofClaims).or(() -> ofServer(load)).or(() -> ofLimit(load));
    }

    private Optional<Hindrance> ofAdapter() {
        return node.state() == AdapterState.RUNNING
                ? Optional.empty()
                : hindrance(Reason.ADAPTER_NOT_RUNNING, "gets no tasks: the adapter is " + node.state());
    }

    private Optional<Hindrance> ofClaims() {
        Claims now = claims.get();
        if (!now.hasThread) {
            return hindrance(Reason.NO_THREAD, "gets no tasks: the server gives no thread for its claims");
        } else if (now.tube.isEmpty()) {
            return withoutTube(now);
        }
        return now.tube.get().runtime().mode().committed().isPaused()
                ? hindrance(Reason.TUBE_PAUSED, "gets no tasks: tube '" + policy.tube() + "' is PAUSED")
                : Optional.empty();
    }

    private Optional<Hindrance> withoutTube(Claims now) {
        if (now.refused) {
            return hindrance(Reason.DATABASE_REFUSES, "gets no tasks: the last claim failed, and is repeated");
        }
        return node.knows(policy.tube())
                ? Optional.empty()
                : hindrance(Reason.NO_TUBE, "gets no tasks: tube '" + policy.tube() + "' does not exist");
    }

    private Optional<Hindrance> ofServer(BeanLoad load) {
        if (load.databaseRefuses()) {
            return hindrance(
                    Reason.DATABASE_REFUSES,
                    "gets no new tasks: the database has refused the outcomes of " + DeferredWrites.LIMIT
                            + " deliveries, which are repeated");
        } else if (load.serverRefuses()) {
            return hindrance(
                    Reason.SERVER_REFUSES,
                    "gets no new tasks for a moment: the server has refused to call it, or has no instance of it");
        }
        return load.noThread()
                ? hindrance(
                        Reason.NO_THREAD,
                        "has at most " + load.sessions() + " deliveries at once: the server gives no more threads")
                : Optional.empty();
    }

    private Optional<Hindrance> ofLimit(BeanLoad load) {
        if (load.limit() < policy.maxSession()) {
            return hindrance(
                    Reason.NO_INSTANCE,
                    "has at most " + load.limit() + " of " + policy.maxSession()
                            + " deliveries at once: the server's pool has no more instances of it");
        }
        return load.busy() < load.limit()
                ? Optional.empty()
                : hindrance(Reason.BUSY, "has " + load.limit() + " deliveries running, as many at once as it can");
    }

    private Optional<Hindrance> hindrance(Reason reason, String text) {
        return Optional.of(new Hindrance(reason, "Bean '" + bean + "' " + text + "."));
    }
}
