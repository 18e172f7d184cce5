package org.tasktube.tube;

import java.util.concurrent.Callable;
import org.tasktube.AdapterState;
import org.tasktube.session.Session;
import org.tasktube.store.StoredTube;
import org.tasktube.store.TaskStore;
import org.tasktube.store.Transactions;

/**
 * What a tube needs of its server.
 *
 * @param deadlines has the timer armed for what comes due
 * @param drivers the types of tubes
 * @param beans those that listen to tubes
 * @param maxDataSize the most bytes that a task or a result may carry
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
        Holders holders) {

    /** The server's store, and its threads. */
    public interface Server {

        AdapterState state();

        /** Returns this server's number in the database. */
        int number();

        /**
         * Returns the store that has the tasks of a tube.
         *
         * @throws org.tasktube.AdapterNotRunningException unless the adapter is RUNNING
         * @throws org.tasktube.TransactionNotActiveException if the caller's transaction takes no more work
         */
        TaskStore tasks(StoredTube tube);

        /** Does something at once, but not in the caller's transaction. */
        <T> T outsideTransaction(Callable<T> work);

        /** Returns whether the calling thread may run listeners, which are code of applications and may block it. */
        boolean mayRunListeners();

        /** Runs the effects of a committed transition; elsewhere if listeners would hold up the calling thread. */
        void apply(StoredTube tube, boolean listened, Runnable effects);
    }

    /** The tubes that this server knows. */
    public interface Directory {

        /**
         * Fails for a tube that is no more, even if there is another one of its name.
         *
         * @throws org.tasktube.TubeNotFoundException if that is so
         */
        void checkThere(StoredTube tube);

        /** Drops a tube, in the caller's transaction. */
        void drop(StoredTube tube);

        /** A tube is gone. */
        void forget(StoredTube tube);

        /** Temporary tubes have room for more: wakes those that wait for it. */
        void temporaryRoomFreed();
    }

    /** The claims that are under way, so that no task stays TAKEN by a claim that nobody knows of. */
    public interface Claims {

        /** Begins a claim; returns its token. */
        long begin();

        /** The claim is over: a session holds what it brought, or it brought nothing. */
        void ended(long token);

        /** The claim may have been done or not; {@code suspect} has the server look soon. */
        void lost(long token, boolean suspect);
    }

    /** The sessions that hold tasks. */
    public interface Holders {

        /** A session has taken something. */
        void know(Session session);

        /** A session has taken something after it ended. */
        void tookLate(Session session);
    }
}
