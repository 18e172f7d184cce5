package org.tasktube.tube;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.tasktube.AdapterState;
import org.tasktube.PutOptions;
import org.tasktube.TaskProgress;
import org.tasktube.TubeMode;
import org.tasktube.admin.TubeChange;
import org.tasktube.session.Session;
import org.tasktube.store.ModeSetting;
import org.tasktube.store.Put;
import org.tasktube.store.StoredTube;
import org.tasktube.store.Transactions;
import org.tasktube.store.sql.Afters;
import org.tasktube.store.sql.TaskStore;
import org.tasktube.tracing.Tracing;

/**
 * The parts of the server that a tube uses.
 *
 * @param transactions the caller's transactions
 * @param deadlines arms the timer for the next deadline
 * @param drivers the types of tubes
 * @param beans the beans that listen to tubes
 * @param maxDataSize the largest size of a task's or result's data, in bytes
 * @param server the store and the threads
 * @param directory the tubes
 * @param claims the open claims
 * @param holders the sessions
 * @param ordering the tasks that wait for others
 * @param holding how far holders are with their tasks
 * @param tracing the spans of puts
 */
public record TubeContext(
        Transactions transactions,
        Deadlines deadlines,
        Drivers drivers,
        ListeningBeans beans,
        int maxDataSize,
        Server server,
        Directory directory,
        Claims claims,
        Holders holders,
        Ordering ordering,
        Holding holding,
        Tracing tracing) {

    /** The server's store, and its threads. */
    public interface Server {

        AdapterState state();

        /** Returns this server's number in the database. */
        int number();

        /** Returns this server's name. */
        String name();

        /**
         * Returns the store of a tube's tasks.
         *
         * @throws org.tasktube.AdapterNotRunningException unless the adapter is RUNNING
         * @throws org.tasktube.TransactionNotActiveException if the caller's transaction takes no more work
         */
        TaskStore tasks(StoredTube tube);

        /** Returns which tasks wait for which others, with the same failures as {@link #tasks}. */
        Afters afters();

        /** Tells the other servers of a tube soon, so that they need not poll for it. Waits for nothing. */
        void tell(StoredTube tube, News news);

        /** Runs work on the maintenance thread after a delay. It must not wait. */
        void executeIn(Duration delay, Runnable work);

        /** Does work at once, outside the caller's transaction. */
        <T> T outsideTransaction(Callable<T> work);

        /** Returns whether the calling thread may run listeners, which are code of applications and may block it. */
        boolean mayRunListeners();

        /** Runs the effects of a committed transition, on another thread if listeners could block the calling one. */
        void apply(StoredTube tube, boolean listened, Runnable effects);
    }

    /** The tubes that this server knows. */
    public interface Directory {

        /** Returns the tube of that id if this server has seen it. */
        Optional<? extends OrderedTube> byId(int id);

        /** Returns the tube of that name. Queries the database only for tubes not seen before. */
        Optional<? extends OrderedTube> find(String name);

        /**
         * Fails if the tube was dropped, even if another tube has its name now.
         *
         * @throws org.tasktube.TubeNotFoundException if the tube was dropped
         */
        void checkThere(StoredTube tube);

        /**
         * Drops a tube, in the caller's transaction.
         *
         * @param force true to drop it also while tasks are TAKEN
         * @throws org.tasktube.TubeInUseException if a task is TAKEN, without force
         */
        void drop(StoredTube tube, boolean force);

        /**
         * Sets the mode of a tube, in the caller's transaction. Returns empty if the tube has that mode already.
         *
         * @throws org.tasktube.TubeNotFoundException if the tube was dropped
         */
        Optional<ModeSetting> setMode(StoredTube tube, TubeMode mode, String by, String reason);

        /**
         * Changes defaults of a tube, in the caller's transaction. Returns the tube after the change.
         *
         * @throws org.tasktube.TubeNotFoundException if the tube was dropped
         */
        StoredTube change(StoredTube tube, TubeChange change);

        /** Forgets a dropped tube. */
        void forget(StoredTube tube);
    }

    /** A tube in which a task can wait for others. */
    public interface OrderedTube {

        StoredTube stored();

        /** Makes a READY task wait that the caller's transaction has put, before another one that it puts now. */
        void holdBack(long id);

        /** Buries a task that waits for another one, with a reason. */
        void buryWaiting(long id, String why);
    }

    /** The order of tasks: which ones a put is after and before, and what follows the end of a parent. */
    public interface Ordering {

        /** Remembers what the caller's transaction has put. */
        void made(List<Long> ids);

        /** Puts tasks with those that they are after or before. Either all of it is done or nothing. */
        Put put(StoredTube tube, List<PutOptions> options, TaskStore store, Supplier<Put> put);

        /**
         * Has an edited form of a task wait as that one did, and others for it as they did for that one.
         *
         * @param waited whether the task waited for others
         */
        void move(OrderedTube tube, long old, long id, boolean waited);

        /** Looks for what follows, soon, after tasks have ended or are gone. */
        void ended(Collection<Long> ids, boolean areFollowed);

        /** Looks for what follows, soon, after tasks are gone whose ids are not known. */
        void gone();
    }

    /** How far holders are with their tasks, and which of them were asked to end theirs. */
    public interface Holding {

        /** Asks the holder of a task to end it, in the caller's transaction. */
        void ask(long id, String reason);

        /** Called after such calls, in the same transaction of the caller, or after one of their own. */
        void asked();

        /** Returns whether the holder of a task was asked to end it, as far as the memory knows. */
        boolean isCancelled(long id);

        /** Says how far a task is. Waits for nothing. */
        void says(long id, TaskProgress progress);

        /** Returns what is known of a task. */
        Optional<TaskProgress> of(long id);
    }

    /** The open claims. They ensure that no task stays TAKEN by a claim with an unknown outcome. */
    public interface Claims {

        /** Begins a claim. Returns its token. */
        long begin();

        /** Ends a claim: a session holds its tasks, or it found none. */
        void ended(long token);

        /** Ends a claim with an unknown outcome. {@code suspect} makes the server check soon. */
        void lost(long token, boolean suspect);
    }

    /** The sessions that hold tasks. */
    public interface Holders {

        /** Adds a session that has taken a task. */
        void know(Session session);

        /** Releases a task that a session has taken after its end. */
        void tookLate(Session session);
    }
}
