package org.tasktube.itest.app;

import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.Singleton;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Signals between beans and tests in one server. */
@Singleton
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.SUPPORTS)
public class Script {

    private final Map<String, List<Long>> begun = new ConcurrentHashMap<>();
    private final Map<String, Semaphore> goes = new ConcurrentHashMap<>();
    private final Map<String, String> inside = new ConcurrentHashMap<>();
    private final Map<String, List<String>> order = new ConcurrentHashMap<>();
    private final List<String> faults = new CopyOnWriteArrayList<>();

    public void began(String text) {
        begun.computeIfAbsent(text, t -> new CopyOnWriteArrayList<>()).add(System.nanoTime());
    }

    /** When a bean began with that task, in nanoseconds, each time. */
    public List<Long> begun(String text) {
        return begun.getOrDefault(text, List.of());
    }

    /** A bean begins with a task of a sub-queue; two at once are remembered as a fault. */
    public void enter(String utube, String text) {
        if (inside.putIfAbsent(utube, text) != null) {
            faults.add("two at once in " + utube);
        }
        began(text);
        order.computeIfAbsent(utube, key -> new CopyOnWriteArrayList<>()).add(text);
    }

    public void leave(String utube) {
        inside.remove(utube);
    }

    public List<String> order(String utube) {
        return order.getOrDefault(utube, List.of());
    }

    public List<String> faults() {
        return faults;
    }

    public void go(String text) {
        semaphore(text).release();
    }

    public void awaitGo(String text) throws InterruptedException {
        if (!semaphore(text).tryAcquire(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("no test said go to " + text);
        }
    }

    private Semaphore semaphore(String text) {
        return goes.computeIfAbsent(text, t -> new Semaphore(0));
    }
}
