package org.tasktube.itest.crowd;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;

/** A third of the crowd. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = "crowd-2"),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = Crowd.MAX_SESSION)
        })
public class Crowd2 extends Crowd {}
