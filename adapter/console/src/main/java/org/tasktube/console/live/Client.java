package org.tasktube.console.live;

import java.util.concurrent.CompletionStage;

/** The other end of a stream. */
public interface Client {

    /** Begins to send a frame. The returned stage completes when the client has it. */
    CompletionStage<?> send(Frame frame);

    /**
     * Begins to send an event without content, which shows that the stream is alive. A comment would not: a browser
     * hides it from its page.
     */
    CompletionStage<?> alive();

    /** Returns whether the user came by the login of this key. */
    boolean isOf(String login);

    /** Returns whether the login of the user has ended, or ends now. */
    boolean isLoggedOut();

    /** Returns whether the stream has ended. */
    boolean isClosed();

    /** Ends the stream without a wait, also for a client that does not take what was sent. */
    void close();
}
