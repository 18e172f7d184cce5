package org.tasktube.itest.kit;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import org.jboss.as.controller.client.helpers.Operations;
import org.jboss.dmr.ModelNode;
import org.postgresql.Driver;
import org.wildfly.core.launcher.StandaloneCommandBuilder;

/**
 * A WildFly, one node of it, in an unpacked directory: configured, started, stopped, killed, started again. It listens
 * on 127.0.0.1. What it writes to its console is in {@link #log()}. Not safe for use by several threads.
 */
public final class WildFly implements AutoCloseable {

    private static final String HOST = "127.0.0.1";
    private static final int HTTP_PORT = 8080;
    private static final int CONSOLE_PORT = 8090;
    private static final int MANAGEMENT_PORT = 9990;

    private static final String STARTED = "WFLYSRV0025";
    private static final String STARTED_WITH_ERRORS = "WFLYSRV0026";
    private static final String BOOT_FAILED = "WFLYSRV0056";

    private final Path home;
    private final Path base;
    private final ServerOptions options;
    private final ServerLog log;
    private final Cli cli;

    private Process process;
    private Management management;

    /** The node that the options name; its directory is made when it is not there yet. */
    public WildFly(Path home, ServerOptions options) {
        this.home = home.toAbsolutePath();
        this.base = this.home.resolve(options.node());
        this.options = options;
        this.log = new ServerLog(base.resolve("console.log"));
        this.cli = new Cli(this.home, base, options.patience());
        createNode();
    }

    private void createNode() {
        if (!Files.exists(base)) {
            try {
                ServerHome.copy(home.resolve("standalone"), base);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    public Path home() {
        return home;
    }

    /** The configuration as it is stored. */
    public Path configuration() {
        return base.resolve("configuration/standalone.xml");
    }

    public ServerLog log() {
        return log;
    }

    public URI http(String path) {
        return http(HTTP_PORT, path);
    }

    /** The address of a path of TaskTube's console, of that which configure.cli has set up. */
    public URI console(String path) {
        return http(CONSOLE_PORT, "/tasktube/" + path);
    }

    private URI http(int port, String path) {
        return URI.create("http://" + HOST + ":" + (port + options.portOffset()) + path);
    }

    public int managementPort() {
        return MANAGEMENT_PORT + options.portOffset();
    }

    /** The process id of the server, which is Java's: there is no shell between. */
    public long pid() {
        return running().pid();
    }

    public boolean isRunning() {
        return process != null && process.isAlive();
    }

    /**
     * Starts and returns when the server is up.
     *
     * @throws IllegalStateException if it is not, or with errors
     */
    public void start() {
        String line = launch();
        if (!line.contains(STARTED)) {
            throw new IllegalStateException(line + "; see " + log.file());
        }
    }

    /**
     * As {@link #start()}, but services may have failed, for instance those that need a database which is not there.
     */
    public void startInTrouble() {
        String line = launch();
        if (line.contains(BOOT_FAILED)) {
            throw new IllegalStateException(line + "; see " + log.file());
        }
    }

    private String launch() {
        if (isRunning()) {
            throw new IllegalStateException("the server is running already, as process " + process.pid());
        }
        disconnect();
        await(log.end(), "end of the former server's console");
        CompletableFuture<String> up = log.next(STARTED, STARTED_WITH_ERRORS, BOOT_FAILED);
        try {
            ProcessBuilder server = new ProcessBuilder(command()).redirectErrorStream(true);
            server.environment().putAll(options.environment());
            process = Orphans.adopt(server.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        log.readFrom(process);
        return await(up, "start of the server");
    }

    private List<String> command() {
        return StandaloneCommandBuilder.of(home)
                .setBaseDirectory(base)
                .addJavaOption("-Djboss.node.name=" + options.node())
                .addJavaOption("-Djboss.tx.node.id=" + options.node())
                .addJavaOption("-Djboss.bind.address=" + HOST)
                .addJavaOption("-Djboss.bind.address.management=" + HOST)
                .addJavaOption("-Djboss.socket.binding.port-offset=" + options.portOffset())
                .addJavaOption("-Dorg.jboss.logmanager.nocolor=true")
                .addJavaOptions(options.javaOptions())
                .build();
    }

    /** Stops the server as an administrator would. */
    public void stop() {
        CompletableFuture<Process> exit = running().onExit();
        execute(operation("shutdown"));
        disconnect();
        await(exit, "stop of the server");
        await(log.end(), "end of the server's console");
    }

    /** Stops the server as an operating system or a container does, by SIGTERM. */
    public void terminate() {
        Process terminated = running();
        CompletableFuture<Process> exit = terminated.onExit();
        terminated.destroy();
        disconnect();
        await(exit, "stop of the server after SIGTERM");
        await(log.end(), "end of the server's console");
    }

    /** Reads the configuration and begins again, in the same process. Returns when the server is up. */
    public void reload() {
        CompletableFuture<String> up = log.next(STARTED, STARTED_WITH_ERRORS);
        execute(operation("reload"));
        disconnect();
        await(up, "reload of the server");
    }

    /** Kills the server at once, as {@code kill -9} does; nothing in it gets to know. */
    public void kill() {
        CompletableFuture<Process> exit = running().destroyForcibly().onExit();
        disconnect();
        await(exit, "kill of the server");
        await(log.end(), "end of the server's console");
    }

    /** Freezes the server, as SIGSTOP does; nothing in it gets to know. */
    public void freeze() {
        signal("STOP");
    }

    /** Ends {@link #freeze()}. */
    public void thaw() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start();
            await(kill.onExit(), "kill -" + name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the server if it runs. */
    @Override
    public void close() {
        if (isRunning()) {
            kill();
        }
    }

    /**
     * Runs commands of jboss-cli, against the server if it runs, else against its stored configuration.
     *
     * @return what they wrote
     * @throws IllegalStateException if one failed, with all that was written up to there
     */
    public String cli(String... commands) {
        return cli(cli::run, List.of(commands), home, Map.of());
    }

    /**
     * Runs a script of jboss-cli likewise, in its own directory. If there is a {@code configure.properties}, the
     * script's
     * <code>${name}</code> are taken from it.
     *
     * @param settings what goes before those properties
     */
    public String cli(Path script, Map<String, String> settings) {
        return cli(cli::run, script, settings);
    }

    /**
     * As {@link #cli(Path, Map)}, by a jboss-cli that is started for this script, as administrators do it, which
     * takes longer.
     */
    public String cliAlone(Path script, Map<String, String> settings) {
        return cli(cli::runAlone, script, settings);
    }

    private String cli(Runner runner, Path script, Map<String, String> settings) {
        try {
            Path directory = script.toAbsolutePath().getParent();
            Map<String, String> all = properties(directory.resolve("configure.properties"));
            all.putAll(settings);
            return cli(runner, Files.readAllLines(script), directory, all);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A way to run jboss-cli. */
    private interface Runner {
        String run(List<String> commands, Path directory, Map<String, String> settings) throws IOException;
    }

    private String cli(Runner runner, List<String> commands, Path directory, Map<String, String> settings) {
        List<String> all = new ArrayList<>(commands);
        if (isRunning()) {
            all.add(0, "connect remote+http://" + HOST + ":" + managementPort());
        } else {
            all.add(0, "embed-server");
            all.add("stop-embedded-server");
        }
        try {
            return runner.run(all, directory, settings);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, String> properties(Path file) throws IOException {
        Properties properties = new Properties();
        if (Files.exists(file)) {
            try (Reader reader = Files.newBufferedReader(file)) {
                properties.load(reader);
            }
        }
        Map<String, String> map = new HashMap<>();
        properties.forEach((name, value) -> map.put((String) name, (String) value));
        return map;
    }

    /** Adds a PostgreSQL datasource and, for the first of them, the driver. */
    public void add(Datasource datasource) {
        List<String> commands = new ArrayList<>();
        if (!Files.exists(home.resolve("modules/org/postgresql/jdbc"))) {
            commands.addAll(Datasource.driverModule(driverJar()));
        }
        if (!configurationContains("module=\"org.postgresql.jdbc\"")) {
            commands.addAll(Datasource.driver());
        }
        commands.addAll(datasource.commands());
        cli(cli::run, commands, home, Map.of());
    }

    private boolean configurationContains(String text) {
        try {
            return Files.readString(configuration()).contains(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path driverJar() {
        try {
            return Path.of(Driver.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Deploys an archive under its file's name, and replaces one that is deployed under it. */
    public void deploy(Path archive) {
        deploy(archive.getFileName().toString(), archive);
    }

    /** Deploys an archive, and replaces one that is deployed under that name. */
    public void deploy(String name, Path archive) {
        withErrors(() -> management().deploy(name, archive));
    }

    /** Stops and starts what is deployed under that name. */
    public void redeploy(String name) {
        withErrors(() -> management().redeploy(name));
    }

    /** Says why it failed, too: of a service without a name the answer says nothing. */
    private void withErrors(Runnable deployment) {
        int from = log.lines().size();
        try {
            deployment.run();
        } catch (IllegalStateException e) {
            throw new IllegalStateException(e.getMessage() + log.errors(from), e);
        }
    }

    public void undeploy(String name) {
        management().undeploy(name);
    }

    /** A management operation on the resource at that address, which is given as key, value, key, value. */
    public static ModelNode operation(String name, String... address) {
        return address.length == 0
                ? Operations.createOperation(name)
                : Operations.createOperation(name, Operations.createAddress(address));
    }

    /** An attribute, statistics included, of the resource at that address. */
    public ModelNode read(String attribute, String... address) {
        ModelNode read = operation("read-attribute", address);
        read.get("name").set(attribute);
        return execute(read);
    }

    /**
     * Does a management operation and returns its result.
     *
     * @throws IllegalStateException if it failed, with the server's description
     */
    public ModelNode execute(ModelNode operation) {
        return management().execute(operation);
    }

    private Management management() {
        running();
        if (management == null) {
            management = new Management(HOST, managementPort(), options.patience());
        }
        return management;
    }

    private void disconnect() {
        if (management != null) {
            management.close();
            management = null;
        }
    }

    private Process running() {
        if (!isRunning()) {
            throw new IllegalStateException("the server does not run; its log is " + log.file());
        }
        return process;
    }

    private <T> T await(CompletableFuture<T> future, String what) {
        return Waiting.await(future, options.patience(), what);
    }
}
