package org.tasktube.itest.shop;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.time.Duration;
import org.tasktube.OnConflict;
import org.tasktube.PutOptions;
import org.tasktube.Task;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;

/** Where customers order. Each call is a transaction: its row and its tasks are there together, or none of them. */
@Stateless
@Path("/")
public class Desk {

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    @Inject
    private Book book;

    /** Ships when payment and stock are both done. Asks a customer once a week how it was. */
    @POST
    @Path("order")
    public void order(@QueryParam("order") String order, @QueryParam("customer") String customer) {
        book.write("ordered " + order);
        try (TubeConnection connection = tubes.getConnection()) {
            Tube orders = connection.tube("orders");
            Task payment = orders.put("paid " + order);
            Task stock = orders.put("picked " + order);
            orders.put("shipped " + order, PutOptions.defaults().after(payment, stock));
            PutOptions onceAWeek = PutOptions.defaults().uniqueFor(Duration.ofDays(7));
            connection.tube("mails").put("thanks for " + order);
            connection.tube("mails").putUnique(customer, "how was it, " + customer, onceAWeek, OnConflict.KEEP);
            connection.tube("prints").putUnique(order, order, PutOptions.defaults(), OnConflict.FAIL);
        }
    }

    /** The addresses of a customer are changed in the order of the calls, also when one of them fails. */
    @POST
    @Path("move")
    public void move(@QueryParam("customer") String customer, @QueryParam("to") String to) {
        tubes.put("addresses", customer + " to " + to, PutOptions.defaults().utube(customer));
    }

    /** Ends the print of an order together with the order. */
    @POST
    @Path("cancel")
    public void cancel(@QueryParam("order") String order) {
        book.write("cancelled " + order);
        try (TubeConnection connection = tubes.getConnection()) {
            Tube prints = connection.tube("prints");
            prints.find(order).ifPresent(print -> prints.cancel(print.id(), "the order is cancelled"));
        }
    }

    /** Returns how far the print of an order is, such as "12 of 40". */
    @GET
    @Path("progress")
    public String progress(@QueryParam("order") String order) {
        try (TubeConnection connection = tubes.getConnection()) {
            Tube prints = connection.tube("prints");
            return prints.find(order)
                    .flatMap(print -> prints.progress(print.id()))
                    .map(print -> print.done() + " of " + print.total())
                    .orElse("");
        }
    }
}
