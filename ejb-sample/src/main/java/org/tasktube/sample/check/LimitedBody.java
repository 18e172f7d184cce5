package org.tasktube.sample.check;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * Reads a body up to a limit and then closes the connection, because a page may be endless. (Java has
 * BodyHandlers.limiting only since 25.)
 */
final class LimitedBody implements BodySubscriber<byte[]> {

    private final int limit;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private Flow.Subscription subscription;

    LimitedBody(int limit) {
        this.limit = limit;
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription to) {
        subscription = to;
        to.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        buffers.forEach(this::append);
    }

    private void append(ByteBuffer buffer) {
        byte[] part = new byte[Math.min(buffer.remaining(), limit - bytes.size())];
        buffer.get(part);
        bytes.writeBytes(part);
        if (buffer.hasRemaining()) {
            subscription.cancel();
            onComplete();
        }
    }

    @Override
    public void onError(Throwable error) {
        body.completeExceptionally(error);
    }

    @Override
    public void onComplete() {
        body.complete(bytes.toByteArray());
    }
}
