package org.tasktube.node;

import java.util.Map;
import java.util.concurrent.Executor;
import org.tasktube.admin.TaskAdmin;

/** The administration of a server: a room above this one, which reads and changes what the node keeps. */
public interface NodeAdmin {

    /** Creates the administration of a node that is being made. */
    @FunctionalInterface
    interface Factory {

        /**
         * Creates the administration.
         *
         * @param background runs work that may wait, one piece after the other
         */
        NodeAdmin of(NodeParts parts, Executor background);
    }

    /** Returns the calls of the administration. */
    TaskAdmin calls();

    /** Adds an active bean. The returned action removes it. */
    Runnable add(ActiveBean bean);

    /** Returns the number of active beans of each tube that has some. */
    Map<String, Long> beansByTube();

    /** Runs operations in the background if some are left for this server. Does not wait. */
    void runOperations();
}
