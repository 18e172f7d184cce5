package org.tasktube.itest.shards;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;

/** Ships what was ordered in the first shard. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = "orders"),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "4"),
        })
public class ShippingFirst extends Shipping {

    public ShippingFirst() {
        super(Shards.FIRST);
    }
}
