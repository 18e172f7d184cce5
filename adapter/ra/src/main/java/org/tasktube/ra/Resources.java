package org.tasktube.ra;

import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The resources of a transaction, as Narayana and WildFly show them. JTA has no question for them, so this calls
 * public methods of both by their names, and knows nothing of other transaction managers.
 */
final class Resources {

    private static final String NARAYANA = "com.arjuna.ats.jta.transaction.Transaction";
    private static final String JTS = ".jts.";
    private static final String WILDFLY = "org.wildfly.transaction.client.AbstractTransaction";

    /** The methods per class of a transaction; empty for a class that shows no resources. */
    private static final ClassValue<Optional<Method>> METHODS = new ClassValue<>() {
        @Override
        protected Optional<Method> computeValue(Class<?> type) {
            // Resources that take part by CORBA are not shown
            return type.getName().contains(JTS)
                    ? Optional.empty()
                    : types(type)
                            .filter(each -> each.getName().equals(NARAYANA)
                                    || each.getName().equals(WILDFLY))
                            .findFirst()
                            .flatMap(Resources::method);
        }
    };

    private Resources() {}

    /** Returns the number of resources of the calling thread's transaction; empty if it is not known. */
    static Optional<Integer> number(TransactionManager manager) {
        return of(manager).map(Map::size);
    }

    /** Returns what is known of the names of these resources: of a datasource its JNDI name. */
    static List<String> names(TransactionManager manager) {
        return of(manager).stream()
                .flatMap(resources -> resources.keySet().stream())
                .map(Resources::name)
                .toList();
    }

    private static String name(Object resource) {
        try {
            return String.valueOf(resource.getClass().getMethod("getJndiName").invoke(resource));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return resource.toString();
        }
    }

    private static Optional<Map<?, ?>> of(TransactionManager manager) {
        try {
            return of(manager.getTransaction());
        } catch (Exception e) {
            return Optional.empty();
        }
    }

    private static Optional<Map<?, ?>> of(Transaction transaction) throws ReflectiveOperationException {
        Optional<Method> method = transaction == null ? Optional.empty() : METHODS.get(transaction.getClass());
        if (method.isEmpty()) {
            return Optional.empty();
        }
        Object answer = method.get().getParameterCount() == 0
                ? method.get().invoke(transaction)
                : method.get().invoke(transaction, Transaction.class);
        if (answer instanceof Map<?, ?> resources) {
            return Optional.of(resources);
        }
        return answer != transaction && answer instanceof Transaction inner ? of(inner) : Optional.empty();
    }

    private static Stream<Class<?>> types(Class<?> type) {
        return type == null
                ? Stream.empty()
                : Stream.concat(
                        Stream.concat(Stream.of(type), Arrays.stream(type.getInterfaces())),
                        types(type.getSuperclass()));
    }

    private static Optional<Method> method(Class<?> type) {
        try {
            return Optional.of(
                    type.getName().equals(NARAYANA)
                            ? type.getMethod("getResources")
                            : type.getMethod("getProviderInterface", Class.class));
        } catch (NoSuchMethodException e) {
            return Optional.empty();
        }
    }
}
