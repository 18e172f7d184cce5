package org.tasktube.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Loads TaskTube's classes anew. In those of the layers {@code node}, {@code tube} and {@code session}, the calls of the
 * JDK's clocks, waits and chance become calls of {@link VirtualTime}: the layers run as they are, and need no door for
 * tests.
 */
final class SimulatedClasses extends ClassLoader {

    /** H2 calls the clock, and so it is not loaded anew. */
    private static final List<String> SHARED =
            List.of("org.tasktube.simulation.VirtualTime", "org.tasktube.simulation.Scheduler");

    private static final String OURS = "org.tasktube.";
    private static final String TIME = "org/tasktube/simulation/VirtualTime";
    private static final String UNIT = "Ljava/util/concurrent/TimeUnit;";

    /** By owner, name and descriptor: the name and the descriptor of the static method that is called instead. */
    private static final Map<String, String[]> CALLS = Map.ofEntries(
            call("java/lang/System.nanoTime()J", "nanoTime", "()J"),
            call("java/util/concurrent/locks/LockSupport.parkNanos(J)V", "parkNanos", "(J)V"),
            call("java/lang/System.currentTimeMillis()J", "wrongMillis", "()J"),
            call("java/time/Instant.now()Ljava/time/Instant;", "wrong", "()Ljava/time/Instant;"),
            call("java/util/UUID.randomUUID()Ljava/util/UUID;", "uuid", "()Ljava/util/UUID;"),
            call("java/time/InstantSource.system()Ljava/time/InstantSource;", "system", "()Ljava/time/InstantSource;"),
            call(
                    "java/util/concurrent/ThreadLocalRandom.current()Ljava/util/concurrent/ThreadLocalRandom;",
                    "random",
                    "()Ljava/util/Random;"),
            waiting("CountDownLatch", "await", "Z"),
            waiting("Semaphore", "tryAcquire", "Z"),
            waiting("locks/ReentrantLock", "tryLock", "Z"),
            waiting("CompletableFuture", "get", "Ljava/lang/Object;"),
            waiting("DelayQueue", "poll", "Ljava/util/concurrent/Delayed;"),
            call(
                    "java/util/concurrent/BlockingQueue.take()Ljava/lang/Object;",
                    "take",
                    "(Ljava/util/concurrent/BlockingQueue;)Ljava/lang/Object;"));

    SimulatedClasses(ClassLoader parent) {
        super(parent);
    }

    private static Map.Entry<String, String[]> call(String of, String name, String descriptor) {
        return Map.entry(of, new String[] {name, descriptor});
    }

    private static Map.Entry<String, String[]> waiting(String type, String name, String returned) {
        String owner = "java/util/concurrent/" + type;
        return call(
                owner + "." + name + "(J" + UNIT + ")" + returned, name, "(L" + owner + ";J" + UNIT + ")" + returned);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS) || SHARED.stream().anyMatch(name::startsWith)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = isSimulated(name) ? rewritten(in) : in.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private static boolean isSimulated(String name) {
        return Stream.of("node.", "tube.", "session.", "store.").anyMatch(room -> name.startsWith(OURS + room));
    }

    private static byte[] rewritten(InputStream in) throws IOException {
        ClassReader reader = new ClassReader(in);
        ClassWriter writer = new ClassWriter(0);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access, String name, String descriptor, String signature, String[] exceptions) {
                        return new Rewriter(super.visitMethod(access, name, descriptor, signature, exceptions));
                    }
                },
                0);
        return writer.toByteArray();
    }

    private static final class Rewriter extends MethodVisitor {

        private static final String CHANCE = "java/util/concurrent/ThreadLocalRandom";

        Rewriter(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            String[] instead = CALLS.get(owner + "." + name + descriptor);
            if (instead != null) {
                super.visitMethodInsn(Opcodes.INVOKESTATIC, TIME, instead[0], instead[1], false);
            } else if (owner.equals(CHANCE)) {
                super.visitMethodInsn(opcode, "java/util/Random", name, descriptor, isInterface);
            } else {
                super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            }
        }

        /** Of method references, as {@code System::nanoTime}. */
        @Override
        public void visitInvokeDynamicInsn(
                String name, String descriptor, org.objectweb.asm.Handle bootstrap, Object... arguments) {
            Object[] changed = arguments.clone();
            for (int i = 0; i < changed.length; i++) {
                if (changed[i] instanceof org.objectweb.asm.Handle handle) {
                    String[] instead = CALLS.get(handle.getOwner() + "." + handle.getName() + handle.getDesc());
                    if (instead != null) {
                        changed[i] = new org.objectweb.asm.Handle(
                                Opcodes.H_INVOKESTATIC, TIME, instead[0], instead[1], false);
                    }
                }
            }
            super.visitInvokeDynamicInsn(name, descriptor, bootstrap, changed);
        }
    }
}
