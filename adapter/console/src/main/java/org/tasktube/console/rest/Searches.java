package org.tasktube.console.rest;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;

/** Limits the searches of a user at once, so that one user leaves places and threads to the others. */
@ApplicationScoped
public class Searches {

    private static final int MOST = 2;

    private final Map<String, Integer> running = new ConcurrentHashMap<>();

    /** Makes a search for a user. */
    <T> T of(String user, Supplier<T> search) {
        if (running.merge(user, 1, Integer::sum) > MOST) {
            end(user);
            throw new ProblemException(
                    Kind.TOO_MANY,
                    MOST + " searches of this user are running on this server, which is the most at once; wait for"
                            + " their answers");
        }
        try {
            return search.get();
        } finally {
            end(user);
        }
    }

    private void end(String user) {
        running.computeIfPresent(user, (name, number) -> number == 1 ? null : number - 1);
    }
}
