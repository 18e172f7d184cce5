package org.tasktube.tube;

import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.tasktube.spi.TubeDriver;

/** The types of tubes on this server. */
public final class Drivers {

    private final Map<String, TubeType> byName = new ConcurrentHashMap<>();

    public Drivers() {
        for (BuiltInDriver driver : BuiltInDriver.ALL) {
            byName.put(driver.type(), TubeType.of(driver));
        }
    }

    /** Adds a type. The returned action removes it. */
    public Runnable register(TubeDriver driver) {
        TubeType type = TubeType.of(driver);
        TubeType there = byName.putIfAbsent(type.name(), type);
        if (there != null) {
            throw new IllegalArgumentException("type '" + type.name() + "' already has the driver "
                    + there.driver().getClass().getName() + "; give this one another name, or close that registration");
        }
        return () -> byName.remove(type.name(), type);
    }

    public TubeType of(String name) {
        return find(name)
                .orElseThrow(() -> new IllegalArgumentException("tube type '" + name
                        + "' does not exist on this server, which has "
                        + String.join(", ", new TreeSet<>(byName.keySet()))
                        + "; register its driver first"));
    }

    Optional<TubeType> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }
}
