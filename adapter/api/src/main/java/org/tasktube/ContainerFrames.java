package org.tasktube;

import java.util.List;
import java.util.Set;

/** Distinguishes an application's frames of a stack trace from those of the server that calls it. */
final class ContainerFrames {

    /** Packages of the server, of its proxies and of this adapter. They contain no fault of an application. */
    private static final List<String> CONTAINER = List.of(
            "org.jboss.as.",
            "org.jboss.ejb.",
            "org.jboss.ejb3.",
            "org.jboss.invocation.",
            "org.jboss.weld.",
            "org.jboss.jca.",
            "org.jboss.modules.",
            "org.jboss.threads.",
            "org.wildfly.",
            "org.tasktube.inflow.",
            "org.tasktube.jca.",
            "java.lang.reflect.",
            "java.lang.invoke.",
            "java.util.concurrent.ThreadPoolExecutor",
            "jdk.internal.",
            "jdk.proxy",
            "sun.reflect.");

    /** Parts of the names of classes that a container generates between an application's own. */
    private static final List<String> PROXIES = List.of("$$$", "$Proxy", "_$$_");

    private static final Set<String> METHODS_OF_BEANS = Set.of("onTask", "onTaskChange");

    private ContainerFrames() {}

    /** Returns the number of frames up to the bean's own method. The frames behind it are the server's. */
    static int endOfBean(List<StackTraceElement> frames) {
        for (int i = frames.size() - 1; i >= 0; i--) {
            if (isOfBean(frames.get(i))) {
                return i + 1;
            }
        }
        return frames.size();
    }

    /** Returns whether a frame is the method by which the server calls a bean. */
    static boolean isOfBean(StackTraceElement frame) {
        return METHODS_OF_BEANS.contains(frame.getMethodName()) && !has(frame);
    }

    /** Returns whether a frame is the server's or the adapter's own. */
    static boolean has(StackTraceElement frame) {
        String type = frame.getClassName();
        return (type.equals("java.lang.Thread") && frame.getMethodName().equals("run"))
                || CONTAINER.stream().anyMatch(type::startsWith)
                || PROXIES.stream().anyMatch(type::contains);
    }
}
