package org.tasktube.itest.work;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;

/** As {@link WorkBean}, in a transaction, of which the ack is a part. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = WorkTube.IN_TRANSACTION),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "4"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "1")
        })
@TransactionAttribute(TransactionAttributeType.REQUIRED)
public class WorkInTransactionBean extends WorkBean {}
