package org.tasktube.console.security;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks the header Accept. RESTEasy logs a trace for a wrong type, and fails with a wrong quality. */
final class AcceptHeader {

    /** One media type with its parameters. The lone star is of old clients, such as that of the JDK. */
    private static final Pattern TYPE = Pattern.compile("\\s*(\\*|[^/\\s;]+/[^/\\s;]+)\\s*(?<parameters>;.*)?");

    private static final Pattern QUALITY = Pattern.compile(";\\s*q\\s*=\\s*([^;\\s]*)");
    private static final Pattern QUALITY_VALUE = Pattern.compile("0(\\.[0-9]*)?|\\.[0-9]+|1(\\.0*)?");
    private static final Pattern COMMA = Pattern.compile(",");

    private AcceptHeader() {}

    /** Returns whether the value of a header is a list of media types. */
    static boolean isReadable(String accept) {
        return COMMA.splitAsStream(accept).filter(type -> !type.isEmpty()).allMatch(AcceptHeader::isType);
    }

    private static boolean isType(String type) {
        Matcher matcher = TYPE.matcher(type);
        return matcher.matches() && (matcher.group("parameters") == null || hasQuality(matcher.group("parameters")));
    }

    private static boolean hasQuality(String parameters) {
        return QUALITY.matcher(parameters)
                .results()
                .allMatch(found -> QUALITY_VALUE.matcher(found.group(1)).matches());
    }
}
