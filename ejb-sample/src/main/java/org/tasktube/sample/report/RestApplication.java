package org.tasktube.sample.report;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** All resources of this war, at its root. */
@ApplicationPath("/")
public class RestApplication extends Application {}
