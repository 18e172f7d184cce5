package org.tasktube.itest.shards;

import jakarta.ws.rs.ApplicationPath;

/** Where the desk is. */
@ApplicationPath("/")
public class Application extends jakarta.ws.rs.core.Application {}
