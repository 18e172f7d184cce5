package org.tasktube.sample.store;

import java.time.Duration;
import java.util.Optional;

/**
 * How it was to ask for a page or file.
 *
 * @param status as HTTP has them
 * @param contentType as the host said, or empty
 * @param html whether there is a page, and not another file or the page that comes with an error
 * @param location where a redirect leads
 * @param bytes how much of a body was read
 * @param time how long the answer took
 */
public record Visit(
        int status, String contentType, boolean html, Optional<String> location, int bytes, Duration time) {}
