package org.tasktube.itest.traced;

import io.opentelemetry.api.trace.Span;
import jakarta.annotation.Resource;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import org.tasktube.Task;
import org.tasktube.TaskListener;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;

/** Puts a task for each that it gets, with the id of the span that is current in it. */
@MessageDriven(
        activationConfig = {@ActivationConfigProperty(propertyName = "tube", propertyValue = TracedServlet.FIRST)})
public class FirstBean implements TaskListener {

    @Resource(lookup = "java:/TaskTube")
    private TubeConnectionFactory factory;

    @Override
    public void onTask(Task task) {
        try (TubeConnection connection = factory.getConnection()) {
            connection
                    .tube(TracedServlet.SECOND)
                    .put(Span.current().getSpanContext().getSpanId());
        }
    }
}
