package org.tasktube.bench.app;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;

/** As an application does it. */
@Stateless
public class TubeProducer implements Producer {

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    @Override
    public void put(byte[] data) {
        try (TubeConnection connection = tubes.getConnection()) {
            connection.tube(Side.TASKTUBE.tube()).put(data);
        }
    }
}
