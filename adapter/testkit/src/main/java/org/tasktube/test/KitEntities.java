package org.tasktube.test;

import jakarta.persistence.EntityManager;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.AvailableSettings;
import org.hibernate.cfg.Configuration;

/** The application's entities in the kit's database. */
final class KitEntities implements AutoCloseable {

    private final SessionFactory sessions;
    private final EntityManager manager;

    KitEntities(DataSource database, Class<?>... types) {
        Configuration configuration = new Configuration();
        for (Class<?> type : types) {
            configuration.addAnnotatedClass(type);
        }
        configuration.getProperties().put(AvailableSettings.JAKARTA_JTA_DATASOURCE, database);
        configuration.setProperty(AvailableSettings.TRANSACTION_COORDINATOR_STRATEGY, "jta");
        configuration.setProperty(AvailableSettings.JTA_PLATFORM, "JBossTS");
        configuration.setProperty(AvailableSettings.CURRENT_SESSION_CONTEXT_CLASS, "jta");
        configuration.setProperty(AvailableSettings.HBM2DDL_AUTO, "create");
        sessions = configuration.buildSessionFactory();
        manager = (EntityManager) Proxy.newProxyInstance(
                EntityManager.class.getClassLoader(),
                new Class<?>[] {EntityManager.class},
                (proxy, method, arguments) -> {
                    try {
                        return method.invoke(sessions.getCurrentSession(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    EntityManager manager() {
        return manager;
    }

    @Override
    public void close() {
        sessions.close();
    }
}
