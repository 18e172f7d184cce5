package org.tasktube.itest.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Iterator;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Zips that have one directory in them, unpacked: WildFly's, and TaskTube's for WildFly. WildFly's comes from Maven: a
 * module that depends on this one has it as a dependency, the {@code properties} goal of the dependency plugin turns it
 * into a path, and surefire, failsafe or exec passes that on:
 *
 * <pre>{@code <wildfly.dist>${org.wildfly:wildfly-dist:zip}</wildfly.dist>}</pre>
 */
public final class ServerHome {

    private static final String WILDFLY = "wildfly.dist";

    private ServerHome() {}

    /** Unpacks WildFly; what was in that directory is removed. */
    public static Path unpack(Path home) {
        return unpack(zip(WILDFLY), home);
    }

    static Path zip(String property) {
        String zip = System.getProperty(property);
        if (zip == null) {
            throw new IllegalStateException("set the system property " + property
                    + " to the path of a zip; the Javadoc of ServerHome shows how");
        }
        return Path.of(zip);
    }

    /** Unpacks what is in the zip's one directory; what was in that directory before is removed. */
    public static Path unpack(Path zip, Path directory) {
        try (FileSystem archive = FileSystems.newFileSystem(zip)) {
            delete(directory);
            copy(onlyDirectoryIn(archive.getPath("/")), directory);
            makeExecutable(directory.resolve("bin"));
            return directory.toAbsolutePath();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot unpack " + zip + " to " + directory, e);
        }
    }

    /** A directory without what an earlier run left in it; it need not be there. */
    public static Path cleared(Path directory) {
        try {
            delete(directory);
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot remove " + directory + "; is a server of an earlier run still up?", e);
        }
    }

    /**
     * Makes a copy of what was unpacked, in place of what was there. The files that a server or its configuration
     * changes are copies; the others are links.
     */
    public static Path link(Path from, Path to) throws IOException {
        delete(to);
        copy(from, to, file -> !file.startsWith(from.resolve("standalone")) && !file.startsWith(from.resolve("bin")));
        return to.toAbsolutePath();
    }

    static void copy(Path from, Path to) throws IOException {
        copy(from, to, file -> false);
    }

    private static void copy(Path from, Path to, Predicate<Path> link) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Iterator<Path> each = all.iterator(); each.hasNext(); ) {
                Path source = each.next();
                Path target = to.resolve(from.relativize(source).toString());
                if (Files.isDirectory(source)) {
                    Files.createDirectories(target);
                } else if (link.test(source)) {
                    Files.createLink(target, source);
                } else {
                    Files.copy(source, target, StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
    }

    private static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path emptied, IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.delete(emptied);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static Path onlyDirectoryIn(Path root) throws IOException {
        try (Stream<Path> children = Files.list(root)) {
            return children.filter(Files::isDirectory).findFirst().orElseThrow();
        }
    }

    /** Java's zip leaves file modes out. Nothing here runs the scripts, but a developer may want to. */
    private static void makeExecutable(Path bin) throws IOException {
        if (!Files.exists(bin)) {
            return;
        }
        try (Stream<Path> files = Files.list(bin)) {
            files.filter(file -> file.toString().endsWith(".sh"))
                    .forEach(file -> file.toFile().setExecutable(true));
        }
    }
}
