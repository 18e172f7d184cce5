package org.tasktube.admin;

/**
 * The work on a tube by all servers. Each server shows the others its numbers with its heartbeat, a fifth of its
 * {@code nodeTimeout} apart. They are as old as three heartbeats at most.
 *
 * @param tube the name of the tube
 * @param moved what has happened since the start of the server that answers, as far as it has seen it. A server that is
 *     killed loses the numbers since its last heartbeat
 * @param beans the active beans that get tasks of the tube
 */
public record TubeWork(String tube, Moved moved, Beans beans) {

    /**
     * Active message-driven beans.
     *
     * @param active their number; a bean that is deployed on two servers counts twice
     * @param instances the number of deliveries that they can have at once now
     * @param busy the number of their deliveries that run now
     */
    public record Beans(int active, int instances, int busy) {

        /** No bean is active. */
        public static final Beans NONE = new Beans(0, 0, 0);

        /** Returns the sum of two. */
        public Beans plus(Beans more) {
            return new Beans(active + more.active, instances + more.instances, busy + more.busy);
        }
    }

    /**
     * What has happened in a tube.
     *
     * @param puts the tasks that were put
     * @param ended the tasks that ended: by ack, with or without a result, by delete, or by ttl
     * @param failed the takes that failed: deliveries to a bean that failed, and takes whose ttr was over
     */
    public record Moved(long puts, long ended, long failed) {

        /** Nothing has happened. */
        public static final Moved NONE = new Moved(0, 0, 0);

        /** Returns the sum of two. */
        public Moved plus(Moved more) {
            return new Moved(puts + more.puts, ended + more.ended, failed + more.failed);
        }
    }
}
