package org.tasktube.sample.check;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.tasktube.sample.links.Address;
import org.tasktube.sample.links.Contents;
import org.tasktube.sample.links.HtmlReader;
import org.tasktube.sample.links.LinkKind;
import org.tasktube.sample.links.StyleReader;
import org.tasktube.sample.store.Visit;

/** The answer of a host. */
final class Answer {

    private static final int TOO_MANY_REQUESTS = 429;

    private final int status;
    private final ContentType type;
    private final Optional<String> location;
    private final byte[] body;
    private final Duration time;

    /**
     * Creates an answer.
     *
     * @param body the read part of a page or style sheet; empty for other files
     */
    Answer(int status, ContentType type, Optional<String> location, byte[] body, Duration time) {
        this.status = status;
        this.type = type;
        this.location = location;
        this.body = body;
        this.time = time;
    }

    int status() {
        return status;
    }

    ContentType type() {
        return type;
    }

    /**
     * Returns whether the host itself is at fault and may have recovered the next time. A missing page is no such
     * fault.
     */
    boolean isTrouble() {
        return status >= 500 || status == TOO_MANY_REQUESTS;
    }

    private boolean isRedirect() {
        return status >= 300 && status < 400;
    }

    /** Returns the record of the answer, without its contents. */
    Visit visit() {
        return new Visit(status, type.text(), status == 200 && type.isHtml(), location, body.length, time);
    }

    /** Returns the target of a redirect, or the contents of a page. Pages that come with an error are not read. */
    Contents contents(Address address) {
        if (isRedirect()) {
            return location.map(to -> Contents.of(address, LinkKind.PAGE, to)).orElse(Contents.NONE);
        }
        if (status != 200) {
            return Contents.NONE;
        }
        if (type.isHtml()) {
            return HtmlReader.read(
                    address, body, type.charset().map(Charset::name).orElse(null));
        }
        if (type.isStyleSheet()) {
            return StyleReader.read(address, new String(body, type.charset().orElse(StandardCharsets.UTF_8)));
        }
        return Contents.NONE;
    }
}
