package org.tasktube.itest.shop;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import org.tasktube.Task;
import org.tasktube.TaskListener;
import org.tasktube.TaskRejectedException;

/** Changes addresses. One that is none is BURIED at once, and holds the later ones of its customer. */
@MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = "addresses"))
public class Addresses implements TaskListener {

    @Inject
    private Book book;

    @Override
    public void onTask(Task task) {
        if (task.text().endsWith("nowhere")) {
            throw new TaskRejectedException("there is no such address");
        }
        book.write(task.text());
    }
}
