package org.tasktube.sample.report;

import org.tasktube.sample.store.Page;

/** The reason why a page or file could not be fetched. */
record Problem(boolean moved, String reason) {

    static Problem of(Page page) {
        boolean moved = page.status() < 400;
        String to = page.location().map(location -> " to " + location).orElse("");
        return new Problem(moved, "status " + page.status() + to);
    }

    static Problem givenUp(String reason) {
        return new Problem(false, "given up: " + reason);
    }
}
