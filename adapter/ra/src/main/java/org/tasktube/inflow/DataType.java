package org.tasktube.inflow;

import jakarta.resource.NotSupportedException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.HashMap;
import java.util.Map;
import org.tasktube.TypedTaskListener;

/** The class of the data that a typed bean gets. */
final class DataType {

    private static final TypeVariable<?> WANTED = TypedTaskListener.class.getTypeParameters()[0];

    private DataType() {}

    /** Returns what the bean's class, or one above it, gives {@link TypedTaskListener} as its type. */
    static Class<?> of(Class<?> bean) throws NotSupportedException {
        Map<TypeVariable<?>, Type> given = new HashMap<>();
        collect(bean, given);
        Type type = WANTED;
        while (type instanceof TypeVariable<?>) {
            type = given.get(type);
        }
        if (type instanceof Class<?> known) {
            return known;
        }
        throw new NotSupportedException("the bean "
                + (bean == null ? "of a class that the server does not tell" : bean.getName())
                + " gives TypedTaskListener "
                + (type == null ? "no type" : "the type " + type.getTypeName())
                + ", of which nothing can be read; name a class, such as TypedTaskListener<OrderPlaced>");
    }

    private static void collect(Type type, Map<TypeVariable<?>, Type> given) {
        if (type instanceof ParameterizedType named) {
            Class<?> raw = (Class<?>) named.getRawType();
            for (int i = 0; i < raw.getTypeParameters().length; i++) {
                given.put(raw.getTypeParameters()[i], named.getActualTypeArguments()[i]);
            }
            collect(raw, given);
        } else if (type instanceof Class<?> plain) {
            collect(plain.getGenericSuperclass(), given);
            for (Type each : plain.getGenericInterfaces()) {
                collect(each, given);
            }
        }
    }
}
