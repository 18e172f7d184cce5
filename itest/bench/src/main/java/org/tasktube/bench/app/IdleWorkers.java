package org.tasktube.bench.app;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import org.tasktube.Task;
import org.tasktube.TaskListener;

/** Ten beans that are never handed anything: what does it cost the database that they wait? */
public final class IdleWorkers {

    public static final int COUNT = 10;

    private IdleWorkers() {}

    /** None has anything to do. */
    public abstract static class Idle implements TaskListener {

        @Override
        public void onTask(Task task) {
            throw new IllegalStateException("nobody puts anything into " + task.tube());
        }
    }

    @MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = "idle-0"))
    public static class Idle0 extends Idle {}

    @MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = "idle-1"))
    public static class Idle1 extends Idle {}

    @MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = "idle-2"))
    public static class Idle2 extends Idle {}

    @MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = "idle-3"))
    public static class Idle3 extends Idle {}

    @MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = "idle-4"))
    public static class Idle4 extends Idle {}

    @MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = "idle-5"))
    public static class Idle5 extends Idle {}

    @MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = "idle-6"))
    public static class Idle6 extends Idle {}

    @MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = "idle-7"))
    public static class Idle7 extends Idle {}

    @MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = "idle-8"))
    public static class Idle8 extends Idle {}

    @MessageDriven(activationConfig = @ActivationConfigProperty(propertyName = "tube", propertyValue = "idle-9"))
    public static class Idle9 extends Idle {}
}
