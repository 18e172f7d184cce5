package org.tasktube.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;
import org.tasktube.itest.watchdog.FullRun;

/**
 * Runs a test on each database in a full run, and on one of them in an ordinary run: the test is of a server or a bean, and
 * the rules, the stores' contracts and the model try what it calls on each of them.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ArgumentsSource(DatabaseSource.Databases.class)
public @interface DatabaseSource {

    /** Half of the tests get each database, by their names. */
    final class Databases implements ArgumentsProvider {

        @Override
        public Stream<? extends Arguments> provideArguments(
                ParameterDeclarations parameters, ExtensionContext context) {
            TestDatabase[] all = TestDatabase.values();
            int one = Math.floorMod(context.getRequiredTestMethod().getName().hashCode(), all.length);
            return Stream.of(all)
                    .filter(database -> FullRun.is() || database == all[one])
                    .map(Arguments::of);
        }
    }
}
