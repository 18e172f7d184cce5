package org.tasktube.node;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.tasktube.tube.TubeContext;

/**
 * The tokens of this server's claims. A token is here before the database knows it, and until a session holds the
 * claimed tasks. {@link HolderCheck} compares the tokens with the TAKEN tasks in the database.
 */
final class ClaimLedger implements TubeContext.Claims {

    private static final Duration REMEMBERED = Duration.ofMinutes(10);

    private final LongSupplier nanoTime;
    private final Set<Long> underWay = ConcurrentHashMap.newKeySet();

    /** The tokens of claims with an unknown outcome, and the time since when. */
    private final Map<Long, Long> lost = new ConcurrentHashMap<>();

    private volatile long suspiciousUntil;
    private volatile boolean suspicious;

    ClaimLedger(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Begins a claim with a random token, so that servers need no agreement on tokens. 0 means not taken. */
    @Override
    public long begin() {
        long token = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        underWay.add(token);
        return token;
    }

    @Override
    public void ended(long token) {
        underWay.remove(token);
    }

    @Override
    public void lost(long token, boolean suspect) {
        lost.put(token, nanoTime.getAsLong());
        underWay.remove(token);
        if (suspect) {
            suspect();
        }
    }

    boolean isUnderWay(long token) {
        return underWay.contains(token);
    }

    boolean isLost(long token) {
        return lost.containsKey(token);
    }

    void forgetOld() {
        lost.values().removeIf(since -> nanoTime.getAsLong() - since > REMEMBERED.toNanos());
    }

    /** Makes the next checks come soon. */
    void suspect() {
        suspiciousUntil = nanoTime.getAsLong() + LostAnswers.LATEST.toNanos();
        suspicious = true;
    }

    /** Returns whether something happened lately that can leave a task without a holder. */
    boolean isSuspicious() {
        if (suspicious && nanoTime.getAsLong() - suspiciousUntil > 0) {
            suspicious = false;
        }
        return suspicious;
    }
}
