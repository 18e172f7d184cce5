package org.tasktube.itest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.function.Consumer;
import org.tasktube.itest.kit.Datasource;
import org.tasktube.itest.kit.Postgres;
import org.tasktube.itest.kit.ServerHome;
import org.tasktube.itest.kit.ServerOptions;
import org.tasktube.itest.kit.TaskTubeZip;
import org.tasktube.itest.kit.WildFly;

/**
 * A WildFly with TaskTube, unpacked and configured once for all processes of tests: this takes most of the time that a
 * server takes to be there. Each test has a copy, whose datasource is its own.
 */
public enum ConfiguredHome {
    /** ExampleDS is H2. */
    H2(server -> {}),

    /** ExampleDS is a PostgreSQL. */
    POSTGRESQL(server -> {
        server.cli("/subsystem=datasources/data-source=ExampleDS:remove");
        server.add(new Datasource("ExampleDS", "jdbc:postgresql://127.0.0.1:1/of-a-copy", Postgres.USER, 5, 50, 64));
    });

    private static final Path TARGET = Path.of(System.getProperty("target"));
    private static final String URL = "<connection-url>[^<]*</connection-url>";

    @SuppressWarnings("ImmutableEnumChecker") // it is immutable; its type does not say so
    private final Consumer<WildFly> datasource;

    ConfiguredHome(Consumer<WildFly> datasource) {
        this.datasource = datasource;
    }

    /** Makes a copy in a directory: {@code wildfly}, and {@code tasktube} with the scripts. Returns the former. */
    public Path copyTo(Path directory) {
        Path from = configured();
        try {
            ServerHome.link(from.resolve("tasktube"), directory.resolve("tasktube"));
            return ServerHome.link(from.resolve("wildfly"), directory.resolve("wildfly"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As {@link #copyTo(Path)}, with that database as its ExampleDS. */
    public Path copyTo(Path directory, String url) {
        Path home = copyTo(directory);
        Path configuration = home.resolve("standalone/configuration/standalone.xml");
        try {
            String xml = Files.readString(configuration);
            Files.writeString(
                    configuration,
                    xml.replaceFirst(URL, "<connection-url>" + url.replace("&", "&amp;") + "</connection-url>"));
            return home;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The first process that asks makes it, and the others wait for that. */
    private Path configured() {
        try {
            Files.createDirectories(TARGET);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Path lock = TARGET.resolve("configured-" + name() + ".lock");
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock held = channel.lock()) {
            Path made = TARGET.resolve("configured-" + name()).toAbsolutePath();
            Path of = made.resolve("made-of");
            if (!held.isValid() || !Files.exists(of) || !Files.readString(of).equals(TaskTubeZip.build())) {
                make(ServerHome.cleared(made));
                Files.writeString(of, TaskTubeZip.build());
            }
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void make(Path directory) {
        Path home = ServerHome.unpack(directory.resolve("wildfly"));
        WildFly server = new WildFly(home, ServerOptions.defaults());
        datasource.accept(server);
        TaskTubeZip.configure(server, directory, Map.of("tasktube.node-timeout", "2s"));
    }
}
