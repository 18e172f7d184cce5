package org.tasktube.inflow;

import java.util.List;
import org.tasktube.admin.BeanStatus;
import org.tasktube.inflow.Prefetch.Claimed;

/**
 * The work of a bean at one moment.
 *
 * @param deliveries the tasks that the bean works on, those of the oldest delivery first
 * @param ahead the claimed tasks that the bean has not begun
 * @param busy the number of deliveries that run
 * @param limit the number of deliveries that instances of the bean allow at once
 * @param sessions the number of deliveries that can run at once, also by the server's threads
 * @param databaseRefuses true if too many writes are deferred
 * @param serverRefuses true if claims pause, because the server has refused a delivery
 * @param noThread true if the server gives no more threads
 */
record BeanLoad(
        List<BeanStatus.Delivery> deliveries,
        List<Claimed> ahead,
        int busy,
        int limit,
        int sessions,
        boolean databaseRefuses,
        boolean serverRefuses,
        boolean noThread) {}
