package org.tasktube.inflow;

import jakarta.resource.spi.ActivationSpec;
import jakarta.resource.spi.ConfigProperty;
import jakarta.resource.spi.InvalidPropertyException;
import jakarta.resource.spi.ResourceAdapter;
import java.io.Serializable;
import org.tasktube.TubeDefinition;
import org.tasktube.jca.Properties;

/** The activation properties of a message-driven bean that is a {@link org.tasktube.TaskChangeListener}. */
public class ChangeActivationSpec implements ActivationSpec, Serializable {

    private static final long serialVersionUID = 1;

    private transient ResourceAdapter adapter;

    @ConfigProperty(description = "The tube whose changes the bean gets")
    private String tube;

    /** Accepts everything, for the reason given at {@link TaskActivationSpec#validate()}. */
    @Override
    public void validate() {
        // See above
    }

    /**
     * Returns the name of the tube.
     *
     * @throws InvalidPropertyException if the tube is missing or no valid name
     */
    String checkedTube() throws InvalidPropertyException {
        Properties read = new Properties();
        String checked = read.text("tube", tube, TubeDefinition::checkName);
        read.check();
        return checked;
    }

    public String getTube() {
        return tube;
    }

    public void setTube(String tube) {
        this.tube = tube;
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
