package org.tasktube.bench.app;

import jakarta.annotation.Resource;
import jakarta.ejb.Stateless;
import org.tasktube.PutOptions;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;

/** As an application does it. */
@Stateless
public class TubeProducer {

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory tubes;

    public void put(String tube, byte[] data, PutOptions options) {
        try (TubeConnection connection = tubes.getConnection()) {
            connection.tube(tube).put(data, options);
        }
    }
}
