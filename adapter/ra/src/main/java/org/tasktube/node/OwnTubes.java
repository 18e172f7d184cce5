package org.tasktube.node;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import org.tasktube.OwnTubeException;
import org.tasktube.Tube;
import org.tasktube.TubeDefinition;
import org.tasktube.admin.Operation;

/** The tube of TaskTube's own. Applications can read it, and pause and drain it. */
public final class OwnTubes {

    /** The calls that applications can make. */
    private static final Set<String> ALLOWED = Set.of(
            "name",
            "definition",
            "statistics",
            "peek",
            "peekReady",
            "peekDelayed",
            "peekBuried",
            "tasks",
            "meta",
            "result",
            "await",
            "watch",
            "onTaskChange",
            "pause",
            "drain",
            "resume",
            "toString",
            "hashCode",
            "equals");

    private OwnTubes() {}

    /** Returns whether a tube is TaskTube's own. A tube of that name that is older than operations may be another's. */
    public static boolean isOwn(TubeDefinition tube) {
        return tube.name().equals(Operation.TUBE) && tube.type().equals(TubeDefinition.FIFOTTL) && !tube.temporary();
    }

    /**
     * Fails if an application must not create a tube of this name.
     *
     * @throws OwnTubeException if the name is of TaskTube's own tube
     */
    static void checkCreation(String name) {
        if (name.equals(Operation.TUBE)) {
            throw new OwnTubeException(
                    "tube '" + name + "' is TaskTube's own and cannot be created; TaskTube creates it"
                            + " at the first act on many tasks, so choose another name");
        }
    }

    /**
     * Fails if no application may change the defaults of this tube.
     *
     * @throws OwnTubeException if the tube is TaskTube's own
     */
    public static void checkChange(TubeDefinition tube) {
        if (isOwn(tube)) {
            throw new OwnTubeException("tube '" + tube.name()
                    + "' is TaskTube's own and cannot be changed; its defaults are" + " those that operations need");
        }
    }

    /** Returns a view of the tube for applications. */
    static Tube forApplications(Tube tube) {
        return (Tube) Proxy.newProxyInstance(
                Tube.class.getClassLoader(), new Class<?>[] {Tube.class}, (proxy, method, arguments) -> {
                    if (!ALLOWED.contains(method.getName())) {
                        throw new OwnTubeException("tube '" + tube.name() + "' is TaskTube's own, and '"
                                + method.getName() + "' is not allowed; cancel an operation by cancelOperation, or"
                                + " pause the tube");
                    }
                    try {
                        return method.invoke(tube, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
