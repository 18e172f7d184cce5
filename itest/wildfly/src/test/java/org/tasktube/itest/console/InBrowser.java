package org.tasktube.itest.console;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A class of tests in a browser, on the one server of the console's tests. A {@link Visitor} is a parameter of each.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("console")
@ExtendWith({Chromium.class, ConsoleServer.Extension.class})
@interface InBrowser {}
