package org.tasktube.store;

import java.util.Optional;
import java.util.UUID;

/**
 * The holder of a task: a session on one server.
 *
 * @param node the number of the server
 * @param bean the name of the bean for which the session takes; empty for none
 */
public record Holder(UUID session, int node, Optional<String> bean) {

    /** Creates a holder that is no bean. */
    public Holder(UUID session, int node) {
        this(session, node, Optional.empty());
    }
}
