package org.tasktube.spi;

/** The drivers of one server: {@code connection.unwrap(TubeDrivers.class)}. */
public interface TubeDrivers {

    /**
     * Adds a type of tubes on this server. Register it before its tubes are used, on each server that uses them. Close the
     * registration when your application goes: its tubes stay then, and operations on them fail, naming the missing driver.
     * (register_driver of tarantool/queue, whose drivers do everything themselves.)
     *
     * @throws IllegalArgumentException if the type's name is taken, or a method of the driver returns no valid answer
     * @throws IllegalStateException if the connection is closed
     */
    DriverRegistration register(TubeDriver driver);
}
