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

    private static void end(boolean commit) throws Exception {
        if (commit) {
            Jta.MANAGER.commit();
        } else {
            Jta.MANAGER.rollback();
        }
    }
}
