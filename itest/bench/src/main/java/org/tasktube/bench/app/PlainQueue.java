package org.tasktube.bench.app;

import java.nio.ByteBuffer;
import java.util.List;

/** A queue by plain JDBC. Each call is one statement, in the caller's transaction if it has one. */
interface PlainQueue {

    /** A task that was claimed. */
    record Claimed(long id, long token, ByteBuffer data) {

        /** No task, but the end of them. */
        static final Claimed END = new Claimed(0, 0, ByteBuffer.allocate(0));

        boolean isEnd() {
            return id == END.id;
        }
    }

    void put(byte[] data);

    List<Claimed> claim(int max);

    void ack(Claimed task);
}
