package org.tasktube.itest.console;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** A producer that puts tasks for the beans, one after the other. */
final class Load {

    private Load() {}

    /** Puts as long as an action runs. */
    static void during(ConsoleServer console, Runnable action) {
        Rest rest = console.rest(console.operator());
        AtomicBoolean ended = new AtomicBoolean();
        CompletableFuture<Void> producer = CompletableFuture.runAsync(() -> {
            while (!ended.get()) {
                rest.putText("work", "at once");
            }
        });
        try {
            action.run();
        } finally {
            ended.set(true);
            producer.join();
        }
    }
}
