package org.tasktube.itest.beans;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Waits until the server's reaper has ended the caller's transaction. */
@Stateless
public class Reaped {

    @Resource(lookup = "java:comp/TransactionSynchronizationRegistry")
    private TransactionSynchronizationRegistry registry;

    /** Returns whether the transaction was no longer active within that time. */
    public boolean within(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        while (registry.getTransactionStatus() == Status.STATUS_ACTIVE) {
            if (System.nanoTime() > end) {
                return false;
            }
            LockSupport.parkNanos(5_000_000);
        }
        // The reaper marks first, and rolls back then
        while (registry.getTransactionStatus() != Status.STATUS_ROLLEDBACK && System.nanoTime() < end) {
            LockSupport.parkNanos(5_000_000);
        }
        return true;
    }
}
