package org.tasktube.spi;

/** The registration of a driver on one server. */
public interface DriverRegistration extends AutoCloseable {

    /** Removes the driver. Its tubes stay. Operations on them fail until a driver of that type is registered. */
    @Override
    void close();
}
