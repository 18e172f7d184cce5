package org.tasktube.itest.shards;

import jakarta.ejb.EJB;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.util.concurrent.TimeUnit;

/** Where tenants sign up, order, and move. Looks for a tenant's database before the transaction begins. */
@Stateless
@Path("/")
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class Desk {

    private static final int TRIES = 20;
    private static final int PAUSE_MILLIS = 100;

    @Inject
    private Shards shards;

    @EJB
    private Tenants tenants;

    @EJB
    private Orders orders;

    @POST
    @Path("tenant")
    public String signUp(@QueryParam("tenant") String tenant) {
        return tenants.signUp(shards.all(), tenant).name();
    }

    /**
     * Places an order, and returns the name of the shard.
     *
     * @param seconds the delay of the task
     */
    @POST
    @Path("order")
    public String order(
            @QueryParam("tenant") String tenant,
            @QueryParam("number") String number,
            @QueryParam("seconds") @DefaultValue("0") int seconds)
            throws InterruptedException {
        for (int tried = 1; ; tried++) {
            try {
                Shard shard = shards.find(tenant);
                orders.place(shard, new OrderPlaced(tenant, number), seconds);
                return shard.name();
            } catch (MovedException e) {
                shards.forget(tenant);
                if (tried == TRIES) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
    }

    /** Places so many orders, one after the other. */
    @POST
    @Path("orders")
    public void orders(
            @QueryParam("tenant") String tenant, @QueryParam("from") int from, @QueryParam("count") int count)
            throws InterruptedException {
        for (int number = from; number < from + count; number++) {
            order(tenant, Integer.toString(number), 0);
        }
    }

    @POST
    @Path("move")
    public void move(@QueryParam("tenant") String tenant, @QueryParam("to") String to) throws InterruptedException {
        shards.forget(tenant);
        tenants.move(tenant, shards.find(tenant), shards.named(to));
        shards.forget(tenant);
    }
}
