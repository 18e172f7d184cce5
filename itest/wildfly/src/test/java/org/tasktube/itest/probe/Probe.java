package org.tasktube.itest.probe;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.TaskResult;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;

/** What tests ask of a server from outside. */
@Stateless
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class Probe {

    static final String TUBE = "probe";

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    @PersistenceContext
    private EntityManager entities;

    /** The state of the adapter. */
    public String state() {
        try (TubeConnection connection = tubes.getConnection()) {
            return connection.state().name();
        }
    }

    /** Puts tasks, each in a transaction of its own; returns how many were put before the first failure. */
    public int put(String run, int count) {
        try (TubeConnection connection = tubes.getConnection()) {
            Tube tube = connection.createTubeIfNotExists(TubeDefinition.fifottl(TUBE));
            for (int i = 0; i < count; i++) {
                tube.put(run + "/" + i, PutOptions.defaults().ttr(Duration.ofSeconds(30)));
            }
            return count;
        }
    }

    /** How many tasks of that run left their row. */
    public long done(String run) {
        return entities.createQuery("SELECT count(d) FROM Done d WHERE d.text LIKE :run", Long.class)
                .setParameter("run", run + "/%")
                .getSingleResult();
    }

    /** The number of the last task of that run that left its row. */
    public int last(String run) {
        return entities.createQuery("SELECT d.text FROM Done d WHERE d.text LIKE :run", String.class)
                .setParameter("run", run + "/%")
                .getResultStream()
                .mapToInt(text -> Integer.parseInt(text.substring(run.length() + 1)))
                .max()
                .orElse(-1);
    }

    /** Makes a tube with a task in each state that needs no holder, and two that are READY; one was acked. */
    public String fill(String name) {
        try (TubeConnection connection = tubes.getConnection()) {
            Tube tube = connection.createTube(TubeDefinition.fifottl(name));
            tube.putAll(List.of("acked", "kept", "buried", "ready", "ready"), PutOptions.defaults());
            tube.put("delayed", PutOptions.defaults().delay(Duration.ofHours(1)));
            tube.ack(tube.take());
            tube.ack(tube.take(), TaskResult.completed("kept"));
            tube.bury(tube.take());
            return name;
        }
    }

    public String drop(String name) {
        try (TubeConnection connection = tubes.getConnection()) {
            connection.tube(name).dropForcibly();
            return name;
        }
    }

    public String statistics() {
        try (TubeConnection connection = tubes.getConnection()) {
            return connection.tube(TUBE).statistics().toString();
        }
    }

    public long total() {
        try (TubeConnection connection = tubes.getConnection()) {
            return connection.tube(TUBE).statistics().total();
        }
    }

    /** Puts tasks with delays and takes them as they become ready; by how much they were late, in milliseconds. */
    public List<Long> lateness(int tasks) {
        List<Long> late = new ArrayList<>();
        Random random = new Random(tasks);
        try (TubeConnection connection = tubes.getConnection()) {
            Tube tube = connection.createTubeIfNotExists(TubeDefinition.fifottl("lateness"));
            for (int i = 0; i < tasks; i++) {
                Duration delay = Duration.ofMillis(1_000 + random.nextInt(4_000));
                tube.put(
                        Long.toString(System.nanoTime() + delay.toNanos()),
                        PutOptions.defaults().delay(delay));
            }
            for (int i = 0; i < tasks; i++) {
                Task task = tube.take(Duration.ofSeconds(20)).orElseThrow();
                late.add((System.nanoTime() - Long.parseLong(task.text())) / 1_000_000);
                tube.ack(task);
            }
        }
        Collections.sort(late);
        return late;
    }
}
