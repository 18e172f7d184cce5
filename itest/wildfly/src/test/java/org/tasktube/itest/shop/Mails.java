package org.tasktube.itest.shop;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.inject.Inject;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** Sends mails, five a second at most on all servers together. */
@MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = "mails"))
public class Mails implements TaskListener {

    @Inject
    private Book book;

    @Override
    public void onTask(Task task) {
        book.write("mailed " + task.text());
    }
}
