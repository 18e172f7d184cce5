package org.tasktube.sample.store;

import java.time.Duration;
import java.util.Optional;

/**
 * The record of a visit to a page or file.
 *
 * @param status the HTTP status
 * @param contentType the host's content type; empty for none
 * @param html true for a page; false for another file, or the page that comes with an error
 * @param location the target of a redirect
 * @param bytes the number of read bytes
 * @param time the time of the answer
 */
public record Visit(
        int status, String contentType, boolean html, Optional<String> location, int bytes, Duration time) {}
