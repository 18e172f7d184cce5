package org.tasktube.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Tasks that went into the tubes and out of them, in buckets of 5 minutes, of all servers together. All times are the
 * database's clock.
 *
 * @param from the start of the first bucket
 * @param bucket the length of a bucket: {@link #BUCKET}
 * @param tubes the tubes that have a number other than 0, by name
 * @param omitted the number of tubes that were not read, because there are more than {@link #MAX_TUBES}
 * @param now the time of the read
 */
public record Flow(Instant from, Duration bucket, List<TubeFlow> tubes, int omitted, Instant now) {

    /** The length of a bucket. */
    public static final Duration BUCKET = Duration.ofMinutes(5);

    /** The time for which the numbers are kept. */
    public static final Duration KEPT = Duration.ofHours(25);

    /** The longest time to read. */
    public static final Duration MAX_BACK = Duration.ofHours(24);

    /** The maximum number of tubes per read, the first ones by name. */
    public static final int MAX_TUBES = 1_000;
}
