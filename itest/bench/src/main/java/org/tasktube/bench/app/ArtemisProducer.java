package org.tasktube.bench.app;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import jakarta.inject.Inject;
import jakarta.jms.JMSConnectionFactory;
import jakarta.jms.JMSContext;
import jakarta.jms.Queue;

/** A peer: the Artemis of the same server, as an application sends to it, persistent and in the JTA transaction. */
@Stateless
public class ArtemisProducer {

    @Inject
    @JMSConnectionFactory("java:/JmsXA")
    private JMSContext context;

    @Resource(lookup = "java:/jms/queue/bench")
    private Queue queue;

    public void put(byte[] data) {
        context.createProducer().send(queue, data);
    }
}
