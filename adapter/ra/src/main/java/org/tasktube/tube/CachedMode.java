package org.tasktube.tube;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.tasktube.TubeMode;
import org.tasktube.store.ModeSetting;
import org.tasktube.store.Transactions;

/**
 * The mode of one tube as this server knows it. The database's row decides about tasks in the database. This memory
 * decides about those of temporary tubes, and spares claims that would find nothing.
 */
public final class CachedMode {

    private final Transactions transactions;

    /** The settings of open transactions, which they alone see. */
    private final Map<Object, ModeSetting> uncommitted = new ConcurrentHashMap<>();

    private final List<Runnable> onChange = new CopyOnWriteArrayList<>();
    private volatile ModeSetting committed = ModeSetting.UNREAD;

    CachedMode(Transactions transactions) {
        this.transactions = transactions;
    }

    /** Returns the committed setting. */
    public ModeSetting committed() {
        return committed;
    }

    /** Returns the setting that the caller's transaction sees. */
    public ModeSetting here() {
        return uncommitted.isEmpty() || !transactions.active()
                ? committed
                : uncommitted.getOrDefault(transactions.key(), committed);
    }

    /** Adds an action that runs after each change. The returned action removes it. */
    public Runnable onChange(Runnable action) {
        onChange.add(action);
        return () -> onChange.remove(action);
    }

    /** Shows a new setting to the caller's transaction, until that ends. */
    void setHere(ModeSetting setting) {
        if (transactions.active()) {
            Object transaction = transactions.key();
            uncommitted.put(transaction, setting);
            transactions.atEnd(() -> uncommitted.remove(transaction));
        }
    }

    /**
     * Applies a committed setting, unless a later one is known. A poll may have read the row before a commit that this
     * server knows already.
     *
     * @return true if it is news: not the first setting of an OPEN tube
     */
    synchronized boolean learn(ModeSetting setting) {
        ModeSetting before = committed;
        if (!setting.since().isAfter(before.since())) {
            return false;
        }
        committed = setting;
        boolean isFirst = before.equals(ModeSetting.UNREAD);
        return !isFirst || setting.mode() != TubeMode.OPEN;
    }

    /** Runs the actions of a change. */
    void changed() {
        onChange.forEach(Runnable::run);
    }
}
