package org.tasktube.console.security;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Base64;
import java.util.Optional;
import org.tasktube.console.audit.AuditLog;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Notes requests with a name and a wrong password. Each has a line in the log of the audit, and none has a row. */
final class FailedLogin {

    private static final String BASIC = "Basic ";

    private FailedLogin() {}

    /** Notes a request without a user if it has a password. */
    static void byPassword(HttpServletRequest request) {
        name(request.getHeader("Authorization")).ifPresent(name -> {
            WrongPasswords.add(name);
            AuditLog.loginFailed(name, request.getRemoteAddr());
        });
    }

    /** Returns the name in a header of BASIC; empty for another header, or none. */
    static Optional<String> name(String header) {
        if (header == null || !header.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
            return Optional.empty();
        }
        try {
            byte[] decoded =
                    Base64.getDecoder().decode(header.substring(BASIC.length()).strip());
            return Optional.of(new String(decoded, UTF_8).split(":", 2)[0]);
        } catch (IllegalArgumentException e) {
            return Optional.of("");
        }
    }
}
