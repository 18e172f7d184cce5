package org.tasktube.itest.shards;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;

/**
 * Ships what was ordered in the second shard. A jboss-ejb3.xml binds it to the adapter and the pool tasktube-second; in an
 * application, the annotations ResourceAdapter and Pool of org.jboss.ejb3 do the same.
 */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = "orders"),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "4"),
        })
public class ShippingSecond extends Shipping {

    public ShippingSecond() {
        super(Shards.SECOND);
    }
}
