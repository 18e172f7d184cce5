package org.tasktube.itest.beans;

import jakarta.annotation.Resource;
import jakarta.ejb.EJBException;
import jakarta.ejb.SessionContext;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;

/** Calls of an application that end badly. */
@Stateless
public class Desk {

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    @Resource
    private SessionContext context;

    /** Puts in the caller's transaction. */
    public void put(String tube, String text) {
        try (TubeConnection connection = tubes.getConnection()) {
            connection.tube(tube).put(text);
        }
    }

    @TransactionAttribute(TransactionAttributeType.REQUIRES_NEW)
    public void ackInNewAndThrow(Task task) {
        ack(task);
        throw new IllegalStateException("thrown after the ack");
    }

    @TransactionAttribute(TransactionAttributeType.REQUIRES_NEW)
    public void ackInNewAndMark(Task task) {
        ack(task);
        context.setRollbackOnly();
    }

    @TransactionAttribute(TransactionAttributeType.REQUIRES_NEW)
    public void ackInNew(Task task) {
        ack(task);
    }

    private void ack(Task task) {
        try (TubeConnection connection = tubes.getConnection()) {
            connection.tube(task.tube()).ack(task);
        }
    }

    /** Opens a connection and closes it when its transaction has been marked for rollback. */
    public void closeMarked(String tube) {
        try (TubeConnection connection = tubes.getConnection()) {
            context.setRollbackOnly();
            if (!connection.tube(tube).name().equals(tube)) {
                throw new IllegalStateException("another tube");
            }
        }
    }

    /** As {@link #closeMarked}, by an exception of another bean's before the first put, as applications know it. */
    public void closeAfterFailureOfAnother(String tube) {
        try (TubeConnection connection = tubes.getConnection()) {
            context.getBusinessObject(Desk.class).fail();
            connection.tube(tube).put("never reached");
        }
    }

    public void fail() {
        throw new IllegalStateException("another bean failed");
    }

    /** Takes a task and goes: it is released after the commit. */
    public void takeAndClose(String tube) {
        try (TubeConnection connection = tubes.getConnection()) {
            Task held = connection.tube(tube).take(Duration.ZERO).orElseThrow();
            ReportedLines.add(tube, "held " + held.text());
        }
    }

    /**
     * Takes a task, and has the cleaner of objects that are gone close the connection. Its thread refuses another context
     * class loader.
     */
    @SuppressWarnings({"MustBeClosedChecker", "resource"})
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void closeByCleaner(String tube) {
        TubeConnection connection = tubes.getConnection();
        Tube held = connection.createTubeIfNotExists(TubeDefinition.fifo(tube));
        held.put("for the cleaner");
        ReportedLines.add(tube, "held " + held.take(Duration.ZERO).orElseThrow().text());
        CompletableFuture<Void> closed = new CompletableFuture<>();
        Cleaner cleaner = Cleaner.create();
        cleaner.register(new Object(), () -> {
            try {
                connection.close();
                closed.complete(null);
            } catch (RuntimeException e) {
                closed.completeExceptionally(e);
            }
        });
        while (!closed.isDone()) {
            System.gc();
        }
        closed.join();
    }

    /** Never closes its connection. */
    @SuppressWarnings({"MustBeClosedChecker", "resource"})
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void leak() {
        tubes.getConnection();
    }

    /** Fails so many beans below, each of which wraps the failure of the next one. */
    public void failBelow(int beans, String rootCause) {
        if (beans == 0) {
            throw new UnknownOrderException(rootCause);
        }
        try {
            context.getBusinessObject(Desk.class).failBelow(beans - 1, rootCause);
        } catch (EJBException e) {
            throw new IllegalStateException("bean " + beans + " failed", e);
        }
    }
}
