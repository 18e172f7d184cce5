package org.tasktube.sample.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.tasktube.itest.kit.ServerHome;
import org.tasktube.itest.kit.ServerOptions;
import org.tasktube.itest.kit.TaskTubeZip;
import org.tasktube.itest.kit.WildFly;

/** Makes a WildFly with TaskTube, which keeps its database in a file, as the README says how to. */
final class SampleServer {

    private SampleServer() {}

    /** A server that is configured and does not run yet; an earlier one in that directory is removed. */
    static WildFly create(Path module, Path directory, ServerOptions options) throws IOException {
        WildFly server = new WildFly(ServerHome.unpack(directory.resolve("wildfly")), options);
        TaskTubeZip.configure(server, directory, Map.of());
        server.cli(script(module, "h2-file.cli"), Map.of());
        return server;
    }

    static Path script(Path module, String name) {
        return module.resolve("src/main/cli").resolve(name);
    }

    static Path war(Path module) {
        return module.resolve("target/link-checker.war");
    }

    static LinkCheckerClient checker(WildFly server) {
        return new LinkCheckerClient(server.http("/link-checker/"));
    }
}
