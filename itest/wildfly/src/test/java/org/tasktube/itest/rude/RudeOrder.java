package org.tasktube.itest.rude;

/** Data of a class of the application's own. */
public record RudeOrder(int number, String customer) {}
