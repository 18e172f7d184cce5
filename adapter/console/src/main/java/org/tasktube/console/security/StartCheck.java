package org.tasktube.console.security;

import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;
import java.lang.reflect.InvocationTargetException;

/**
 * Refuses a server that has no security domain for the console: such a server may ignore the constraints in web.xml,
 * and show all pages to all.
 */
@WebListener
public class StartCheck implements ServletContextListener {

    /** WildFly's own class, which the console does not compile against. */
    private static final String DOMAIN = "org.wildfly.security.auth.server.SecurityDomain";

    static final String NEXT = "the server has no security domain for TaskTube's console, so that no login would"
            + " protect it. Run configure.cli, or add one:"
            + " /subsystem=undertow/application-security-domain=tasktube:add(security-domain=ApplicationDomain)";

    @Override
    public void contextInitialized(ServletContextEvent event) {
        if (!hasDomain(event.getServletContext().getClassLoader())) {
            throw new IllegalStateException(NEXT);
        }
        UsersDirectory.protect();
    }

    private static boolean hasDomain(ClassLoader loader) {
        try {
            return Class.forName(DOMAIN, true, loader).getMethod("getCurrent").invoke(null) != null;
        } catch (ClassNotFoundException | NoSuchMethodException | IllegalAccessException e) {
            // Another server than WildFly: the login is not known to be there
            return false;
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e.getCause());
        }
    }
}
