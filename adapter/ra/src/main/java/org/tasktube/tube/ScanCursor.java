package org.tasktube.tube;

import java.time.Duration;
import org.tasktube.store.Place;

/**
 * How far beans on this server have read a tube. Where many tasks wait, what was taken leaves behind entries in the
 * database's index until a vacuum, and each claim from the start would read them all again; so the next one goes on from
 * here.
 *
 * <p>What becomes ready before this place on this server sends the reading back to the start. What other servers make
 * ready there is found a little later, because the start is looked at again that often.
 */
final class ScanCursor {

    private static final long FROM_START = Duration.ofMillis(100).toNanos();

    private volatile Place reached = Place.START;
    private long startedAt;

    /** Where the next claim goes on. */
    synchronized Place next() {
        long now = System.nanoTime();
        if (now - startedAt > FROM_START) {
            startedAt = now;
            reached = Place.START;
        }
        return reached;
    }

    synchronized void reached(Place place) {
        if (reached.compareTo(place) < 0) {
            reached = place;
        }
    }

    /** A task became ready there. Reads without a lock: every put asks. */
    void ready(Place place) {
        if (place.compareTo(reached) < 0) {
            back();
        }
    }

    /** Tasks became ready anywhere, or there were none after this place. */
    synchronized void back() {
        reached = Place.START;
    }
}
