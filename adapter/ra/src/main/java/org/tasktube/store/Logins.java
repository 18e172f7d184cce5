package org.tasktube.store;

import java.util.List;
import java.util.Optional;
import org.tasktube.admin.UserLogin;

/**
 * The logins of users at consoles: a row per login. If the store fails, a method throws
 * {@link org.tasktube.StoreException}.
 */
public interface Logins {

    /** Adds a login, and removes those that are over, and the oldest of the user's that are too many. */
    void add(String key, String user, String address, String server);

    /** Returns a login that is not over, and notes that the server uses it now. */
    Optional<UserLogin> use(String key, String server);

    /** Removes a login. Returns false if there is none. */
    boolean end(String key);

    /** Returns all logins that are not over, the newest first. */
    List<UserLogin> all();
}
