package org.tasktube.bench.app;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;

/** The same as {@link TubeWorker} for Artemis. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "destinationLookup", propertyValue = "java:/jms/queue/bench"),
            @ActivationConfigProperty(propertyName = "destinationType", propertyValue = "jakarta.jms.Queue"),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "8")
        })
public class ArtemisWorker implements MessageListener {

    @Inject
    private Meter meter;

    @Override
    public void onMessage(Message message) {
        meter.began();
    }
}
