package org.tasktube.console.security;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.tasktube.TubeConnection;
import org.tasktube.TubeConnectionFactory;
import org.tasktube.admin.TaskAdmin;
import org.tasktube.admin.UserLogin;

/** The logins in the database, which all servers have. Each call throws what {@link TaskAdmin} throws. */
@ApplicationScoped
public class LoginRows {

    @Resource(name = "tasktube")
    private TubeConnectionFactory factory;

    void add(String key, String user, String address) {
        with(admin -> {
            admin.addLogin(key, user, address);
            return key;
        });
    }

    Optional<UserLogin> use(String key) {
        return with(admin -> admin.useLogin(key));
    }

    void end(String key) {
        with(admin -> admin.endLogin(key));
    }

    List<UserLogin> all() {
        return with(TaskAdmin::logins);
    }

    private <T> T with(Function<TaskAdmin, T> call) {
        try (TubeConnection connection = factory.getConnection()) {
            return call.apply(connection.unwrap(TaskAdmin.class));
        }
    }
}
