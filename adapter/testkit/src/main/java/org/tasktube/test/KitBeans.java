package org.tasktube.test;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import jakarta.inject.Inject;
import jakarta.persistence.PersistenceContext;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What the fields of an application's beans get in one test. See {@link TubeKit#inject}. */
final class KitBeans {

    private final List<Object> beans;

    /** @param resources those of the kit */
    KitBeans(List<Object> resources) {
        beans = new ArrayList<>(resources);
    }

    <T> T inject(T bean, Object... others) {
        beans.addAll(0, List.of(others));
        for (Class<?> type = bean.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (isInjected(field)) {
                    set(bean, field);
                }
            }
        }
        construct(bean);
        return bean;
    }

    private static boolean isInjected(Field field) {
        return Stream.<Class<? extends Annotation>>of(Resource.class, PersistenceContext.class, Inject.class, EJB.class)
                .anyMatch(field::isAnnotationPresent);
    }

    private void set(Object bean, Field field) {
        if (Modifier.isStatic(field.getModifiers())) {
            throw new IllegalArgumentException("field " + field.getName() + " of "
                    + field.getDeclaringClass().getName() + " is static, and a container injects none");
        }
        Object found =
                beans.stream().filter(field.getType()::isInstance).findFirst().orElseGet(() -> created(field));
        try {
            field.setAccessible(true);
            field.set(bean, found);
        } catch (IllegalAccessException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private Object created(Field field) {
        try {
            if (Stream.of("java.", "javax.", "jakarta.")
                    .anyMatch(field.getType().getName()::startsWith)) {
                throw new NoSuchMethodException("a bean of the application is created, and nothing else");
            }
            Constructor<?> constructor = field.getType().getDeclaredConstructor();
            constructor.setAccessible(true);
            Object created = constructor.newInstance();
            // Before its own fields, which may need it
            beans.add(created);
            return inject(created);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(
                    "field " + field.getName() + " of "
                            + field.getDeclaringClass().getName() + " is of "
                            + field.getType().getName() + ", which the kit cannot create; give one to inject",
                    e);
        }
    }

    private static void construct(Object bean) {
        for (Class<?> type = bean.getClass(); type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (method.isAnnotationPresent(PostConstruct.class)) {
                    try {
                        method.setAccessible(true);
                        method.invoke(bean);
                    } catch (ReflectiveOperationException e) {
                        throw new IllegalArgumentException(method + " of the bean has failed", e);
                    }
                    return;
                }
            }
        }
    }
}
