package org.tasktube.inflow;

/** The activation properties of a message-driven bean that is a {@link org.tasktube.TypedTaskListener}. */
public class TypedTaskActivationSpec extends TaskActivationSpec {

    private static final long serialVersionUID = 1;
}
