package org.tasktube.inflow;

import jakarta.resource.spi.ActivationSpec;
import jakarta.resource.spi.ConfigProperty;
import jakarta.resource.spi.ResourceAdapter;
import java.io.Serializable;

/**
 * The activation properties of a message-driven bean that is a {@link org.tasktube.TaskListener}. All properties are
 * text, because a server silently replaces an unreadable number by the default. {@link DeliveryPolicy#of} refuses it by
 * name.
 */
public class TaskActivationSpec implements ActivationSpec, Serializable {

    static final String DEFAULT_MAX_SESSION = "8";
    static final String DEFAULT_MAX_ATTEMPTS = "10";
    static final String DEFAULT_RETRY_DELAY = "1s";
    static final String DEFAULT_RETRY_MULTIPLIER = "2";
    static final String DEFAULT_MAX_RETRY_DELAY = "1h";
    static final String DEFAULT_TRANSACTION_TIMEOUT = "0";
    static final String DEFAULT_GATHER_ACKS = "true";
    static final String DEFAULT_HAND_OVER = "true";
    static final String DEFAULT_FINAL_EXCEPTIONS = DeliveryPolicy.NONE;
    static final String DEFAULT_TUBE_TYPE = DeliveryPolicy.NONE;
    static final String DEFAULT_TUBE_CAPACITY = "0";
    static final String DEFAULT_TUBE_TTL = "0";
    static final String DEFAULT_TUBE_TTR = "0";

    private static final long serialVersionUID = 1;

    private transient ResourceAdapter adapter;

    @ConfigProperty(description = "The tube whose tasks the bean gets")
    private String tube;

    @ConfigProperty(
            defaultValue = DEFAULT_MAX_SESSION,
            description = "The largest number of tasks that beans of this activation work on at once")
    private String maxSession = DEFAULT_MAX_SESSION;

    @ConfigProperty(
            defaultValue = DEFAULT_MAX_ATTEMPTS,
            description = "The number of attempts before a task is buried; 0 for no limit")
    private String maxAttempts = DEFAULT_MAX_ATTEMPTS;

    @ConfigProperty(defaultValue = DEFAULT_RETRY_DELAY, description = "The delay after the first failed attempt")
    private String retryDelay = DEFAULT_RETRY_DELAY;

    @ConfigProperty(
            defaultValue = DEFAULT_RETRY_MULTIPLIER,
            description = "The factor by which the delay grows after each further failed attempt")
    private String retryMultiplier = DEFAULT_RETRY_MULTIPLIER;

    @ConfigProperty(defaultValue = DEFAULT_MAX_RETRY_DELAY, description = "The longest delay")
    private String maxRetryDelay = DEFAULT_MAX_RETRY_DELAY;

    @ConfigProperty(
            defaultValue = DEFAULT_TRANSACTION_TIMEOUT,
            description = "The timeout of a delivery's transaction, in whole seconds; 0 for the server's default")
    private String transactionTimeout = DEFAULT_TRANSACTION_TIMEOUT;

    @ConfigProperty(
            defaultValue = DEFAULT_GATHER_ACKS,
            description = "Whether deliveries that change no other resource share the commits of their acks")
    private String gatherAcks = DEFAULT_GATHER_ACKS;

    @ConfigProperty(
            defaultValue = DEFAULT_HAND_OVER,
            description = "Whether a task that is put on this server while the bean is idle goes to it without a claim")
    private String handOver = DEFAULT_HAND_OVER;

    @ConfigProperty(
            defaultValue = DEFAULT_FINAL_EXCEPTIONS,
            description = "Classes of exceptions after which a task is buried at once, with commas between them")
    private String finalExceptions = DEFAULT_FINAL_EXCEPTIONS;

    @ConfigProperty(
            defaultValue = DEFAULT_TUBE_TYPE,
            description = "The type of the tube, which is created if it does not exist; none to wait for it")
    private String tubeType = DEFAULT_TUBE_TYPE;

    @ConfigProperty(
            defaultValue = DEFAULT_TUBE_CAPACITY,
            description = "The capacity of the tube that is created; 0 for none")
    private String tubeCapacity = DEFAULT_TUBE_CAPACITY;

    @ConfigProperty(
            defaultValue = DEFAULT_TUBE_TTL,
            description = "The default ttl of the tube that is created; 0 for none")
    private String tubeTtl = DEFAULT_TUBE_TTL;

    @ConfigProperty(
            defaultValue = DEFAULT_TUBE_TTR,
            description = "The default ttr of the tube that is created; 0 for none")
    private String tubeTtr = DEFAULT_TUBE_TTR;

    /**
     * Accepts everything. WildFly calls this at each activation: after an exception here, the server stays suspended at
     * its next {@code :resume}, and ends at its next {@code :reload}. The adapter checks the properties when the bean
     * is activated, and logs the wrong ones as an error. That bean gets no tasks.
     */
    @Override
    public void validate() {
        // See above
    }

    public String getTube() {
        return tube;
    }

    public void setTube(String tube) {
        this.tube = tube;
    }

    public String getMaxSession() {
        return maxSession;
    }

    public void setMaxSession(String maxSession) {
        this.maxSession = maxSession;
    }

    public String getMaxAttempts() {
        return maxAttempts;
    }

    public void setMaxAttempts(String maxAttempts) {
        this.maxAttempts = maxAttempts;
    }

    public String getRetryDelay() {
        return retryDelay;
    }

    public void setRetryDelay(String retryDelay) {
        this.retryDelay = retryDelay;
    }

    public String getRetryMultiplier() {
        return retryMultiplier;
    }

    public void setRetryMultiplier(String retryMultiplier) {
        this.retryMultiplier = retryMultiplier;
    }

    public String getMaxRetryDelay() {
        return maxRetryDelay;
    }

    public void setMaxRetryDelay(String maxRetryDelay) {
        this.maxRetryDelay = maxRetryDelay;
    }

    public String getTransactionTimeout() {
        return transactionTimeout;
    }

    public void setTransactionTimeout(String transactionTimeout) {
        this.transactionTimeout = transactionTimeout;
    }

    public String getGatherAcks() {
        return gatherAcks;
    }

    public void setGatherAcks(String gatherAcks) {
        this.gatherAcks = gatherAcks;
    }

    public String getHandOver() {
        return handOver;
    }

    public void setHandOver(String handOver) {
        this.handOver = handOver;
    }

    public String getFinalExceptions() {
        return finalExceptions;
    }

    public void setFinalExceptions(String finalExceptions) {
        this.finalExceptions = finalExceptions;
    }

    public String getTubeType() {
        return tubeType;
    }

    public void setTubeType(String tubeType) {
        this.tubeType = tubeType;
    }

    public String getTubeCapacity() {
        return tubeCapacity;
    }

    public void setTubeCapacity(String tubeCapacity) {
        this.tubeCapacity = tubeCapacity;
    }

    public String getTubeTtl() {
        return tubeTtl;
    }

    public void setTubeTtl(String tubeTtl) {
        this.tubeTtl = tubeTtl;
    }

    public String getTubeTtr() {
        return tubeTtr;
    }

    public void setTubeTtr(String tubeTtr) {
        this.tubeTtr = tubeTtr;
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
