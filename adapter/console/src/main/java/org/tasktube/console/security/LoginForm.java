package org.tasktube.console.security;

import java.net.URLDecoder;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The fields of the login, of the body only: a password in an address would be in logs. The server's own parameters
 * have both, and an error with a trace for a body that ends early or has too many fields.
 */
record LoginForm(String user, String password) {

    /** Reads a form. A field that is missing or cannot be decoded is empty. */
    static LoginForm of(String body) {
        return new LoginForm(field(body, "user"), field(body, "password"));
    }

    private static String field(String body, String name) {
        for (String pair : body.split("&", -1)) {
            if (pair.startsWith(name + "=")) {
                return decoded(pair.substring(name.length() + 1));
            }
        }
        return "";
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value, UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }
}
