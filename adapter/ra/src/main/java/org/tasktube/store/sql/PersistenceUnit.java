package org.tasktube.store.sql;

import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.SharedCacheMode;
import jakarta.persistence.ValidationMode;
import jakarta.persistence.spi.ClassTransformer;
import jakarta.persistence.spi.PersistenceUnitInfo;
import jakarta.persistence.spi.PersistenceUnitTransactionType;
import java.net.URL;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.sql.DataSource;
import org.hibernate.jpa.HibernatePersistenceProvider;

/**
 * The entities as a persistence unit of the adapter's own, because a server ignores a persistence.xml inside a rar.
 *
 * <p>The unit is resource-local, although the datasource may be a JTA one. It only reads. In a JTA transaction, the
 * datasource gives that transaction's connection.
 */
record PersistenceUnit(DataSource dataSource, SchemaName schema) implements PersistenceUnitInfo {

    /** Starts Hibernate, which checks that the tables match the entities. */
    EntityManagerFactory open() {
        return new HibernatePersistenceProvider()
                .createContainerEntityManagerFactory(
                        this,
                        Map.of(
                                "hibernate.hbm2ddl.auto",
                                "validate",
                                "hibernate.default_schema",
                                schema.quoted(),
                                "hibernate.jpa.compliance.query",
                                true,
                                "hibernate.query.mutation_strategy.persistent.create_tables",
                                false));
    }

    @Override
    public String getPersistenceUnitName() {
        return "tasktube";
    }

    @Override
    public String getPersistenceProviderClassName() {
        return HibernatePersistenceProvider.class.getName();
    }

    @Override
    public PersistenceUnitTransactionType getTransactionType() {
        return PersistenceUnitTransactionType.RESOURCE_LOCAL;
    }

    @Override
    public DataSource getJtaDataSource() {
        return null;
    }

    @Override
    public DataSource getNonJtaDataSource() {
        return dataSource;
    }

    @Override
    public List<String> getMappingFileNames() {
        return List.of();
    }

    @Override
    public List<URL> getJarFileUrls() {
        return List.of();
    }

    @Override
    public URL getPersistenceUnitRootUrl() {
        return null;
    }

    @Override
    public List<String> getManagedClassNames() {
        return List.of(
                TaskEntity.class.getName(),
                TaskEntity.Durable.class.getName(),
                TaskEntity.Temporary.class.getName(),
                TubeEntity.class.getName(),
                NodeEntity.class.getName(),
                FailureEntity.class.getName(),
                AuditEntity.class.getName());
    }

    @Override
    public boolean excludeUnlistedClasses() {
        return true;
    }

    @Override
    public SharedCacheMode getSharedCacheMode() {
        return SharedCacheMode.NONE;
    }

    @Override
    public ValidationMode getValidationMode() {
        return ValidationMode.NONE;
    }

    @Override
    public Properties getProperties() {
        return new Properties();
    }

    @Override
    public String getPersistenceXMLSchemaVersion() {
        return "3.1";
    }

    @Override
    public ClassLoader getClassLoader() {
        return PersistenceUnit.class.getClassLoader();
    }

    @Override
    public void addTransformer(ClassTransformer transformer) {
        // The entities need no transformation
    }

    @Override
    public ClassLoader getNewTempClassLoader() {
        return getClassLoader();
    }
}
