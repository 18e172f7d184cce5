package org.tasktube.itest.beans;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import org.tasktube.Task;
import org.tasktube.TypedTaskListener;

/** A bean that gets numbers, for which nobody puts one. */
@MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = Typed.TUBE))
public class Typed implements TypedTaskListener<Long> {

    static final String TUBE = "typed";

    @Override
    public void onTask(Long number, Task task) {
        throw new IllegalStateException("it was called with " + number);
    }
}
