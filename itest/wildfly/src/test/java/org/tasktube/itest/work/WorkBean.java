package org.tasktube.itest.work;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.MessageDriven;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/**
 * Does what the text of its task says: {@code hold} holds the task, {@code fail WORDS} fails once; all else is done at
 * once.
 */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "tube", propertyValue = WorkTube.NAME),
            @ActivationConfigProperty(propertyName = "maxSession", propertyValue = "8"),
            @ActivationConfigProperty(propertyName = "maxAttempts", propertyValue = "1")
        })
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class WorkBean implements TaskListener {

    private static final Logger LOG = Logger.getLogger(WorkBean.class.getName());
    private static final String FAIL = "fail ";

    @EJB
    private Gate gate;

    @Override
    public void onTask(Task task) {
        String text = task.text();
        if (text.equals("hold")) {
            gate.await();
        } else if (text.startsWith(FAIL)) {
            LOG.log(Level.WARNING, "the bean cannot: {0}", text);
            throw new IllegalStateException(text.substring(FAIL.length()));
        }
    }
}
