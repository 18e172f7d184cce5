package org.tasktube.itest.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * {@code tasktube-wildfly.zip} of this build. It comes from Maven as WildFly's zip does, see {@link ServerHome}:
 *
 * <pre>{@code <tasktube.wildfly>${org.tasktube:tasktube-rar:zip:wildfly}</tasktube.wildfly>}</pre>
 */
public final class TaskTubeZip {

    private static final String ZIP = "tasktube.wildfly";

    private TaskTubeZip() {}

    /** Returns a text that another build of the zip does not have. */
    public static String build() throws IOException {
        Path zip = ServerHome.zip(ZIP);
        return zip + " of " + Files.getLastModifiedTime(zip) + ", " + Files.size(zip) + " bytes";
    }

    /**
     * Unpacks the zip to {@code tasktube} in a directory, and runs its configure.cli on a server.
     *
     * @param settings override those in configure.properties
     */
    public static void configure(WildFly server, Path directory, Map<String, String> settings) {
        Path scripts = ServerHome.unpack(ServerHome.zip(ZIP), directory.resolve("tasktube"));
        server.cli(scripts.resolve("configure.cli"), settings);
    }
}
