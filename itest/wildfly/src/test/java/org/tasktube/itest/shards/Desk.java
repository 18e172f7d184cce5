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

/** Where tenants sign up, order, and move. Looks for a tenant's database before the transaction begins. */
@Stateless
@Path("/")
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class Desk {

    static final String TUBE = "orders";

    private static final int TRIES = 3;

    @Inject
    private Shards shards;

    @EJB
    private Tenants tenants;

    @EJB
    private Orders orders;

    @POST
    @Path("tenant")
    public String signUp(@QueryParam("tenant") String tenant) {
        Shard home = Shard.ranked(shards.all(), tenant).get(0);
        tenants.signUp(home, tenant);
        return home.name();
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
            @QueryParam("seconds") @DefaultValue("0") int seconds) {
        for (int tried = 1; ; tried++) {
            Shard shard = shards.find(tenant);
            try {
                orders.place(shard, new OrderPlaced(tenant, number), seconds);
                return shard.name();
            } catch (MovedException e) {
                shards.forget(tenant);
                if (tried == TRIES) {
                    throw e;
                }
            }
        }
    }

    /** Places so many orders, one after the other. */
    @POST
    @Path("orders")
    public void orders(
            @QueryParam("tenant") String tenant, @QueryParam("from") int from, @QueryParam("count") int count) {
        for (int number = from; number < from + count; number++) {
            order(tenant, Integer.toString(number), 0);
        }
    }

    @POST
    @Path("move")
    public void move(@QueryParam("tenant") String tenant, @QueryParam("to") String to) {
        shards.forget(tenant);
        tenants.move(tenant, shards.find(tenant), shards.named(to));
        shards.forget(tenant);
    }
}
