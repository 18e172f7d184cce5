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

/** What a host said. */
final class Answer {

    private static final int TOO_MANY_REQUESTS = 429;

    private final int status;
    private final ContentType type;
    private final Optional<String> location;
    private final byte[] body;
    private final Duration time;

    /** @param body of a page or style sheet, as far as it was read; empty for all else */
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

    /** A fault of the host, which may be gone next time; a missing page is none. */
    boolean isTrouble() {
        return status >= 500 || status == TOO_MANY_REQUESTS;
    }

    private boolean isRedirect() {
        return status >= 300 && status < 400;
    }

    /** What there is to remember about the answer, besides the contents. */
    Visit visit() {
        return new Visit(status, type.text(), status == 200 && type.isHtml(), location, body.length, time);
    }

    /** What was found there: where a redirect leads, or what a page has. The pages that come with an error are not read. */
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
