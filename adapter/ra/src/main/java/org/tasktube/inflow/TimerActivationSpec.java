package org.tasktube.inflow;

import jakarta.resource.spi.ActivationSpec;
import jakarta.resource.spi.ResourceAdapter;
import java.io.Serializable;

/** The activation of the bean that is the adapter's {@link org.tasktube.spi.DeadlineTimer}. It has no properties. */
public class TimerActivationSpec implements ActivationSpec, Serializable {

    private static final long serialVersionUID = 1;

    private transient ResourceAdapter adapter;

    @Override
    public void validate() {
        // No property can be wrong
    }

    @Override
    public ResourceAdapter getResourceAdapter() {
        return adapter;
    }

    @Override
    public void setResourceAdapter(ResourceAdapter adapter) {
        this.adapter = adapter;
    }
}
