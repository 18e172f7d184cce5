package org.tasktube.inflow;

import jakarta.resource.spi.ConfigProperty;

/** The activation properties of a message-driven bean that is a {@link org.tasktube.TaskBatchListener}. */
public class TaskBatchActivationSpec extends TaskActivationSpec {

    static final String DEFAULT_BATCH_SIZE = "64";

    private static final long serialVersionUID = 1;

    @ConfigProperty(
            defaultValue = DEFAULT_BATCH_SIZE,
            description = "The largest number of tasks that one call of the bean gets")
    private String batchSize = DEFAULT_BATCH_SIZE;

    public String getBatchSize() {
        return batchSize;
    }

    public void setBatchSize(String batchSize) {
        this.batchSize = batchSize;
    }
}
