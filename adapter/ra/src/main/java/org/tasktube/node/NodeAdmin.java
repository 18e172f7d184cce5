package org.tasktube.node;

import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.tasktube.Tube;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.session.ClientConnection;
import org.tasktube.tube.TubeEngine;

/** The administration of a server: a room above this one, which reads and changes what the node keeps. */
public interface NodeAdmin {

    /** Creates the administration of a node that is being made. */
    @FunctionalInterface
    interface Factory {

        /**
         * Creates the administration.
         *
         * @param handles returns a handle of a tube with all calls, also of a tube of TaskTube's own
         * @param close closes a connection, which releases its tasks
         */
        NodeAdmin of(NodeParts parts, Function<TubeEngine, Tube> handles, Consumer<ClientConnection> close);
    }

    /** Returns the calls of the administration. */
    TaskAdmin calls();

    /** Adds an active bean. The returned action removes it. */
    Runnable add(ActiveBean bean);

    /** Returns the number of active beans of each tube that has some. */
    Map<String, Long> beansByTube();

    /** Sets what starts the thread that runs operations, each time when there are some. It must not wait. */
    void startOperationsBy(Consumer<Runnable> starter);

    /** Starts the thread for operations, unless it runs: an operation may be READY for this server. */
    void wakeOperations();

    /** Starts it if the last count has found a READY operation. Uses no database. */
    void wakeOperationsIfCounted();

    /** Ends the thread for operations after its present batch. */
    void end();
}
