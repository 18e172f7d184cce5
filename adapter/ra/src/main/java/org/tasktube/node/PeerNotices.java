package org.tasktube.node;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.tasktube.store.sql.Notices;
import org.tasktube.tube.News;

/**
 * What this server tells the others, and what it hears of them, so that a waiter need not wait for the next poll. The
 * maintenance thread sends, after the commit of the news, at most one text per 10 ms. {@link NoticeListener} hears.
 *
 * <p>A text reaches its sender, too. So this server knows whether texts arrive: each text that it sends must come back
 * within 5 s, and at a heartbeat one is sent if there was none for 10 s. While none comes, it sends no news. The polls
 * find everything that no text tells.
 */
final class PeerNotices {

    /** The shortest time between two texts: each is a transaction, and wakes the listeners of all servers. */
    static final Duration GAP = Duration.ofMillis(10);

    /** The time after which a text that did not come back counts as lost. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    /** The time without texts after one could not be sent. */
    static final Duration AFTER_FAILURE = Duration.ofSeconds(2);

    /** The time without a text after which one is sent that has no news. */
    static final Duration PROBE = Duration.ofSeconds(10);

    private static final String SEPARATOR = " ";

    /** A word of a tube: a letter and the tube's id. */
    private static final Pattern TUBE = Pattern.compile("[A-Z][0-9]{1,10}");

    private final String sender = UUID.randomUUID().toString();
    private final StoreAccess access;
    private final MaintenanceQueue queue;
    private final BooleanSupplier wanted;
    private final LongSupplier nanoTime;
    private final Set<String> open = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private volatile boolean listening;
    private volatile boolean works;
    private volatile boolean lossIsLogged;
    private volatile long sentAt;

    /** The pause after the last text. */
    private volatile Duration gap = GAP;

    /** The time since which a text has not come back. */
    private volatile long missingSince;

    private volatile boolean isMissing;

    /** Hears the news of another server. */
    interface Hearer {
        void hear(int tube, News news);
    }

    /**
     * Creates the notices of a server.
     *
     * @param wanted whether other servers are up, and the configuration allows notices
     * @param nanoTime the time in nanoseconds, as {@link System#nanoTime} gives it
     */
    PeerNotices(StoreAccess access, MaintenanceQueue queue, BooleanSupplier wanted, LongSupplier nanoTime) {
        this.access = access;
        this.queue = queue;
        this.wanted = wanted;
        this.nanoTime = nanoTime;
        this.sentAt = nanoTime.getAsLong();
    }

    /** Returns whether this server should listen. */
    boolean areWanted() {
        return wanted.getAsBoolean();
    }

    /** Returns whether the texts of this server come back to it. */
    boolean work() {
        return works;
    }

    // To others

    /** Tells the other servers soon. Waits for nothing. */
    void tell(int tube, News news) {
        if (works && open.add(word(tube, news))) {
            schedule();
        }
    }

    private static String word(int tube, News news) {
        return news.name().charAt(0) + Integer.toString(tube);
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            long left = sentAt + gap.toNanos() - nanoTime.getAsLong();
            queue.executeIn(Duration.ofNanos(Math.max(0, left)), this::send);
        }
    }

    /** Sends the open news; on the maintenance thread. What is told meanwhile is in this text or in the next. */
    private void send() {
        scheduled.set(false);
        List<String> news = new ArrayList<>();
        for (Iterator<String> each = open.iterator(); each.hasNext(); ) {
            news.add(each.next());
            each.remove();
        }
        if (works && !news.isEmpty()) {
            send(news);
        }
    }

    private void send(Collection<String> news) {
        StringBuilder text = new StringBuilder(sender);
        for (String word : news) {
            if (text.length() + word.length() >= Notices.MOST_BYTES) {
                send(text.toString());
                text.setLength(sender.length());
            }
            text.append(SEPARATOR).append(word);
        }
        send(text.toString());
    }

    private void send(String text) {
        sentAt = nanoTime.getAsLong();
        if (!isMissing) {
            missingSince = sentAt;
            isMissing = true;
        }
        boolean sent = false;
        try {
            access.own().notices().ifPresent(notices -> notices.send(text));
            sent = true;
        } finally {
            // One that was not sent cannot come back
            isMissing &= sent;
            gap = sent ? GAP : AFTER_FAILURE;
        }
    }

    /** Sends a text without news if one is due; on the maintenance thread, at each heartbeat. */
    void probe() {
        boolean isDue = nanoTime.getAsLong() - sentAt > PROBE.toNanos();
        if (listening && !isMissing && (isDue || !works)) {
            send(List.of());
        }
    }

    // From others, on the thread that listens

    /** Follows the begin of listening. */
    void listens() {
        isMissing = false;
        listening = true;
        queue.execute(this::probe);
    }

    /** Follows the end of listening. */
    void listensNoMore() {
        listening = false;
        works = false;
        isMissing = false;
        open.clear();
    }

    /** Returns whether a text did not come back in time. Logs it once, until texts come back again. */
    boolean areLost() {
        boolean lost = isMissing && nanoTime.getAsLong() - missingSince > PATIENCE.toNanos();
        if (lost && !lossIsLogged) {
            lossIsLogged = true;
            Log.LOG.noticesLost(PATIENCE);
        }
        return lost;
    }

    /** Follows a text: one of this server's own shows that texts arrive. */
    void heard(String text, Hearer hearer) {
        String[] words = text.split(SEPARATOR, -1);
        if (words[0].equals(sender)) {
            isMissing = false;
            works = true;
            if (lossIsLogged) {
                lossIsLogged = false;
                Log.LOG.noticesArrive();
            }
            return;
        }
        for (int i = 1; i < words.length; i++) {
            hear(words[i], hearer);
        }
    }

    /** Leaves out a word that only a later version knows. */
    private static void hear(String word, Hearer hearer) {
        for (News news : News.values()) {
            if (word.startsWith(news.name().substring(0, 1))
                    && TUBE.matcher(word).matches()) {
                long tube = Long.parseLong(word.substring(1));
                if (tube <= Integer.MAX_VALUE) {
                    hearer.hear((int) tube, news);
                }
            }
        }
    }
}
