package org.tasktube.console.security;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A request with headers that RESTEasy can read. It would answer 500 to some, and log a trace for others, also for
 * headers of which the console makes no use.
 */
final class ReadableRequest extends HttpServletRequestWrapper {

    private static final String ACCEPT = "Accept";
    private static final String CONTENT_TYPE = "Content-Type";

    /** The headers that are not as in the request; absent ones have no value. */
    private final Map<String, Optional<String>> changed = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    /**
     * Creates the request.
     *
     * @param type the type of the body; empty if the request has none
     * @throws IllegalArgumentException if the header Accept cannot be read
     */
    ReadableRequest(HttpServletRequest request, Optional<String> type) {
        super(request);
        String accept = AcceptHeader.read(Collections.list(request.getHeaders(ACCEPT)));
        changed.put(ACCEPT, Optional.of(accept).filter(types -> !types.isEmpty()));
        changed.put(CONTENT_TYPE, type);
        changed.put("Accept-Language", Optional.empty());
        changed.put("Content-Language", Optional.empty());
    }

    @Override
    public String getContentType() {
        return getHeader(CONTENT_TYPE);
    }

    @Override
    public String getHeader(String name) {
        return changed.containsKey(name) ? changed.get(name).orElse(null) : super.getHeader(name);
    }

    @Override
    public Enumeration<String> getHeaders(String name) {
        return changed.containsKey(name)
                ? Collections.enumeration(changed.get(name).stream().toList())
                : super.getHeaders(name);
    }

    @Override
    public Enumeration<String> getHeaderNames() {
        List<String> names = Collections.list(super.getHeaderNames());
        names.removeIf(name -> changed.getOrDefault(name, Optional.of("")).isEmpty());
        return Collections.enumeration(names);
    }
}
