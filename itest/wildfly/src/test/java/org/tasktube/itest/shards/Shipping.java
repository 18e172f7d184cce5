package org.tasktube.itest.shards;

import jakarta.inject.Inject;
import org.tasktube.Task;
import org.tasktube.TaskRejectedException;
import org.tasktube.TypedTaskListener;

/** Ships orders. The server has one such bean for each shard, which differ in their adapter only. */
public abstract class Shipping implements TypedTaskListener<OrderPlaced> {

    private final String shard;

    @Inject
    private Shards shards;

    protected Shipping(String shard) {
        this.shard = shard;
    }

    @Override
    public void onTask(OrderPlaced order, Task task) {
        if (order.number().startsWith("wrong")) {
            throw new TaskRejectedException("nobody sells that");
        }
        Orders.ship(shards.named(shard), order);
    }
}
