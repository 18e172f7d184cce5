package org.tasktube.console.metrics;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;
import java.util.function.Predicate;
import org.tasktube.console.problem.Kind;
import org.tasktube.console.problem.ProblemException;
import org.tasktube.console.security.Right;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Decides who may read the metrics: a user with a role, or a caller with the key. */
final class MetricsAccess {

    /** The system property with the key. */
    static final String PROPERTY = "tasktube.metrics.key";

    /** The role that reads the metrics and nothing else. */
    static final String ROLE = "tasktube-metrics";

    /** The smallest number of characters of a key. A shorter one could be guessed. */
    static final int SHORTEST_KEY = 16;

    private static final String BEARER = "Bearer ";

    private MetricsAccess() {}

    /**
     * Checks a request.
     *
     * @param key the value of {@value #PROPERTY}, or null
     * @param authorization the header of that name, or null
     * @param hasUser true if a user is logged in
     * @throws ProblemException with {@link Kind#LOGIN} or {@link Kind#FORBIDDEN} if the request may not read the
     *     metrics
     */
    static void check(String key, String authorization, boolean hasUser, Predicate<String> isInRole) {
        Optional<String> sent = bearer(authorization);
        if (sent.isPresent()) {
            checkKey(key, sent.get());
        } else if (!hasUser) {
            throw new ProblemException(
                    Kind.LOGIN,
                    "send the key of the system property " + PROPERTY + " as 'Authorization: Bearer …', or log in as a"
                            + " user with the role " + ROLE + " by BASIC");
        } else if (!isInRole.test(ROLE) && Right.of(isInRole).isEmpty()) {
            throw new ProblemException(
                    Kind.FORBIDDEN,
                    "the user needs the role " + ROLE + ", or one with the right " + Right.VIEW + ", such as "
                            + Right.VIEW.role());
        }
    }

    /** The scheme is the same in capitals and small letters. */
    private static Optional<String> bearer(String authorization) {
        return Optional.ofNullable(authorization)
                .filter(header -> header.regionMatches(true, 0, BEARER, 0, BEARER.length()))
                .map(header -> header.substring(BEARER.length()).strip());
    }

    private static void checkKey(String key, String sent) {
        if (key == null || key.isEmpty()) {
            throw new ProblemException(
                    Kind.LOGIN, "this server has no key; set the system property " + PROPERTY + ", or log in by BASIC");
        }
        if (key.length() < SHORTEST_KEY) {
            throw new ProblemException(
                    Kind.LOGIN,
                    "the value of " + PROPERTY + " has fewer than " + SHORTEST_KEY
                            + " characters, so that no key is accepted; set a longer one");
        }
        if (!isSame(key, sent)) {
            throw new ProblemException(Kind.LOGIN, "the key is not the value of " + PROPERTY + " on this server");
        }
    }

    /** Compares the digests: the time depends neither on the first wrong character nor on the length of the key. */
    private static boolean isSame(String key, String sent) {
        return MessageDigest.isEqual(digest(key), digest(sent));
    }

    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
