package org.tasktube.itest.console;

import java.net.http.HttpRequest;

/**
 * A request that was made by chance.
 *
 * @param operation the path of the document and the method, or empty if the document has none that fits
 * @param description the request as text, for a failure
 */
record Generated(String operation, HttpRequest request, String description) {

    boolean isRead() {
        return request.method().equals("GET");
    }

    @Override
    public String toString() {
        return description;
    }
}
