package org.tasktube.console.metrics;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Proxy;
import java.security.Principal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.tasktube.AdapterState;
import org.tasktube.Tube;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.TubeDefinition;
import org.tasktube.TubeMode;
import org.tasktube.admin.OldestReady;
import org.tasktube.admin.ServerTimings;
import org.tasktube.admin.TaskAdmin;

import static java.nio.charset.StandardCharsets.UTF_8;

/** The parts of a server that the servlets use. A call that a test does not expect fails. */
final class Fakes {

    private Fakes() {}

    /** An adapter that answers as the test sets it. */
    static final class Adapter {

        AdapterState state = AdapterState.RUNNING;
        Supplier<List<TubeDefinition>> tubes = () -> List.of(Samples.ORDERS, Samples.SIGNALS);
        Supplier<List<OldestReady>> oldestReady = List::of;
        Supplier<ServerTimings> timings = Samples::timings;
        Set<String> dropped = Set.of();
        int statistics;
        int open;
        int opened;
        RuntimeException refusal;

        TubeConnectionFactory factory() {
            return fake(TubeConnectionFactory.class, Map.of("getConnection", arguments -> connection()));
        }

        TubeConnection connection() {
            if (refusal != null) {
                throw refusal;
            }
            open++;
            opened++;
            return fake(
                    TubeConnection.class,
                    Map.of(
                            "state", arguments -> state,
                            "tubes", arguments -> tubes.get(),
                            "findTube", arguments -> tube((String) arguments[0]),
                            "unwrap",
                                    arguments -> fake(
                                            TaskAdmin.class,
                                            Map.of(
                                                    "oldestReady", none -> oldestReady.get(),
                                                    "timings", none -> timings.get())),
                            "close", arguments -> open--));
        }

        private Optional<Tube> tube(String name) {
            if (dropped.contains(name)) {
                return Optional.empty();
            }
            return Optional.of(fake(Tube.class, Map.of("statistics", arguments -> {
                statistics++;
                return Samples.statistics(name, 5, TubeMode.OPEN);
            })));
        }
    }

    /** A request. */
    record Request(String method, String path, String authorization, String user, Set<String> roles) {

        static Request get(String path) {
            return new Request("GET", path, null, null, Set.of());
        }

        Request method(String value) {
            return new Request(value, path, authorization, user, roles);
        }

        Request authorization(String value) {
            return new Request(method, path, value, user, roles);
        }

        Request user(String name, String... role) {
            return new Request(method, path, authorization, name, Set.of(role));
        }

        private HttpServletRequest servletRequest() {
            return fake(
                    HttpServletRequest.class,
                    Map.of(
                            "getMethod", arguments -> method,
                            "getServletPath", arguments -> path,
                            "getRequestURI", arguments -> "/tasktube" + path,
                            "getHeader", arguments -> arguments[0].equals("Authorization") ? authorization : null,
                            "getUserPrincipal", arguments -> user == null ? null : (Principal) () -> user,
                            "isUserInRole", arguments -> roles.contains((String) arguments[0])));
        }
    }

    /** An answer. */
    static final class Answer {

        int status = HttpServletResponse.SC_OK;
        final Map<String, String> headers = new HashMap<>();
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();

        String body() {
            return body.toString(UTF_8);
        }

        private HttpServletResponse servletResponse() {
            return fake(
                    HttpServletResponse.class,
                    Map.of(
                            "setStatus",
                            arguments -> status = (int) arguments[0],
                            "setHeader",
                            arguments -> headers.put((String) arguments[0], (String) arguments[1]),
                            "setContentType",
                            arguments -> headers.put("Content-Type", (String) arguments[0]),
                            "setCharacterEncoding",
                            arguments -> null,
                            "setContentLength",
                            arguments -> null,
                            "getOutputStream",
                            arguments -> new Output(body)));
        }
    }

    private static final class Output extends ServletOutputStream {

        private final ByteArrayOutputStream body;

        Output(ByteArrayOutputStream body) {
            this.body = body;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void write(int b) {
            body.write(b);
        }
    }

    static Answer ask(ReadServlet servlet, Request request) throws Exception {
        Answer answer = new Answer();
        servlet.service(request.servletRequest(), answer.servletResponse());
        return answer;
    }

    private static <T> T fake(Class<T> type, Map<String, Function<Object[], Object>> calls) {
        Object fake =
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    Function<Object[], Object> call = calls.get(method.getName());
                    if (call == null) {
                        throw new AssertionError("the test does not expect " + method);
                    }
                    Object result = call.apply(arguments);
                    return method.getReturnType() == void.class ? null : result;
                });
        return type.cast(fake);
    }
}
