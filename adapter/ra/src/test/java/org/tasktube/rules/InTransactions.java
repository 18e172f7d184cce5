package org.tasktube.rules;

import jakarta.transaction.Status;
import jakarta.transaction.SystemException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.Callable;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.testing.Eventually;
import org.tasktube.testing.Jta;

/**
 * Makes each call on a connection and its tubes in a transaction of its own, unless there is one already: so a rule is
 * written once for both modes.
 */
final class InTransactions implements InvocationHandler {

    private final Object target;

    private InTransactions(Object target) {
        this.target = target;
    }

    static TubeConnection each(TubeConnection connection) {
        return wrap(TubeConnection.class, connection);
    }

    private static <T> T wrap(Class<T> type, Object target) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, new InTransactions(target)));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Exception {
        Object result = active() ? call(method, arguments) : run(() -> call(method, arguments), true);
        return result instanceof Tube ? wrap(Tube.class, result) : result;
    }

    private Object call(Method method, Object[] arguments) throws Exception {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    static boolean active() throws SystemException {
        return Jta.MANAGER.getStatus() != Status.STATUS_NO_TRANSACTION;
    }

    /** Runs something in a transaction of its own that commits, or does not; a failure rolls it back. */
    static <T> T run(Callable<T> work, boolean commit) throws Exception {
        Jta.MANAGER.begin();
        boolean done = false;
        try {
            T result = work.call();
            done = true;
            return result;
        } finally {
            end(done && commit);
        }
    }

    /** What can become of a transaction while its thread goes on. */
    enum Fate {
        MARKED_FOR_ROLLBACK {
            @Override
            void befall() throws Exception {
                Jta.MANAGER.setRollbackOnly();
            }
        },
        TIMED_OUT {
            @Override
            void befall() {
                Eventually.holds(() -> status() == Status.STATUS_ROLLEDBACK, "the rollback after the timeout");
            }
        };

        private static final int SHORTEST_TIMEOUT = 1;

        abstract void befall() throws Exception;

        void begin() throws Exception {
            Jta.MANAGER.setTransactionTimeout(this == TIMED_OUT ? SHORTEST_TIMEOUT : 0);
            Jta.MANAGER.begin();
            Jta.MANAGER.setTransactionTimeout(0);
        }
    }

    private static int status() {
        try {
            return Jta.MANAGER.getStatus();
        } catch (SystemException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Does something in a transaction, and something more on the same thread when that has met its fate. */
    static void meeting(Fate fate, Callable<?> before, Callable<?> after) throws Exception {
        fate.begin();
        try {
            before.call();
            fate.befall();
            after.call();
        } finally {
            if (status() == Status.STATUS_ROLLEDBACK) {
                Jta.MANAGER.suspend();
            } else {
                Jta.MANAGER.rollback();
            }
        }
    }

    private static void end(boolean commit) throws Exception {
        if (commit) {
            Jta.MANAGER.commit();
        } else {
            Jta.MANAGER.rollback();
        }
    }
}
