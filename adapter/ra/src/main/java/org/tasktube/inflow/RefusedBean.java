package org.tasktube.inflow;

import java.util.List;
import java.util.Optional;
import org.tasktube.admin.BeanStatus;
import org.tasktube.node.ActiveBean;

/** A bean whose activation was refused, until the server deactivates it. */
record RefusedBean(String name, String why) implements ActiveBean {

    @Override
    public String tube() {
        return "";
    }

    @Override
    public BeanStatus status() {
        String text = "Bean '" + name + "' gets no tasks: " + why + ".";
        BeanStatus.Hindrance refused = new BeanStatus.Hindrance(BeanStatus.Reason.REFUSED, text);
        return new BeanStatus(name, tube(), 0, 0, 0, List.of(), 0, Optional.of(refused));
    }

    @Override
    public boolean hasClaimed(long task) {
        return false;
    }
}
