package org.tasktube.node.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.tasktube.admin.BeanStatus;
import org.tasktube.admin.ServerStatus;
import org.tasktube.node.ActiveBean;
import org.tasktube.node.MaintenanceCalls;
import org.tasktube.node.Sessions;
import org.tasktube.node.Settings;
import org.tasktube.node.StoreAccess;
import org.tasktube.node.WorkOfServers;
import org.tasktube.store.ServerLoad;

/** Reads the servers on the database, and the beans of this one. */
record ServerReport(
        StoreAccess access,
        MaintenanceCalls calls,
        Settings settings,
        Sessions sessions,
        WorkOfServers work,
        List<ActiveBean> beans) {

    private static final int MISSED_BEATS = 2;

    List<ServerStatus> servers() {
        return calls.outsideTransaction(this::read);
    }

    boolean dismiss(int number) {
        return calls.outsideTransaction(() -> access.registry().dismiss(number));
    }

    private List<ServerStatus> read() {
        int number = access.number();
        List<ServerStatus> servers = new ArrayList<>();
        for (ServerLoad load : access.registry().servers()) {
            servers.add(load.node() == number ? here(load) : other(load));
        }
        if (servers.stream().noneMatch(ServerStatus::isThis)) {
            servers.add(unregistered(number));
        }
        return servers;
    }

    private ServerStatus other(ServerLoad load) {
        return new ServerStatus(
                load.name(),
                load.node(),
                false,
                state(load),
                Optional.of(load.seenAt()),
                silence(load),
                load.taken(),
                load.sessions(),
                work.beansOf(load.node()),
                Optional.empty(),
                load.released(),
                load.releasedAt());
    }

    private ServerStatus here(ServerLoad load) {
        return new ServerStatus(
                load.name(),
                load.node(),
                true,
                state(load),
                Optional.of(load.seenAt()),
                silence(load),
                load.taken(),
                load.sessions(),
                work.beansOf(load.node()),
                Optional.of(ofThis()),
                load.released(),
                load.releasedAt());
    }

    /** Another server has taken this one for dead, and has removed its row. The next heartbeat finds that out. */
    private ServerStatus unregistered(int number) {
        return new ServerStatus(
                settings.nodeName(),
                number,
                true,
                ServerStatus.State.DEAD,
                Optional.empty(),
                Duration.ZERO,
                0,
                0,
                work.beansOf(number),
                Optional.of(ofThis()),
                0,
                Optional.empty());
    }

    private ServerStatus.State state(ServerLoad load) {
        if (load.dead()) {
            return load.stopped() ? ServerStatus.State.LEFT : ServerStatus.State.DEAD;
        }
        Duration limit = settings.heartbeat().multipliedBy(MISSED_BEATS);
        return silence(load).compareTo(limit) > 0 ? ServerStatus.State.SILENT : ServerStatus.State.RUNNING;
    }

    /** Returns the time since the last heartbeat, which a clock that was set back cannot make negative. */
    private static Duration silence(ServerLoad load) {
        Duration silence = Duration.between(load.seenAt(), load.now());
        return silence.isNegative() ? Duration.ZERO : silence;
    }

    List<BeanStatus> ofThis() {
        return beans.stream()
                .map(ActiveBean::status)
                .sorted(Comparator.comparing(BeanStatus::name).thenComparing(BeanStatus::tube))
                .toList();
    }
}
