package org.tasktube.console.security;

/**
 * The provider of OpenID Connect, at which users log in if the server has one for the console. The server then knows
 * the user of each request by itself.
 */
public final class Provider {

    private static final String LOGIN = "tasktube.console.login";

    private Provider() {}

    /** Returns how a script logs in. */
    static String howToLogIn() {
        return isThere()
                ? "log in first: send a token of the provider by Bearer"
                : "log in first: send the name and password of a user by BASIC";
    }

    /** Returns whether users log in at a provider, and not by the form of the console. */
    public static boolean isThere() {
        return "oidc".equals(System.getProperty(LOGIN));
    }
}
