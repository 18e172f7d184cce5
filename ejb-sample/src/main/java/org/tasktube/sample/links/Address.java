package org.tasktube.sample.links;

import java.net.IDN;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a page or file, without its fragment, in one spelling: two links to the same address are equal.
 * References are resolved by RFC 3986, section 5.2, and spaces and the like are accepted as in browsers.
 * {@link URI#resolve} does neither.
 */
public record Address(String scheme, String authority, String path, Optional<String> query) {

    /**
     * The longest address that is followed. Hardly any server answers longer ones, and a database has to index them.
     */
    public static final int MAX_LENGTH = 2000;

    /** The longest scheme, host and port. No host's name is longer. */
    public static final int MAX_SITE = 255;

    // RFC 3986, appendix B, without the fragment
    private static final Pattern PARTS =
            Pattern.compile("(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?]*))?([^?]*)(?:\\?(.*))?");
    private static final Pattern AUTHORITY = Pattern.compile("(.*@)?(\\[[^\\]]*]|[^:]*)(?::([0-9]*))?");
    private static final Pattern IGNORED = Pattern.compile("[\\t\\r\\n]");

    /** Returns an absolute address; empty if it is not one of http or https. */
    public static Optional<Address> parse(String text) {
        String readable = readable(text);
        Matcher parts = match(readable);
        if (parts.group(1) == null) {
            return Optional.empty();
        }
        return http(parts.group(1), parts.group(2), parts.group(3), parts.group(4));
    }

    /**
     * Returns an absolute address at which a check can start.
     *
     * @throws IllegalArgumentException if it is not one of http or https, or too long
     */
    public static Address start(String text) {
        return parse(text)
                .filter(address -> address.toString().length() <= MAX_LENGTH
                        && address.site().length() <= MAX_SITE)
                .orElseThrow(() -> new IllegalArgumentException(
                        "'" + text + "' is no address to start at; one looks like 'http://host/index.html'"));
    }

    /** Returns the target of a reference on a page at this address; empty if it is not an address of http or https. */
    public Optional<Address> resolve(String reference) {
        Matcher parts = match(readable(reference));
        String host = parts.group(2);
        String refPath = parts.group(3);
        String refQuery = parts.group(4);
        if (parts.group(1) != null) {
            return http(parts.group(1), host, refPath, refQuery);
        }
        if (host != null) {
            return http(scheme, host, refPath, refQuery);
        }
        if (refPath.isEmpty()) {
            return http(scheme, authority, path, refQuery == null ? query.orElse(null) : refQuery);
        }
        return http(scheme, authority, refPath.startsWith("/") ? refPath : sibling(refPath), refQuery);
    }

    /** Returns scheme, host and port, which the report calls a host. */
    public String site() {
        return scheme + "://" + authority;
    }

    @Override
    public String toString() {
        return site() + path + query.map(text -> "?" + text).orElse("");
    }

    private static String readable(String text) {
        return IGNORED.matcher(text.strip()).replaceAll("").replace('\\', '/');
    }

    private static Matcher match(String text) {
        Matcher parts = PARTS.matcher(text);
        if (!parts.matches()) {
            throw new AssertionError("every text matches: " + text);
        }
        return parts;
    }

    private String sibling(String relative) {
        return path.substring(0, path.lastIndexOf('/') + 1) + relative;
    }

    private static Optional<Address> http(String scheme, String authority, String path, String query) {
        String lower = scheme.toLowerCase(Locale.ROOT);
        if (authority == null || !(lower.equals("http") || lower.equals("https"))) {
            return Optional.empty();
        }
        try {
            Address address = new Address(
                    lower,
                    normalAuthority(lower, authority),
                    PercentCode.encode(withoutDots(path)),
                    Optional.ofNullable(query).map(PercentCode::encode));
            return Optional.of(address).filter(Address::canBeAskedFor);
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // an invalid host name
        }
    }

    private boolean canBeAskedFor() {
        return URI.create(toString()).getHost() != null;
    }

    private static String normalAuthority(String scheme, String authority) {
        Matcher parts = AUTHORITY.matcher(authority);
        if (!parts.matches()) {
            throw new IllegalArgumentException(authority);
        }
        String user = parts.group(1) == null ? "" : parts.group(1);
        String host = parts.group(2).startsWith("[") ? parts.group(2) : IDN.toASCII(parts.group(2));
        return user + host.toLowerCase(Locale.ROOT) + normalPort(scheme, parts.group(3));
    }

    private static String normalPort(String scheme, String port) {
        boolean usual = port == null || port.isEmpty() || port.equals(scheme.equals("http") ? "80" : "443");
        return usual ? "" : ":" + port;
    }

    /** Removes dot segments, by RFC 3986, section 5.2.4. */
    private static String withoutDots(String path) {
        StringBuilder result = new StringBuilder();
        String[] segments = path.split("/", -1);
        for (int i = 1; i < segments.length; i++) {
            boolean last = i == segments.length - 1;
            switch (segments[i]) {
                case "." -> result.append(last ? "/" : "");
                case ".." -> {
                    result.setLength(Math.max(result.lastIndexOf("/"), 0));
                    result.append(last ? "/" : "");
                }
                default -> result.append('/').append(segments[i]);
            }
        }
        return result.isEmpty() ? "/" : result.toString();
    }
}
