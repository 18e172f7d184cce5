package org.tasktube;

import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import java.io.Serializable;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.BaseStream;
import java.util.stream.Stream;

/**
 * The data of a task: bytes and their content type. Text is UTF-8. JSON-B maps objects to and from JSON; Java
 * serialization is never used. Instances are immutable.
 */
public final class TaskData implements Serializable {

    public static final String OCTETS = "application/octet-stream";
    public static final String TEXT = "text/plain";
    public static final String JSON = "application/json";

    /** The maximum length of a content type, in characters. */
    public static final int MAX_CONTENT_TYPE = 100;

    private static final long serialVersionUID = 1;

    private final String contentType;
    private final byte[] bytes;

    private TaskData(String contentType, byte[] bytes) {
        this.contentType = contentType;
        this.bytes = bytes;
    }

    /**
     * Returns data of any type: {@code TaskData} unchanged, {@code byte[]} as octets, text as text, any other object as
     * JSON.
     *
     * @throws NullPointerException if the data is null
     * @throws IllegalArgumentException if a text has half of a surrogate pair, which UTF-8 cannot write
     * @throws TaskDataException if JSON-B cannot write the object, or a text in it has half of a surrogate pair
     */
    public static TaskData of(Object data) {
        Objects.requireNonNull(data, "a task needs data; put an empty text for one that carries nothing");
        if (data instanceof TaskData ready) {
            return ready;
        }
        if (data instanceof byte[] octets) {
            return of(OCTETS, octets);
        }
        if (data instanceof CharSequence text) {
            return new TaskData(TEXT, Limits.utf8("the text", text.toString()));
        }
        return json(data);
    }

    /**
     * Returns bytes with a content type of your own.
     *
     * @throws IllegalArgumentException if the content type is empty, longer than {@value #MAX_CONTENT_TYPE} characters,
     *     or has a NUL
     */
    public static TaskData of(String contentType, byte[] bytes) {
        if (contentType.isBlank() || contentType.length() > MAX_CONTENT_TYPE || contentType.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("content type '" + contentType + "' has " + contentType.length()
                    + " characters or a NUL; it takes 1 to " + MAX_CONTENT_TYPE + " characters without NUL");
        }
        return new TaskData(contentType, bytes.clone());
    }

    /**
     * Returns an object as JSON, even if it is text or bytes.
     *
     * @throws TaskDataException if JSON-B cannot write the object, or sees nothing of its state, as of a lambda, a
     *     stream, or an object with private fields and no getters
     */
    public static TaskData json(Object value) {
        Objects.requireNonNull(value, "value");
        try {
            String json = Json.write(value);
            boolean isEmpty = json.equals("{}") && !(value instanceof Map) && Json.hidesState(value.getClass());
            if (isEmpty || Json.isCode(value)) {
                throw new IllegalArgumentException("JSON-B sees nothing of its state, and would store " + json
                        + "; give it getters or public fields, or put text or bytes");
            }
            return new TaskData(JSON, Limits.utf8("its JSON", json));
        } catch (RuntimeException | StackOverflowError e) {
            throw new TaskDataException(
                    "an object of " + value.getClass().getName() + " does not map to JSON: " + reason(e), e);
        }
    }

    /** Returns the MIME type of the bytes. */
    public String contentType() {
        return contentType;
    }

    /** Returns the number of bytes. */
    public int size() {
        return bytes.length;
    }

    /** Returns a copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** Returns the bytes decoded as UTF-8. */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * Returns the data as an object. {@code String} and {@code byte[]} are unchanged unless the data is JSON. Any other
     * type is mapped from JSON. For a list of objects, ask for an array.
     *
     * @throws TaskDataException if the data does not map to the type
     */
    public <T> T as(Class<T> type) {
        if (type == byte[].class) {
            return type.cast(bytes());
        }
        if (type == String.class && !contentType.equals(JSON)) {
            return type.cast(text());
        }
        if (!contentType.equals(JSON)) {
            throw new TaskDataException(
                    "data of type " + contentType + " is not read as " + type.getName() + "; only " + JSON
                            + " is. Ask for text() or bytes()",
                    null);
        }
        try {
            return Json.read(text(), type);
        } catch (RuntimeException | StackOverflowError e) {
            throw new TaskDataException(
                    size() + " bytes of JSON do not map to " + type.getName() + ": " + reason(e), e);
        }
    }

    /** Returns the reason of a failure in JSON-B, in its provider, or in a method of the object itself. */
    private static String reason(Throwable thrown) {
        return thrown instanceof StackOverflowError
                ? "it is nested too deep, or refers to itself"
                : Objects.requireNonNullElseGet(
                        thrown.getMessage(), () -> thrown.getClass().getName());
    }

    /**
     * Returns the SHA-256 of content type and bytes in hexadecimal. {@link Tube#putUnique(Object)} uses it as the key.
     */
    public String digest() {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(contentType.getBytes(StandardCharsets.UTF_8));
            sha.update((byte) 0);
            return HexFormat.of().formatHex(sha.digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TaskData that
                && contentType.equals(that.contentType)
                && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return 31 * contentType.hashCode() + Arrays.hashCode(bytes);
    }

    /** Returns type and size only, because data may be large or secret. */
    @Override
    public String toString() {
        return contentType + ", " + bytes.length + " bytes";
    }

    /**
     * The JSON-B mappers. The class is loaded at the first use of JSON, so that bytes and text need no JSON-B provider.
     */
    private static final class Json {

        /**
         * The mappers of an application's own classes. A mapper remembers the classes that it has mapped, so it is kept
         * with its class and unloaded with it.
         */
        private static final ClassValue<Jsonb> OF_APPLICATION = new ClassValue<>() {
            @Override
            protected Jsonb computeValue(Class<?> type) {
                return JsonbBuilder.create();
            }
        };

        /**
         * The mappers of a shared library's classes, which outlive the application whose objects are inside. Such a
         * mapper may stay until the next garbage collection only.
         */
        private static final ClassValue<Kept> OF_LIBRARY = new ClassValue<>() {
            @Override
            protected Kept computeValue(Class<?> type) {
                return new Kept();
            }
        };

        static String write(Object value) {
            return with(value.getClass(), mapper -> mapper.toJson(value));
        }

        /** Returns whether it is a lambda or a stream, of which JSON-B sees some property at most. */
        static boolean isCode(Object value) {
            boolean isLambda = value.getClass().isHidden() && value.getClass().isSynthetic();
            return isLambda || value instanceof BaseStream;
        }

        /**
         * Returns whether a class has state, and no property in which JSON-B would see it. Of a class with an annotation
         * of JSON-B this is not known.
         */
        static boolean hidesState(Class<?> type) {
            boolean isAnnotated = Stream.of(type.getAnnotations())
                    .anyMatch(each -> each.annotationType().getName().startsWith("jakarta.json.bind"));
            boolean hasProperty =
                    type.getFields().length > 0 || Stream.of(type.getMethods()).anyMatch(Json::isGetter);
            return !type.isRecord() && !isAnnotated && !hasProperty && hasState(type);
        }

        private static boolean isGetter(Method method) {
            return method.getDeclaringClass() != Object.class
                    && method.getParameterCount() == 0
                    && !Modifier.isStatic(method.getModifiers())
                    && method.getName().matches("(get|is).+");
        }

        private static boolean hasState(Class<?> type) {
            return type != null
                    && (hasState(type.getSuperclass())
                            || Stream.of(type.getDeclaredFields())
                                    .anyMatch(field -> !Modifier.isStatic(field.getModifiers())));
        }

        static <T> T read(String json, Class<T> type) {
            return with(type, mapper -> mapper.fromJson(json, type));
        }

        private static <T> T with(Class<?> type, Function<Jsonb, T> work) {
            return work.apply(mapper(type));
        }

        /**
         * Returns the mapper of a class. The JDK's classes get a new one each time: the value of a ClassValue refers to
         * this class, and would keep it loaded.
         */
        private static Jsonb mapper(Class<?> type) {
            ClassLoader loader = type.getClassLoader();
            if (loader == null) {
                return JsonbBuilder.create();
            }
            // The JVM's own class path is never undeployed: its classes are a library to all applications
            boolean own = loader == Thread.currentThread().getContextClassLoader()
                    && loader != ClassLoader.getSystemClassLoader();
            return own ? OF_APPLICATION.get(type) : OF_LIBRARY.get(type).mapper();
        }

        /** A mapper that garbage collection may remove. If two threads create one each, one of them is kept. */
        private static final class Kept {

            private volatile WeakReference<Jsonb> reference = new WeakReference<>(null);

            Jsonb mapper() {
                Jsonb mapper = reference.get();
                if (mapper == null) {
                    mapper = JsonbBuilder.create();
                    reference = new WeakReference<>(mapper);
                }
                return mapper;
            }
        }
    }
}
