package org.tasktube.itest.kit;

import java.security.SecureRandom;

/**
 * A user of the console. The server must run.
 *
 * @param name letters and digits
 * @param password letters and digits
 */
public record ConsoleUser(String name, String password) {

    private static final String REALM = "/subsystem=elytron/filesystem-realm=tasktube:";
    private static final String LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";
    private static final int LENGTH = 20;

    /** Returns a user with a random password of 100 bits. */
    public static ConsoleUser random(String name) {
        String password = new SecureRandom()
                .ints(LENGTH, 0, LETTERS.length())
                .mapToObj(LETTERS::charAt)
                .collect(StringBuilder::new, StringBuilder::append, StringBuilder::append)
                .toString();
        return new ConsoleUser(name, password);
    }

    /** Adds the user to a server. Without a role, the console refuses each request of the user. */
    public ConsoleUser addTo(WildFly server) {
        server.cli(
                REALM + "add-identity(identity=" + name + ")",
                REALM + "set-password(identity=" + name + ",digest={algorithm=digest-sha-512,realm=TaskTube,password="
                        + password + "})");
        return this;
    }

    /** Adds the user to a server, with a role. */
    public ConsoleUser addTo(WildFly server, String role) {
        addTo(server);
        server.cli(REALM + "add-identity-attribute(identity=" + name + ",name=Roles,value=[" + role + "])");
        return this;
    }

    /** Gives the user a role in place of another one. In between, the user has both. */
    public void change(WildFly server, String from, String to) {
        server.cli(
                REALM + "add-identity-attribute(identity=" + name + ",name=Roles,value=[" + to + "])",
                REALM + "remove-identity-attribute(identity=" + name + ",name=Roles,value=[" + from + "])");
    }

    public void removeFrom(WildFly server) {
        server.cli(REALM + "remove-identity(identity=" + name + ")");
    }
}
