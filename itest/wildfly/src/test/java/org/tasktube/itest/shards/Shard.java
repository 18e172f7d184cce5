package org.tasktube.itest.shards;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.tasktube.TubeConnectionFactory;

/** One of the application's databases: its rows, and the adapter of the tasks that commit with them. */
public record Shard(String name, DataSource rows, TubeConnectionFactory tubes) {

    /**
     * Returns the shards in the order of rendezvous hashing. A new tenant begins in the first one. A further shard gets
     * its share of the new tenants, and leaves the order of the others as it is.
     */
    public static List<Shard> ranked(Collection<Shard> shards, String tenant) {
        return shards.stream()
                .sorted(Comparator.comparingLong((Shard shard) -> shard.weight(tenant))
                        .reversed())
                .toList();
    }

    private long weight(String tenant) {
        byte[] both = (name + ' ' + tenant).getBytes(StandardCharsets.UTF_8);
        return UUID.nameUUIDFromBytes(both).getMostSignificantBits();
    }
}
