package org.tasktube.itest.kit;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waiting with an end. */
final class Waiting {

    private Waiting() {}

    static <T> T await(CompletableFuture<T> future, Duration patience, String what) {
        try {
            return future.orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS).join();
        } catch (CompletionException e) {
            String reason = e.getCause() instanceof TimeoutException
                    ? "did not happen in " + patience
                    : String.valueOf(e.getCause().getMessage());
            throw new IllegalStateException(what + ": " + reason, e.getCause());
        }
    }
}
