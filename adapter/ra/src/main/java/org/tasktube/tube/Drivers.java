package org.tasktube.tube;

import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.tasktube.spi.TubeDriver;

/** The types of tubes that this server knows. */
public final class Drivers {

    private final Map<String, TubeType> byName = new ConcurrentHashMap<>();

    public Drivers() {
        for (BuiltInDriver driver : BuiltInDriver.ALL) {
            byName.put(driver.type(), TubeType.of(driver));
        }
    }

    /** Adds a type; what is returned removes it. */
    public Runnable register(TubeDriver driver) {
        TubeType type = TubeType.of(driver);
        TubeType there = byName.putIfAbsent(type.name(), type);
        if (there != null) {
            throw new IllegalArgumentException("there is a driver of type '" + type.name() + "' already, "
                    + there.driver().getClass().getName() + "; give this one another name, or close that registration");
        }
        return () -> byName.remove(type.name(), type);
    }

    public TubeType of(String name) {
        return find(name)
                .orElseThrow(() -> new IllegalArgumentException("there is no tube type '" + name
                        + "' on this server; there are " + String.join(", ", new TreeSet<>(byName.keySet()))
                        + "; register its driver first"));
    }

    Optional<TubeType> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }
}
