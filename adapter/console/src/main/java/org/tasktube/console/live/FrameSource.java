package org.tasktube.console.live;

/** Reads the content of one kind of event. Each bean of this type is one kind. */
public interface FrameSource {

    Frame frame();
}
