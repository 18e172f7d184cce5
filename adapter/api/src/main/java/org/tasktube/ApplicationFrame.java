package org.tasktube;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** Finds the first frame of the application in the stack traces of an exception and its causes. */
final class ApplicationFrame {

    /** Packages of the JDK and of Jakarta EE, which call an application or are called by it. */
    private static final List<String> PLATFORM = List.of("java.", "javax.", "jdk.", "sun.", "com.sun.", "jakarta.");

    /** The number that the compiler gives to a lambda expression: another one after a change elsewhere in the class. */
    private static final Pattern NUMBER_OF_LAMBDA = Pattern.compile("\\$\\d+$");

    private ApplicationFrame() {}

    /**
     * Returns the class and the method of the first frame of the application, without a line number; empty if there is
     * none. If a bean was called, the application's classes are those whose package has the same first two names as the
     * bean's. Otherwise they are all but those of the server, of the JDK and of Jakarta EE.
     *
     * @param traces the frames of the root cause, and of each exception that it caused
     */
    static String of(List<List<StackTraceElement>> traces) {
        Predicate<StackTraceElement> ofApplication = bean(traces)
                .map(bean -> sharesPackage(bean.getClassName()))
                .orElse(frame -> PLATFORM.stream().noneMatch(frame.getClassName()::startsWith));
        return first(traces, ofApplication)
                .or(() -> first(traces, frame -> true))
                .map(ApplicationFrame::name)
                .orElse("");
    }

    private static Optional<StackTraceElement> bean(List<List<StackTraceElement>> traces) {
        return traces.stream()
                .flatMap(frames ->
                        frames.stream().limit(ContainerFrames.endOfBean(frames)).reduce((one, next) -> next).stream())
                .filter(ContainerFrames::isOfBean)
                .findFirst();
    }

    private static Predicate<StackTraceElement> sharesPackage(String bean) {
        int first = bean.indexOf('.');
        int second = bean.indexOf('.', first + 1);
        String names = bean.substring(0, Math.max(first, second) + 1);
        return names.isEmpty()
                ? frame -> frame.getClassName().indexOf('.') < 0
                : frame -> frame.getClassName().startsWith(names);
    }

    private static Optional<StackTraceElement> first(
            List<List<StackTraceElement>> traces, Predicate<StackTraceElement> wanted) {
        return traces.stream()
                .flatMap(frames -> frames.subList(0, ContainerFrames.endOfBean(frames)).stream())
                .filter(frame -> !ContainerFrames.has(frame))
                .filter(wanted)
                .findFirst();
    }

    private static String name(StackTraceElement frame) {
        String type = frame.getClassName();
        int generated = type.indexOf("$$");
        String method = NUMBER_OF_LAMBDA.matcher(frame.getMethodName()).replaceFirst("");
        return (generated > 0 ? type.substring(0, generated) : type) + "." + method;
    }
}
