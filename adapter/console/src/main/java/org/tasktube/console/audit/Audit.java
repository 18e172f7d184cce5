package org.tasktube.console.audit;

import jakarta.enterprise.context.RequestScoped;

/** The values that a resource adds to the audit line of its request. */
@RequestScoped
public class Audit {

    private String reason = "";
    private String number = "";
    private String tube = "";
    private String task = "";

    public void reason(String value) {
        reason = value;
    }

    /** Notes how many tasks or tubes the act has changed. */
    public void number(long value) {
        number = Long.toString(value);
    }

    public void tube(String value) {
        tube = value;
    }

    public void task(String value) {
        task = value;
    }

    public String reason() {
        return reason;
    }

    public String number() {
        return number;
    }

    public String tube() {
        return tube;
    }

    public String task() {
        return task;
    }
}
