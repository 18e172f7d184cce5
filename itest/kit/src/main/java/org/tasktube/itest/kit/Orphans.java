package org.tasktube.itest.kit;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Sees to it that no process outlives this one, however a test or a demo ends. */
final class Orphans {

    private static final Set<Process> ALIVE = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> ALIVE.forEach(Process::destroyForcibly)));
    }

    private Orphans() {}

    static Process adopt(Process process) {
        ALIVE.removeIf(each -> !each.isAlive());
        ALIVE.add(process);
        return process;
    }
}
