package org.tasktube.store;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The answer of a poll.
 *
 * @param ready the tubes that have, or may have, a task to take
 * @param free the tubes that have a free slot
 * @param modes the modes of the polled tubes, and of all other tubes that are not OPEN, by the tubes' ids
 * @param news the news of the registry; empty if no tube was polled
 */
public record Poll(
        Set<Integer> ready, Set<Integer> free, Map<Integer, ModeSetting> modes, Optional<RegistryNews> news) {}
