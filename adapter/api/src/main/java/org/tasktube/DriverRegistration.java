package org.tasktube;

/** That a driver is registered on this server. */
public interface DriverRegistration extends AutoCloseable {

    /** Forgets the driver. */
    @Override
    void close();
}
