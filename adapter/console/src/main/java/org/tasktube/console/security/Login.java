package org.tasktube.console.security;

import jakarta.servlet.http.HttpSession;
import jakarta.servlet.http.HttpSessionBindingEvent;
import jakarta.servlet.http.HttpSessionBindingListener;
import java.time.Instant;

/**
 * A session of a browser. The server adds it to the logins and removes it with the session.
 *
 * @param id for the administrators, who must not see the id of the session: it is the login itself
 * @param address of the client at the login
 * @param session its last request is that of a page or of the events
 */
public record Login(String id, String user, String address, Instant since, HttpSession session, Logins logins)
        implements HttpSessionBindingListener {

    @Override
    public void valueBound(HttpSessionBindingEvent event) {
        logins.add(this);
    }

    @Override
    public void valueUnbound(HttpSessionBindingEvent event) {
        logins.remove(this);
    }
}
