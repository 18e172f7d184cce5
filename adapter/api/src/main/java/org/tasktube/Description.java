package org.tasktube;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The text that describes a Throwable. An application can override its methods: they may throw, return null, or chain
 * causes without end. None of that may prevent the description.
 */
final class Description {

    private static final int MOST_CAUSES = 50;
    private static final int MOST_SHOWN = 8;
    private static final int MOST_SUPPRESSED = 3;
    private static final int FRAMES_OF_CONTAINER = 5;

    private final List<Throwable> links;

    Description(Throwable thrown) {
        links = causes(thrown);
    }

    /** Returns the exception and its causes, outermost first, each once, at most 50. */
    static List<Throwable> causes(Throwable thrown) {
        List<Throwable> found = new ArrayList<>();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Throwable next = thrown; next != null && seen.add(next) && found.size() < MOST_CAUSES; ) {
            found.add(next);
            next = cause(next);
        }
        return found;
    }

    private static Throwable cause(Throwable thrown) {
        return guarded(thrown::getCause, null);
    }

    /** Returns the exception's message; empty if it has none, or if its method fails. */
    String message() {
        return message(links.get(0));
    }

    /** Returns the kind: the classes of the exception and of its root cause, whose frame and message it has. */
    Fingerprint fingerprint() {
        List<List<StackTraceElement>> frames = new ArrayList<>();
        for (int i = links.size() - 1; i >= 0; i--) {
            frames.add(Arrays.asList(frames(links.get(i))));
        }
        String cause = links.size() == 1 ? "" : root().getClass().getName();
        return Fingerprint.of(links.get(0).getClass().getName(), cause, ApplicationFrame.of(frames), message(root()));
    }

    private static String message(Throwable thrown) {
        return guarded(thrown::getMessage, "");
    }

    private static StackTraceElement[] frames(Throwable thrown) {
        return guarded(thrown::getStackTrace, new StackTraceElement[0]);
    }

    private static <T> T guarded(Supplier<T> read, T otherwise) {
        try {
            T value = read.get();
            return value == null ? otherwise : value;
        } catch (Throwable e) {
            return otherwise;
        }
    }

    /** Returns one line that names the exception and its root cause. */
    String line(int max) {
        String first = flat(named(links.get(0), max / 2));
        return links.size() == 1 ? first : first + "; root cause " + flat(named(root(), max / 2));
    }

    private static String flat(String text) {
        return text.replaceAll("\\s*\\R\\s*", " ");
    }

    private Throwable root() {
        return links.get(links.size() - 1);
    }

    private static String named(Throwable thrown, int max) {
        String type = thrown.getClass().getName();
        String message = message(thrown);
        String text = message.isEmpty() ? type : type + ": " + message;
        return text.length() <= max ? text : text.substring(0, max - 3) + "...";
    }

    /**
     * Returns the chain of causes, then the frames of the application. The text has the root cause, however long the
     * others are.
     */
    String text(int max) {
        StringBuilder out = new StringBuilder();
        chain(out, max / 2);
        for (int i = links.size() - 1; i >= 0; i--) {
            section(out, i, max - out.length());
        }
        return out.toString();
    }

    private void chain(StringBuilder out, int max) {
        boolean all = links.size() <= MOST_SHOWN;
        int shown = all ? links.size() : MOST_SHOWN;
        int each = Math.max(100, max / (shown + MOST_SUPPRESSED));
        for (int i = 0; i < links.size(); i++) {
            if (all || i < MOST_SHOWN - 1 || i == links.size() - 1) {
                out.append(i == 0 ? "" : "caused by ")
                        .append(named(links.get(i), each))
                        .append('\n');
            } else if (i == MOST_SHOWN - 1) {
                out.append("... ").append(links.size() - MOST_SHOWN).append(" causes\n");
            }
        }
        links.stream()
                .flatMap(link -> Arrays.stream(link.getSuppressed()))
                .limit(MOST_SUPPRESSED)
                .forEach(suppressed -> out.append("suppressed ")
                        .append(named(suppressed, each))
                        .append('\n'));
    }

    /** Appends the frames that a link has beyond those of its cause. The cause's own frames stand before them. */
    private void section(StringBuilder out, int link, int max) {
        StackTraceElement[] all = frames(links.get(link));
        StackTraceElement[] known = link == links.size() - 1 ? new StackTraceElement[0] : frames(links.get(link + 1));
        List<String> lines = lines(Arrays.asList(all).subList(0, all.length - inCommon(all, known)));
        String heading = link == links.size() - 1
                ? ""
                : "frames of " + links.get(link).getClass().getName() + "\n";
        if (lines.isEmpty() || heading.length() + lines.get(0).length() > max) {
            return;
        }
        out.append(heading);
        fit(lines, max - heading.length()).forEach(out::append);
    }

    private static int inCommon(StackTraceElement[] one, StackTraceElement[] other) {
        int common = 0;
        while (common < one.length
                && common < other.length
                && one[one.length - 1 - common].equals(other[other.length - 1 - common])) {
            common++;
        }
        return common;
    }

    private static List<String> lines(List<StackTraceElement> frames) {
        int end = ContainerFrames.endOfBean(frames);
        List<String> lines = new ArrayList<>();
        frames.subList(0, end).stream()
                .filter(frame -> !ContainerFrames.has(frame))
                .forEach(frame -> lines.add("  at " + frame + "\n"));
        if (lines.isEmpty()) {
            frames.stream().limit(FRAMES_OF_CONTAINER).forEach(frame -> lines.add("  at " + frame + "\n"));
        }
        int dropped = frames.size() - lines.size();
        if (dropped > 0) {
            lines.add("  ... " + dropped + " frames of the container\n");
        }
        return lines;
    }

    /** Drops lines from the middle: the first say where it was thrown, the last which bean called. */
    private static List<String> fit(List<String> lines, int max) {
        int length = lines.stream().mapToInt(String::length).sum();
        if (length <= max) {
            return lines;
        }
        List<String> fitting = new ArrayList<>(lines);
        int dropped = 0;
        int middle = lines.size() / 2;
        while (length > max - 20 && fitting.size() > 1) {
            middle = Math.min(middle, fitting.size() - 1);
            length -= fitting.remove(middle).length();
            dropped++;
            middle = fitting.size() / 2;
        }
        fitting.add(middle, "  ... " + dropped + " frames\n");
        return fitting;
    }
}
