package org.tasktube.store.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.ToLongFunction;
import org.tasktube.store.Flow;

/** Keeps the flow of tasks in {@code tasktube_flow}. */
record SqlFlow(Jdbc jdbc, Dialect dialect) implements Flow {

    /** The most rows that are removed at once, so that the transaction stays short. */
    private static final int FORGOTTEN_AT_ONCE = 10_000;

    /** The most rounds of a removal, so that it ends. The next one goes on. */
    private static final int FORGETTING_ROUNDS = 10;

    private static final long BUCKET_SECONDS = org.tasktube.admin.Flow.BUCKET.toSeconds();

    @Override
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

    @Override
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

    @Override
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
