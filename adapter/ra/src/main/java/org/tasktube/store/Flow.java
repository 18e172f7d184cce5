package org.tasktube.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The numbers of tasks that went into the tubes and out of them, of all servers, in buckets of
 * {@link org.tasktube.admin.Flow#BUCKET}.
 *
 * <p>If the store fails, a method throws {@link org.tasktube.StoreException}.
 */
public interface Flow {

    /** The numbers of one tube. */
    record Numbers(int tube, long puts, long ends, long failures) {

        public boolean areZero() {
            return puts == 0 && ends == 0 && failures == 0;
        }

        /** Returns by how much the numbers have grown. If they have not, they began at 0 again. */
        public Numbers since(Numbers before) {
            return before == null || puts < before.puts || ends < before.ends || failures < before.failures
                    ? this
                    : new Numbers(tube, puts - before.puts, ends - before.ends, failures - before.failures);
        }
    }

    /** The numbers of one tube in a bucket; the first bucket that was read is 0. */
    record Bucket(int index, Numbers numbers) {}

    /** The name of a tube with its id. */
    record Name(int tube, String name) {}

    /**
     * The flow of a time.
     *
     * @param from the start of the first bucket
     * @param names the tubes that were read, by name
     * @param omitted the number of tubes that were not read
     * @param filled the buckets that have numbers
     */
    record Read(Instant from, List<Name> names, int omitted, List<Bucket> filled, Instant now) {}

    /**
     * Adds numbers of a server, by one statement.
     *
     * @param node the number of the server
     * @param back the time since the middle of the time in which the numbers grew, which decides about the bucket
     */
    void add(int node, List<Numbers> numbers, Duration back);

    /** Returns the latest buckets that are over, of the first tubes by name. */
    Read read(int buckets, int mostTubes);

    /** Removes rows that are no longer kept, a bounded number at once. It waits for no lock. */
    void forget();
}
