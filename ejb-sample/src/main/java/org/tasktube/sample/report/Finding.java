package org.tasktube.sample.report;

import java.util.List;

/**
 * Something that is wrong with links to one target.
 *
 * @param target where they lead
 * @param reason what the host said, or why it was not asked
 * @param pages where they stand, sorted; none for a page that the check was started with
 */
public record Finding(FindingKind kind, String target, String reason, List<String> pages) {}
