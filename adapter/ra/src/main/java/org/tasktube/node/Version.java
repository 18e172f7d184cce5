package org.tasktube.node;

/** Which TaskTube this is. */
final class Version {

    private Version() {}

    /** The version in the archive's manifest; classes that are not in an archive have none. */
    static String ours() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "(unpackaged)" : version;
    }
}
