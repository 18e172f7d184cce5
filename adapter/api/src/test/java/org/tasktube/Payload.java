package org.tasktube;

/** Data of an application, each of which loads this class itself. */
public class Payload {
    public int number = 7;
}
