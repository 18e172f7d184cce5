package org.tasktube.ra;

import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.tasktube.TransactionNotActiveException;
import org.tasktube.store.Effects;
import org.tasktube.store.Transactions;

/**
 * Follows JTA transactions, by one Synchronization each.
 *
 * <p>Only STATUS_NO_TRANSACTION is outside a transaction. Only STATUS_ACTIVE is a transaction that takes work,
 * beforeCompletion included. After a timeout the transaction manager rolls back on a thread of its own. The
 * transaction's thread is then still associated with the rolled-back transaction.
 */
public final class JtaTransactions implements Transactions {

    /**
     * The key of what each TaskTube in a transaction does before another one works in it. A text, and a map of the Java
     * library, because each rar has classes of its own.
     */
    private static final String TAKES_PART = "org.tasktube.takesPart";

    private final TransactionSynchronizationRegistry registry;
    private final Supplier<Optional<TransactionManager>> server;
    private final String datasource;
    private final List<Runnable> afterFailedCommit = new CopyOnWriteArrayList<>();
    private volatile Optional<TransactionManager> manager = Optional.empty();

    /**
     * Follows the transactions of a server.
     *
     * @param server gives the server's transaction manager; empty if the server does not give it, as the contract of
     *     adapters does not demand that
     */
    public JtaTransactions(TransactionSynchronizationRegistry registry, Supplier<Optional<TransactionManager>> server) {
        this(registry, server, "");
    }

    /** @param datasource the name of TaskTube's own datasource */
    JtaTransactions(
            TransactionSynchronizationRegistry registry,
            Supplier<Optional<TransactionManager>> server,
            String datasource) {
        this.registry = registry;
        this.server = server;
        this.datasource = datasource;
    }

    @Override
    public boolean active() {
        return registry.getTransactionStatus() != Status.STATUS_NO_TRANSACTION;
    }

    @Override
    public void check() {
        int status = registry.getTransactionStatus();
        if (status != Status.STATUS_NO_TRANSACTION && status != Status.STATUS_ACTIVE) {
            throw notActive(status, null);
        }
        if (status == Status.STATUS_ACTIVE) {
            tellOthers();
        }
    }

    /** Has other TaskTubes in the transaction learn that this one works in it, once. */
    private void tellOthers() {
        Map<Object, Runnable> there = taking();
        if (there != null && there.putIfAbsent(this, () -> {}) == null) {
            there.values().forEach(Runnable::run);
        }
    }

    @SuppressWarnings("unchecked")
    private Map<Object, Runnable> taking() {
        return (Map<Object, Runnable>) resource(TAKES_PART);
    }

    private Object resource(Object key) {
        try {
            return registry.getResource(key);
        } catch (IllegalStateException e) {
            // The transaction has ended
            return null;
        }
    }

    @Override
    public boolean isShared() {
        Map<Object, Runnable> there = taking();
        boolean hasAnother = there != null && there.size() > 1;
        return hasAnother
                || manager()
                        .flatMap(Resources::number)
                        .filter(number -> number < 2)
                        .isEmpty();
    }

    @Override
    public boolean isUsed() {
        Map<Object, Runnable> there = active() ? taking() : null;
        return there != null && there.containsKey(this);
    }

    @Override
    public boolean isCommitting() {
        return active() && resource(this) instanceof Effects known && known.isCommitting();
    }

    @Override
    public void beforeCommit(Runnable action) {
        if (!effects().beforeCommit(action)) {
            throw notActive(registry.getTransactionStatus(), null);
        }
    }

    /**
     * Returns whether the transaction of the calling thread is known to have nothing to commit: no resource takes part
     * in it, and nothing waits for its end, also not of another TaskTube in this server. False without a
     * transaction, and with a transaction manager that does not show its resources.
     */
    boolean haveNothingToCommit() {
        return registry.getTransactionStatus() == Status.STATUS_ACTIVE
                && registry.getResource(TAKES_PART) == null
                && manager()
                        .flatMap(Resources::number)
                        .filter(number -> number == 0)
                        .isPresent();
    }

    /** Returns whether a resource is known to take part in the transaction of the calling thread, also at its end. */
    boolean haveResource() {
        return manager().flatMap(Resources::number).filter(number -> number > 0).isPresent();
    }

    /**
     * Registers a Synchronization by which the adapter learns the end of a transaction. It is an ordinary one, so that
     * no Error of an application's Synchronization can skip it. WildFly keeps the interposed ones in a list of its own,
     * and skips the rest of that list after an Error.
     */
    void register(Synchronization atEnd) {
        if (!registerOrdinary(atEnd)) {
            registry.registerInterposedSynchronization(atEnd);
        }
    }

    @Override
    public Object key() {
        return registry.getTransactionKey();
    }

    @Override
    public void afterCommit(Runnable action) {
        if (!active()) {
            action.run();
        } else if (!effects().afterCommit(action)) {
            throw notActive(registry.getTransactionStatus(), null);
        }
    }

    @Override
    public void atEnd(Runnable action) {
        boolean waits = active()
                && effectsToWaitWith().filter(effects -> effects.atEnd(action)).isPresent();
        if (!waits) {
            action.run();
        }
    }

    @Override
    public Runnable afterFailedCommit(Runnable action) {
        afterFailedCommit.add(action);
        return () -> afterFailedCommit.remove(action);
    }

    @Override
    public <T> Optional<T> inTrial(Callable<T> work) throws Exception {
        Optional<TransactionManager> known = manager();
        if (known.isEmpty()) {
            return Optional.empty();
        }
        known.get().begin();
        try {
            return Optional.of(work.call());
        } finally {
            known.get().rollback();
        }
    }

    @Override
    public Optional<String> refusal(Exception failure) {
        List<String> others = manager().map(Resources::names).orElse(List.of());
        boolean refused = Stream.<Throwable>iterate(failure, Objects::nonNull, Throwable::getCause)
                .anyMatch(cause -> String.valueOf(cause.getMessage()).contains("enlist"));
        return others.isEmpty() || !refused
                ? Optional.empty()
                : Optional.of("the transaction on this thread works with " + String.join(" and ", others)
                        + ", and the transaction manager refuses TaskTube's " + datasource
                        + " beside it: only one of several datasources may be unable to prepare. Use one datasource"
                        + " for both, or an xa-data-source for each (docs/two-datasources.md)");
    }

    private Optional<TransactionManager> manager() {
        if (manager.isEmpty()) {
            manager = server.get();
        }
        return manager;
    }

    /** Marks an active transaction. A transaction that has ended cannot be marked, and need not be. */
    @Override
    public void setRollbackOnly() {
        if (registry.getTransactionStatus() == Status.STATUS_ACTIVE) {
            registry.setRollbackOnly();
        }
    }

    /** Returns the effects of the transaction; empty if it can no longer have any. */
    private Optional<Effects> effectsToWaitWith() {
        try {
            return Optional.of(effects());
        } catch (TransactionNotActiveException e) {
            return Optional.empty();
        }
    }

    private Effects effects() {
        try {
            Effects known = (Effects) registry.getResource(this);
            return known != null ? known : register();
        } catch (IllegalStateException e) {
            throw notActive(registry.getTransactionStatus(), e);
        }
    }

    /**
     * Registers effects, and checks the transaction again. If the transaction is marked for rollback at the same time,
     * servers may silently drop the Synchronization.
     */
    private Effects register() {
        check();
        Effects fresh = new Effects();
        Synchronization atEnd = new AtEnd(fresh);
        try {
            register(atEnd);
        } catch (RuntimeException e) {
            // The specification has IllegalStateException; Narayana throws another exception for a rollback
            throw notActive(registry.getTransactionStatus(), e);
        }
        check();
        registry.putResource(this, fresh);
        if (taking() == null) {
            registry.putResource(TAKES_PART, new ConcurrentHashMap<>());
        }
        taking().put(this, fresh::beginCommit);
        return fresh;
    }

    /**
     * Registers an ordinary Synchronization.
     *
     * @return false if there is no transaction manager, or if this runs in the beforeCompletion of an interposed
     *     Synchronization, in which only another interposed one can be registered
     */
    private boolean registerOrdinary(Synchronization atEnd) {
        Optional<TransactionManager> known = manager();
        try {
            if (known.isPresent()) {
                known.get().getTransaction().registerSynchronization(atEnd);
            }
            return known.isPresent();
        } catch (IllegalStateException | RollbackException | SystemException e) {
            return false;
        }
    }

    private static TransactionNotActiveException notActive(int status, Throwable cause) {
        return new TransactionNotActiveException(
                switch (status) {
                    case Status.STATUS_MARKED_ROLLBACK ->
                        "the transaction on this thread is marked for rollback, by setRollbackOnly, a failure, or its"
                                + " timeout; nothing was changed. Let it end, and begin another one";
                    case Status.STATUS_ACTIVE,
                            Status.STATUS_PREPARING,
                            Status.STATUS_PREPARED,
                            Status.STATUS_COMMITTING,
                            Status.STATUS_COMMITTED ->
                        "the transaction on this thread is committing, or has committed, and takes no more"
                                + " work; nothing was changed. Do this work before the commit, or in a transaction"
                                + " of its own";
                    default ->
                        "the transaction on this thread has ended, most likely by its timeout (status " + status
                                + "); nothing was changed. Begin another one, and if the work takes that long, raise"
                                + " the transaction's timeout";
                },
                cause);
    }

    /** Applies the effects when the transaction manager ends the transaction. */
    private final class AtEnd implements Synchronization {

        private final Effects effects;
        private final Thread caller = Thread.currentThread();
        private volatile boolean committing;

        AtEnd(Effects effects) {
            this.effects = effects;
        }

        /** Called before a commit, and not before a rollback. */
        @Override
        public void beforeCompletion() {
            committing = true;
            effects.commit();
        }

        @Override
        public void afterCompletion(int status) {
            boolean committed = status == Status.STATUS_COMMITTED;
            effects.end(committed);
            // At a timeout, a statement that the caller has just begun may commit by itself
            if (!committed && (committing || Thread.currentThread() != caller)) {
                afterFailedCommit.forEach(Runnable::run);
            }
        }
    }
}
