package org.tasktube.console.rest;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;
import java.util.Set;
import org.tasktube.console.problem.ProblemMapper;
import org.tasktube.console.security.RightsFilter;

/** The REST interface, {@code /tasktube/api/v1}. */
@ApplicationPath(Api.PATH)
public class Api extends Application {

    static final String PATH = "api/v1";

    static final Set<Class<?>> RESOURCES = Set.of(
            SessionResource.class,
            LoginsResource.class,
            OverviewResource.class,
            TubesResource.class,
            TasksResource.class,
            HistoryResource.class,
            LogResource.class,
            FailuresResource.class,
            FlowResource.class,
            ServersResource.class,
            AuditResource.class,
            TakeResource.class,
            OperationsResource.class,
            EventsResource.class,
            OpenApiResource.class,
            SchedulesResource.class,
            WorkResource.class);

    @Override
    public Set<Class<?>> getClasses() {
        Set<Class<?>> classes = new java.util.HashSet<>(RESOURCES);
        classes.add(RightsFilter.class);
        classes.add(AuditFilter.class);
        classes.add(ProblemMapper.class);
        return classes;
    }
}
