package org.tasktube.console.security;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebFilter;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * Has the browser ask whether its copy of a script, style sheet or icon is the present one, by a hash of all of them.
 * The times of the files say nothing: they are those of a reproducible build. An old script with a new page, or an old
 * style sheet with new icons, would not work.
 */
@WebFilter(urlPatterns = {"/js/*", "/css/*", "/icons/*"})
public class StaticFiles extends HttpFilter {

    private static final long serialVersionUID = 1;
    private static final List<String> DIRECTORIES = List.of("/js/", "/css/", "/icons/");
    private static final List<String> CONDITIONS = List.of("If-Modified-Since", "If-None-Match");

    private String tag = "";

    @Override
    public void init() throws ServletException {
        try {
            tag = '"' + hash(getServletContext()) + '"';
        } catch (IOException | NoSuchAlgorithmException e) {
            throw new ServletException("the console's own files cannot be read", e);
        }
    }

    private static String hash(ServletContext context) throws IOException, NoSuchAlgorithmException {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (String directory : DIRECTORIES) {
            for (String file :
                    context.getResourcePaths(directory).stream().sorted().toList()) {
                try (InputStream content = context.getResourceAsStream(file)) {
                    digest.update(content.readAllBytes());
                }
            }
        }
        return HexFormat.of().formatHex(digest.digest(), 0, 8);
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        response.setHeader("Cache-Control", "no-cache");
        response.setHeader("ETag", tag);
        if (tag.equals(request.getHeader("If-None-Match"))) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
        } else {
            chain.doFilter(new Unconditional(request), response);
        }
    }

    /** The server would compare the times of its files. */
    private static final class Unconditional extends HttpServletRequestWrapper {

        Unconditional(HttpServletRequest request) {
            super(request);
        }

        @Override
        public String getHeader(String name) {
            return isCondition(name) ? null : super.getHeader(name);
        }

        @Override
        public long getDateHeader(String name) {
            return isCondition(name) ? -1 : super.getDateHeader(name);
        }

        private static boolean isCondition(String name) {
            return CONDITIONS.stream().anyMatch(name::equalsIgnoreCase);
        }
    }
}
