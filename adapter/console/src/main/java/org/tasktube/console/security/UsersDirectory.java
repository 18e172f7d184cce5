package org.tasktube.console.security;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * The directory of the realm that configure.cli makes. Its files have hashes of passwords, and the server writes them
 * so that all users of the machine can read them.
 */
final class UsersDirectory {

    /** The note of configure.cli that the realm is its own. */
    private static final String NOTE = "tasktube.configure.console";

    private static final String CONFIGURATION = "jboss.server.config.dir";
    private static final String NAME = "tasktube-users";
    private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rwx------");

    private UsersDirectory() {}

    /** Has the directory be there, and open to the user of the server only. Says so where that cannot be. */
    static void protect() {
        String configuration = System.getProperty(CONFIGURATION);
        if (System.getProperty(NOTE) == null || configuration == null) {
            return;
        }
        Path directory = Path.of(configuration, NAME);
        try {
            Files.createDirectories(directory);
            PosixFileAttributeView view = Files.getFileAttributeView(directory, PosixFileAttributeView.class);
            if (view == null) {
                throw new IOException("the file system has no permissions of POSIX");
            }
            view.setPermissions(OWNER);
        } catch (IOException e) {
            Log.LOG.unprotected(directory, e.toString());
        }
    }
}
