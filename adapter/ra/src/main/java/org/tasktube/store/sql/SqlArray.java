package org.tasktube.store.sql;

import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;

/** A value of a parameter that is an array. Only a connection can create it. */
@FunctionalInterface
interface SqlArray {

    Array create(Connection connection) throws SQLException;
}
