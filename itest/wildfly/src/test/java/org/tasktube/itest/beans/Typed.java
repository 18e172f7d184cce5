package org.tasktube.itest.beans;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.EJB;
import jakarta.ejb.MessageDriven;
import org.tasktube.Task;
import org.tasktube.TypedTaskListener;

/** A bean that gets numbers, and writes each and its double in one transaction with the ack. */
@MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = Typed.TUBE))
public class Typed implements TypedTaskListener<Long> {

    static final String TUBE = "typed";

    @EJB
    private Rows rows;

    @Override
    public void onTask(Long number, Task task) {
        rows.add(task.text());
        rows.add(Long.toString(2 * number));
    }
}
