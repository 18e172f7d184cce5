package org.tasktube.itest.shop;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** Takes money, picks goods and ships them. The row of each is one commit with the ack of its task. */
@MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = "orders"))
public class Orders implements TaskListener {

    @Inject
    private Book book;

    @Override
    public void onTask(Task task) {
        book.write(task.text());
    }
}
