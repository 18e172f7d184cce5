package org.tasktube.sample.store;

/**
 * A site in numbers, as far as it was visited.
 *
 * @param pages HTML pages
 * @param files all else
 * @param links different links on its pages, those to other sites included
 * @param bytes that were read
 */
public record SiteTotals(String site, long pages, long files, long links, long bytes) {}
