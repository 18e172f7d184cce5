package org.tasktube;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * A connection to the tubes, and the session that holds what is taken through it. Get one where it is needed and close
 * it there; it costs no round trip.
 */
public interface TubeConnection extends AutoCloseable {

    /** The session that owns what this connection takes. */
    UUID session();

    /**
     * The tube of that name.
     *
     * @throws TubeNotFoundException if there is none
     * @throws IllegalArgumentException if it cannot name a tube
     */
    Tube tube(String name);

    /** The definitions of all tubes, by name. */
    List<TubeDefinition> tubes();

    /**
     * Creates a tube.
     *
     * @throws TubeExistsException if one of that name exists
     * @throws UnsupportedOptionException if its type does not know an option
     * @throws IllegalArgumentException if there is no such type
     */
    Tube createTube(TubeDefinition definition);

    /**
     * Creates a tube, or returns the one that stands.
     *
     * @throws TubeExistsException if one of that name exists and is defined otherwise
     * @throws UnsupportedOptionException if its type does not know an option
     * @throws IllegalArgumentException if there is no such type
     */
    Tube createTubeIfNotExists(TubeDefinition definition);

    /**
     * Does all that is due now in all tubes: ends ttls, ttrs and delays. The adapter calls it at each deadline by
     * itself; calling it more often is harmless. Never part of the caller's transaction.
     *
     * @return how long until something is due next, at most a few seconds
     */
    Duration sweep();

    /** The adapter's state on this server; the only call that is answered in all of them. */
    AdapterState state();

    /**
     * Closes the connection: what its session still holds becomes READY, and inside a transaction only when that ends.
     * A waiting take of it takes nothing. Closing again changes nothing.
     */
    @Override
    void close();
}
