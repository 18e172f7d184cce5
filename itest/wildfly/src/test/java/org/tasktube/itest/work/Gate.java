package org.tasktube.itest.work;

import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.Singleton;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Keeps beans at work until a test lets them go. */
@Singleton
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
public class Gate {

    private static final long LIMIT_SECONDS = 120;

    private final AtomicReference<CountDownLatch> closed = new AtomicReference<>(new CountDownLatch(1));

    /** Lets all go that wait now. */
    public void open() {
        closed.getAndSet(new CountDownLatch(1)).countDown();
    }

    /** Waits until the gate is open. */
    public void await() {
        try {
            if (!closed.get().await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("no test let this task go");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
