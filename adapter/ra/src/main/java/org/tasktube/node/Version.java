package org.tasktube.node;

/** The version of this TaskTube. */
public final class Version {

    private Version() {}

    /** Returns the version in the archive's manifest. Classes outside an archive have none. */
    public static String ours() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "(unpackaged)" : version;
    }
}
