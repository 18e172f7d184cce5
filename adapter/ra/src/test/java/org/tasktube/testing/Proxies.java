package org.tasktube.testing;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;

/** Objects between the adapter and a driver, of which a test handles each call. */
public final class Proxies {

    private Proxies() {}

    /** Answers a call, by {@link #call} on the real object for instance. */
    @FunctionalInterface
    public interface Handler {
        Object handle(Method method, Object[] arguments) throws Throwable;
    }

    public static <T> T of(Class<T> type, Handler handler) {
        return type.cast(Proxy.newProxyInstance(
                Proxies.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> handler.handle(method, arguments)));
    }

    /** Calls the real object, and throws what it throws. */
    public static Object call(Object real, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** A connection whose {@code close()} leaves the real one open, as in a transaction. */
    public static Connection leftOpen(Connection real) {
        return of(
                Connection.class,
                (method, arguments) -> method.getName().equals("close") ? null : call(real, method, arguments));
    }
}
