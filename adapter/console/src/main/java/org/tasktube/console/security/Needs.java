package org.tasktube.console.security;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The right that a method of a resource needs. {@link RightsFilter} refuses a method without this annotation. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Needs {

    Right value();

    /** Whether the right may be that on the tubes of a filter, which the method checks by {@link Caller#check}. */
    boolean byFilter() default false;
}
