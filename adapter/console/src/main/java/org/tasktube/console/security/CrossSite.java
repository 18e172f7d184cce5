package org.tasktube.console.security;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;

/**
 * Refuses changes that a page of another site asks for in the name of a logged-in user. A browser says by
 * {@code Sec-Fetch-Site} or {@code Origin} which page asks. A script sends neither.
 */
final class CrossSite {

    private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");
    private static final String NOT_SENT = "";
    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    private CrossSite() {}

    static boolean isChange(String method) {
        return !SAFE.contains(method);
    }

    static boolean isOwn(HttpServletRequest request) {
        return isOwn(
                request.getHeader("Sec-Fetch-Site"),
                request.getHeader("Origin"),
                request.getHeader("Host"),
                request.isSecure() ? HTTPS : HTTP);
    }

    /**
     * Returns whether the page that asks is the server's own, or no browser asks. A header that was not sent is null.
     *
     * @param defaultPort the port of a host without one
     */
    static boolean isOwn(String fetchSite, String origin, String host, int defaultPort) {
        if (fetchSite != null) {
            return fetchSite.equals("same-origin");
        }
        return origin == null || (host != null && authority(origin).equals(withPort(host, defaultPort)));
    }

    private static String authority(String origin) {
        try {
            URI uri = new URI(origin);
            if (uri.getHost() == null) {
                return NOT_SENT;
            }
            int port = uri.getPort() < 0 ? ("https".equals(uri.getScheme()) ? HTTPS : HTTP) : uri.getPort();
            return uri.getHost().toLowerCase(Locale.ROOT) + ":" + port;
        } catch (URISyntaxException e) {
            return NOT_SENT;
        }
    }

    private static String withPort(String host, int defaultPort) {
        String lower = host.toLowerCase(Locale.ROOT);
        return lower.matches(".*:\\d+") ? lower : lower + ":" + defaultPort;
    }
}
