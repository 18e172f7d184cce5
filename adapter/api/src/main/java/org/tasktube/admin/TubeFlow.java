package org.tasktube.admin;

import java.util.List;

/**
 * The flow of one tube. Each list has one number per bucket, the earliest first.
 *
 * @param tube the name of the tube
 * @param in the tasks that were put
 * @param out the tasks that ended: by ack, with or without a result, by delete, or by ttl
 * @param failed the takes that failed: deliveries to a bean that failed, and takes whose ttr was over
 */
public record TubeFlow(String tube, List<Long> in, List<Long> out, List<Long> failed) {}
