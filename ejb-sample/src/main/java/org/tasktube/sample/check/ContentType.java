package org.tasktube.sample.check;

import java.nio.charset.Charset;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A Content-Type header; an empty text if the answer had none. */
record ContentType(String text) {

    private static final Pattern CHARSET =
            Pattern.compile(".*;\\s*charset\\s*=\\s*\"?([^\";\\s]+)\"?.*", Pattern.CASE_INSENSITIVE);

    boolean isHtml() {
        return is("text/html") || is("application/xhtml+xml");
    }

    boolean isStyleSheet() {
        return is("text/css");
    }

    /** Returns the charset if the header names a known one. */
    Optional<Charset> charset() {
        Matcher charset = CHARSET.matcher(text);
        if (!charset.matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(Charset.forName(charset.group(1)));
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // the page itself may name the charset
        }
    }

    private boolean is(String type) {
        int end = text.indexOf(';');
        return text.substring(0, end < 0 ? text.length() : end)
                .strip()
                .toLowerCase(Locale.ROOT)
                .equals(type);
    }
}
