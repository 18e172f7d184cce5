package org.tasktube.store.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The numbers of tasks that went into the tubes and out of them, of all servers, in buckets of
 * {@link org.tasktube.admin.Flow#BUCKET}.
 *
 * <p>If the store fails, a method throws {@link org.tasktube.StoreException}.
 */
public record Flow(Jdbc jdbc, Dialect dialect) {

    /** The numbers of one tube. */
    public record Numbers(int tube, long puts, long ends, long failures) {

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
    public record Bucket(int index, Numbers numbers) {}

    /** The name of a tube with its id. */
    public record Name(int tube, String name) {}

    /**
     * The flow of a time.
     *
     * @param from the start of the first bucket
     * @param names the tubes that were read, by name
     * @param omitted the number of tubes that were not read
     * @param filled the buckets that have numbers
     */
    public record Read(Instant from, List<Name> names, int omitted, List<Bucket> filled, Instant now) {}

    /** The most rows that are removed at once, so that the transaction stays short. */
    private static final int FORGOTTEN_AT_ONCE = 10_000;

    /** The most rounds of a removal, so that it ends. The next one goes on. */
    private static final int FORGETTING_ROUNDS = 10;

    private static final long BUCKET_SECONDS = org.tasktube.admin.Flow.BUCKET.toSeconds();

    /**
     * Adds numbers of a server, by one statement.
     *
     * @param node the number of the server
     * @param back the time since the middle of the time in which the numbers grew, which decides about the bucket
     */
    public void add(int node, List<Numbers> numbers, Duration back) {
        jdbc.single("add to the flow of tasks", on -> on.within(Scans.SECONDS)
                .update(
                        sql("add_flow"),
                        Parameters.of(
                                "node",
                                node,
                                "back",
                                back.toMillis(),
                                "tubes",
                                each(numbers, Numbers::tube),
                                "puts",
                                each(numbers, Numbers::puts),
                                "ends",
                                each(numbers, Numbers::ends),
                                "failures",
                                each(numbers, Numbers::failures))));
    }

    private static List<Long> each(List<Numbers> numbers, ToLongFunction<Numbers> of) {
        return numbers.stream().mapToLong(of).boxed().toList();
    }

    private record Clock(long bucket, Instant now) {}

    /** Returns the latest buckets that are over, of the first tubes by name. */
    public Read read(int buckets, int mostTubes) {
        return jdbc.reading(
                "read the flow of tasks",
                dialect::beginReading,
                on -> read(on.within(Scans.SECONDS), buckets, mostTubes));
    }

    private Read read(SqlConnection on, int buckets, int mostTubes) throws SQLException {
        Clock clock = on.first(
                        sql("flow_clock"), row -> new Clock(row.getLong(1), Rows.instant(row, 2)), Parameters.NONE)
                .orElseThrow();
        long from = clock.bucket - buckets;
        List<Name> all =
                on.list(sql("names_of_tubes"), row -> new Name(row.getInt(1), row.getString(2)), Parameters.NONE);
        List<Name> names = all.subList(0, Math.min(all.size(), mostTubes));
        List<Bucket> filled = on.list(
                sql("flow"),
                row -> new Bucket(
                        Math.toIntExact(row.getLong(2) - from),
                        new Numbers(row.getInt(1), row.getLong(3), row.getLong(4), row.getLong(5))),
                Parameters.of(
                        "from",
                        from,
                        "before",
                        clock.bucket,
                        "tubes",
                        names.stream().map(Name::tube).toList()));
        return new Read(
                Instant.ofEpochSecond(from * BUCKET_SECONDS), names, all.size() - names.size(), filled, clock.now);
    }

    /** Removes rows that are no longer kept, a bounded number at once. It waits for no lock. */
    public void forget() {
        int removed = FORGOTTEN_AT_ONCE;
        for (int round = 0; round < FORGETTING_ROUNDS && removed == FORGOTTEN_AT_ONCE; round++) {
            removed = jdbc.single("remove the former flow of tasks", on -> on.within(Scans.SECONDS)
                    .update(sql("forget_flow"), Parameters.of("max", FORGOTTEN_AT_ONCE)));
        }
    }

    private NamedStatement sql(String name) {
        return dialect.statements().get(name);
    }
}
