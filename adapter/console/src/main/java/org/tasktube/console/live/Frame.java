package org.tasktube.console.live;

/**
 * The present content of one kind of event.
 *
 * @param event the name of the event
 * @param key what must differ for the event to be sent again
 * @param data the JSON of the event
 */
public record Frame(String event, String key, String data) {}
