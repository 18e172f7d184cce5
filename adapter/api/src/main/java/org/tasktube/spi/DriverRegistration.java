package org.tasktube.spi;

/** A driver's registration on one server. */
public interface DriverRegistration extends AutoCloseable {

    /** Forgets the driver. Its tubes stay, and operations on them fail until a driver of that type is registered. */
    @Override
    void close();
}
