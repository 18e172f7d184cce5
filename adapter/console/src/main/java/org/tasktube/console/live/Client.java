package org.tasktube.console.live;

import java.util.concurrent.CompletionStage;

/** The other end of a stream. */
public interface Client {

    /** Begins to send a frame. The returned stage completes when the client has it. */
    CompletionStage<?> send(Frame frame);

    /** Begins to send a comment, which shows that the stream is alive. */
    CompletionStage<?> comment();

    /** Returns whether the stream has ended. */
    boolean isClosed();

    void close();
}
