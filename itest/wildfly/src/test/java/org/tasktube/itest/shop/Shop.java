package org.tasktube.itest.shop;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** Where the desk is. */
@ApplicationPath("/")
public class Shop extends Application {}
