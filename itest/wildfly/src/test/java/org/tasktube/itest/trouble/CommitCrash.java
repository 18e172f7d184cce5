package org.tasktube.itest.trouble;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.tasktube.itest.kit.ServerOptions;

/** Ends a server within the commit of two databases, by Byteman. */
final class CommitCrash {

    /** Where the transaction manager is when the server dies: the place, in the language of Byteman, and what it means. */
    static final List<String> PLACES = List.of(
            "CLASS com.arjuna.ats.internal.jta.resources.arjunacore.XAResourceRecord\nMETHOD topLevelPrepare\nAT EXIT",
            "CLASS com.arjuna.ats.arjuna.coordinator.BasicAction\nMETHOD prepare\nAT INVOKE write_committed",
            "CLASS com.arjuna.ats.arjuna.coordinator.BasicAction\nMETHOD phase2Commit\nAT ENTRY",
            "CLASS com.arjuna.ats.internal.jta.resources.arjunacore.XAResourceRecord\nMETHOD topLevelCommit\nAT EXIT");

    private final Path directory;

    CommitCrash(Path directory) {
        this.directory = directory.toAbsolutePath();
    }

    /** Returns the options of a server that dies where {@link #armed} says, and recovers soon when it is started again. */
    ServerOptions options() throws IOException {
        Path rules = Files.createDirectories(directory).resolve("rules.btm");
        StringBuilder text = new StringBuilder();
        for (int place = 0; place < PLACES.size(); place++) {
            text.append("RULE " + place + "\n" + PLACES.get(place) + "\nBIND armed = new java.io.File(\"" + armed(place)
                    + "\")\nIF armed.exists()\nDO killJVM()\nENDRULE\n");
        }
        Files.writeString(rules, text);
        String byteman = System.getProperty("byteman");
        return Servers.options()
                .javaOption("-javaagent:" + byteman + "=script:" + rules + ",boot:" + byteman)
                .javaOption("-Djboss.modules.system.pkgs=org.jboss.byteman")
                .javaOption("-DRecoveryEnvironmentBean.periodicRecoveryPeriod=2")
                .javaOption("-DRecoveryEnvironmentBean.recoveryBackoffPeriod=1")
                .javaOption("-DJTAEnvironmentBean.orphanSafetyInterval=2000");
    }

    /** The server dies at that place while this file is there. */
    Path armed(int place) {
        return directory.resolve("armed-" + place);
    }
}
