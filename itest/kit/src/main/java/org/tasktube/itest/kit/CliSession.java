package org.tasktube.itest.kit;

import java.io.File;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A session of jboss-cli in this process, whose class path must have jboss-cli-client.jar: its classes are in the
 * server's directory only, and are called by reflection. jboss-cli finds that directory by the environment's
 * JBOSS_HOME.
 */
public final class CliSession implements AutoCloseable {

    /** What configure.cli adds and restore.cli removes. */
    private static final String MODULE = "org.tasktube.api";

    private final Class<?> type;
    private final Object context;
    private boolean embedded;

    /** What a process needs on its class path to open a session with that server's jboss-cli, for a Java of its own. */
    public static String classPath(Path home) {
        try {
            Path here = Path.of(CliSession.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return here + File.pathSeparator + client(home);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    static Path client(Path home) {
        return home.resolve("bin/client/jboss-cli-client.jar");
    }

    /** A session with the options that a script is run with, {@code --resolve-parameter-values} above all. */
    public CliSession(OutputStream output, Duration patience) {
        try {
            type = Class.forName("org.jboss.as.cli.CommandContext");
            Class<?> builder = Class.forName("org.jboss.as.cli.impl.CommandContextConfiguration$Builder");
            Object options = builder.getConstructor().newInstance();
            builder.getMethod("setConsoleOutput", OutputStream.class).invoke(options, output);
            builder.getMethod("setColorOutput", boolean.class).invoke(options, false);
            builder.getMethod("setOutputPaging", boolean.class).invoke(options, false);
            builder.getMethod("setResolveParameterValues", boolean.class).invoke(options, true);
            builder.getMethod("setConnectionTimeout", int.class).invoke(options, (int) patience.toMillis());
            Object configuration = builder.getMethod("build").invoke(options);
            Class<?> factory = Class.forName("org.jboss.as.cli.CommandContextFactory");
            Object instance = factory.getMethod("getInstance").invoke(null);
            context = factory.getMethod("newCommandContext", configuration.getClass())
                    .invoke(instance, configuration);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Executes a line as of a script; what it has to say, an error too, goes to the output. Returns whether it
     * succeeded.
     */
    public boolean execute(String line) {
        embedded |= line.startsWith("embed-server");
        call("handleSafe", line);
        return (int) call("getExitCode") == 0;
    }

    /**
     * The result of a management operation.
     *
     * @throws IllegalStateException if it failed
     */
    public String result(String operation) {
        try {
            Object request = call("buildRequest", operation);
            Object answer =
                    type.getMethod("execute", request.getClass(), String.class).invoke(context, request, operation);
            return answer.getClass()
                    .getMethod("get", String.class)
                    .invoke(answer, "result")
                    .toString();
        } catch (ReflectiveOperationException e) {
            throw failed(operation, e);
        }
    }

    private Object call(String method, String... argument) {
        try {
            return argument.length == 0
                    ? type.getMethod(method).invoke(context)
                    : type.getMethod(method, String.class).invoke(context, argument[0]);
        } catch (ReflectiveOperationException e) {
            throw failed(method, e);
        }
    }

    private static IllegalStateException failed(String what, ReflectiveOperationException e) {
        return new IllegalStateException(what, e instanceof InvocationTargetException ? e.getCause() : e);
    }

    @Override
    public void close() {
        call("terminateSession");
        if (embedded) {
            forgetModule();
        }
    }

    /** All servers that this process embeds have one loader of modules, which would keep one that is removed. */
    private static void forgetModule() {
        try {
            Class<?> module = Class.forName("org.jboss.modules.Module");
            Class<?> loader = Class.forName("org.jboss.modules.ModuleLoader");
            Object boot = module.getMethod("getBootModuleLoader").invoke(null);
            Method find = loader.getDeclaredMethod("findLoadedModuleLocal", String.class);
            Method unload = loader.getDeclaredMethod("unloadModuleLocal", String.class, module);
            find.setAccessible(true);
            unload.setAccessible(true);
            Object loaded = find.invoke(boot, MODULE);
            if (loaded != null) {
                unload.invoke(boot, MODULE, loaded);
            }
        } catch (ReflectiveOperationException e) {
            throw failed("forget " + MODULE, e);
        }
    }
}
