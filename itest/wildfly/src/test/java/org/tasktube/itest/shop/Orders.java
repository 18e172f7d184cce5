package org.tasktube.itest.shop;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import org.tasktube.Task;
import org.tasktube.TypedTaskListener;

/** Takes money, picks goods and ships them. The row of each is one commit with the ack of its task. */
@MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = "orders"))
public class Orders implements TypedTaskListener<String> {

    @Inject
    private Book book;

    @Override
    public void onTask(String line, Task task) {
        book.write(line);
    }
}
