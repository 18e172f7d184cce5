package org.tasktube.console.live;

/**
 * The present content of one kind of event.
 *
 * @param event the name of the event
 * @param key the content without its times; the event is sent again if the key differs
 * @param data the JSON of the event
 */
public record Frame(String event, String key, String data) {}
