package org.tasktube.console.problem;

import jakarta.ws.rs.core.Response.Status;
import java.util.Locale;

/** The kinds of problems, each with its status and its title. */
public enum Kind {
    FILTER(400, "The filter is wrong"),
    REQUEST(400, "The request cannot be read"),
    BODY(400, "The body of the request is wrong"),
    VALUE(400, "A value is wrong"),
    CONFIRM(400, "The confirmation is missing"),
    LOGIN(401, "No user is logged in"),
    FORBIDDEN(403, "The user does not have the right"),
    CROSS_SITE(403, "The request comes from another site"),
    NO_TUBE(404, "The tube does not exist"),
    NO_TASK(404, "The tube does not have the task"),
    NO_OPERATION(404, "The operation does not exist"),
    NO_SCHEDULE(404, "The schedule does not exist"),
    NO_RESOURCE(404, "Nothing is at this address"),
    METHOD(405, "The address does not have this method"),
    NOT_ACCEPTABLE(406, "The answer has none of the accepted types"),
    STATE(409, "The task is in another state"),
    NOT_TAKEN(409, "No session holds the task"),
    TAKEN_BY_ANOTHER(409, "Another session holds the task"),
    SESSION_EXPIRED(409, "The session has ended, or only its own server knows it"),
    TASK_EXISTS(409, "A task of this key exists"),
    TUBE_EXISTS(409, "A tube of this name exists"),
    TUBE_FULL(409, "The tube is full"),
    TUBE_IN_USE(409, "The tube is in use"),
    OPERATION(409, "The operation cannot start, or cannot be cancelled"),
    DRAINING(409, "The tube accepts no puts"),
    TOO_LARGE(413, "The body or the data is too large"),
    ADDRESS(414, "The address is too long"),
    CONTENT_TYPE(415, "The body has a wrong type"),
    OPTION(422, "The type of the tube does not have the option"),
    TOO_MANY(429, "Too much of it runs at once"),
    FAULT(500, "The console failed"),
    NOT_RUNNING(503, "The adapter is not running"),
    NO_CONNECTION(503, "No connection is free"),
    BUSY(503, "Others keep TaskTube from it at the moment"),
    STREAMS(503, "Too many streams are open"),
    DATABASE(503, "The database refused, or did not answer");

    private final int status;
    private final String title;

    Kind(int status, String title) {
        this.status = status;
        this.title = title;
    }

    public int status() {
        return status;
    }

    public String title() {
        return title;
    }

    /** Returns the type of the problem, a URN. */
    public String type() {
        return "urn:tasktube:problem:" + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns whether the same request may succeed in a second. */
    boolean passes() {
        return status == Status.SERVICE_UNAVAILABLE.getStatusCode();
    }
}
