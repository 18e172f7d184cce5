package org.tasktube.sample.check;

import org.tasktube.sample.links.Address;
import org.tasktube.sample.links.LinkKind;

/**
 * A page or file to be fetched: the data of a task, as text. Lists of tasks show plain text readably.
 *
 * @param url an address as text
 */
record Request(Method method, String url) {

    /** The two ways to fetch. */
    enum Method {
        /** Fetches everything, to read it for links. */
        GET,
        /** Fetches the head only, to see that the file exists. */
        HEAD
    }

    /** Returns the request for a link of this kind. */
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

    /** Returns scheme, host and port. */
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
