package org.tasktube.sample.check;

import org.tasktube.sample.links.Address;
import org.tasktube.sample.links.LinkKind;

/**
 * What is to be asked for: the data of a task, as text. Plain text can be read where tasks are listed.
 *
 * @param url an address as text
 */
record Request(Method method, String url) {

    /** How it is asked for. */
    enum Method {
        /** All of it, to be read for links. */
        GET,
        /** Only whether it is there. */
        HEAD
    }

    /** The request that finds out about a link of this kind. */
    static Request of(LinkKind kind, String url) {
        boolean readable = kind == LinkKind.PAGE || kind == LinkKind.STYLE;
        return new Request(readable ? Method.GET : Method.HEAD, url);
    }

    static Request parse(String text) {
        int space = text.indexOf(' ');
        if (space < 0) {
            throw new IllegalArgumentException("'" + text + "' is no request; one looks like 'GET http://host/page'");
        }
        return new Request(Method.valueOf(text.substring(0, space)), text.substring(space + 1));
    }

    /** Scheme, host and port. */
    String site() {
        return Address.parse(url).orElseThrow().site();
    }

    String text() {
        return method + " " + url;
    }

    Request whole() {
        return new Request(Method.GET, url);
    }
}
