package org.tasktube.spi;

/** The drivers of one server. Get them by {@code connection.unwrap(TubeDrivers.class)}. */
public interface TubeDrivers {

    /**
     * Adds a type of tubes on this server. Register the driver on each server that uses its tubes, before it uses them.
     * Close the registration when your application stops. Its tubes then stay, and operations on them fail with the
     * name of the missing driver. (register_driver of tarantool/queue, whose drivers do everything themselves.)
     *
     * @throws IllegalArgumentException if the type's name is in use, or a method of the driver returns an invalid
     *     answer
     * @throws IllegalStateException if the connection is closed
     */
    DriverRegistration register(TubeDriver driver);
}
