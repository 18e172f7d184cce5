package org.tasktube.tube;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.tasktube.TaskChangeListener;

/**
 * The listening beans on this server, by the names of their tubes. The tube need not exist yet. So a bean gets the
 * tube's first change, even if the transaction that creates the tube makes it.
 */
public final class ListeningBeans {

    private final Map<String, List<TaskChangeListener>> byTube = new ConcurrentHashMap<>();

    /** Adds a bean. The returned action removes it. */
    public Runnable add(String tube, TaskChangeListener bean) {
        byTube.compute(tube, (name, beans) -> {
            List<TaskChangeListener> all = beans == null ? new CopyOnWriteArrayList<>() : beans;
            all.add(bean);
            return all;
        });
        return () -> byTube.computeIfPresent(tube, (name, beans) -> {
            beans.remove(bean);
            return beans.isEmpty() ? null : beans;
        });
    }

    List<TaskChangeListener> of(String tube) {
        return byTube.getOrDefault(tube, List.of());
    }
}
