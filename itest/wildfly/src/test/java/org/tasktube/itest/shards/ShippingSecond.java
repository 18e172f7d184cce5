package org.tasktube.itest.shards;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;

/** Ships what was ordered in the second shard. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = Desk.TUBE),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "4"),
        })
public class ShippingSecond extends Shipping {

    public ShippingSecond() {
        super(Shards.SECOND);
    }
}
