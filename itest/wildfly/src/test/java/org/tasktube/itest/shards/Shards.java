package org.tasktube.itest.shards;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.tasktube.TubeConnectionFactory;

/** All databases of the application. */
@ApplicationScoped
public class Shards {

    static final String FIRST = "first";
    static final String SECOND = "second";

    @Resource(lookup = "java:jboss/datasources/ExampleDS")
    private DataSource firstRows;

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory firstTubes;

    @Resource(lookup = "java:jboss/datasources/SecondDS")
    private DataSource secondRows;

    @Resource(lookup = "java:/TaskTubeSecond")
    private TubeConnectionFactory secondTubes;

    /** Where each tenant was when this server last looked. */
    private final Map<String, String> homes = new ConcurrentHashMap<>();

    List<Shard> all() {
        return List.of(new Shard(FIRST, firstRows, firstTubes), new Shard(SECOND, secondRows, secondTubes));
    }

    Shard named(String name) {
        return all().stream()
                .filter(shard -> shard.name().equals(name))
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException("no shard is called " + name));
    }

    /**
     * Returns where a tenant probably is. Call it outside a transaction, because it may ask several databases. Only
     * {@link Tenants#hold}, in the transaction, makes sure.
     *
     * @throws MovedException if no database has it: there is none of that name, or it was just moving
     * @throws IllegalStateException if one of them was away, and no other one has it
     */
    Shard find(String tenant) {
        String home = homes.get(tenant);
        if (home == null) {
            // Not by computeIfAbsent: others would wait for the answer of a database that is not theirs
            home = ask(tenant);
            homes.put(tenant, home);
        }
        return named(home);
    }

    /** Where it began first. A database that is away matters only if no other one has the tenant. */
    private String ask(String tenant) {
        Optional<IllegalStateException> away = Optional.empty();
        for (Shard shard : Shard.ranked(all(), tenant)) {
            try {
                if (Tenants.isIn(shard, tenant)) {
                    return shard.name();
                }
            } catch (IllegalStateException e) {
                away = Optional.of(e);
            }
        }
        throw away.<RuntimeException>map(e -> e).orElseGet(() -> new MovedException(tenant));
    }

    /** Has the next {@link #find} look again. */
    void forget(String tenant) {
        homes.remove(tenant);
    }
}
