package org.tasktube;

/**
 * A message-driven bean that gets the data of each task as an object. In all else it is a {@link TaskListener}.
 *
 * <p>The bean says its type: {@code class Shipping implements TypedTaskListener<OrderPlaced>}. {@code String} and
 * {@code byte[]} are the data as it is, and any other class is mapped from JSON, as {@link Task#data} does. For several
 * kinds of data, name a common interface that says how JSON-B tells them apart ({@code JsonbTypeInfo}). A bean whose type
 * is no class, such as {@code List<OrderPlaced>} or a type variable, gets no tasks, and an error names it.
 *
 * <p>A task whose data does not map to the type is BURIED at its first attempt, with what was wrong as its failure. The
 * bean is not called.
 *
 * @param <T> the class of the data
 */
public interface TypedTaskListener<T> {

    /**
     * Works on a task that this bean's activation has taken.
     *
     * @param data the data of the task
     * @param task the task, in state TAKEN
     * @throws Exception if the work failed: the task is released with a back-off, or buried after its last attempt
     */
    void onTask(T data, Task task) throws Exception;
}
