package org.tasktube.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The same thing measured again and again. */
final class Series {

    private final List<Double> values = new ArrayList<>();

    void add(double value) {
        values.add(value);
    }

    /** The median of one figure of each. */
    static <T> double median(List<T> all, ToDoubleFunction<T> figure) {
        Series series = new Series();
        all.forEach(each -> series.add(figure.applyAsDouble(each)));
        return series.median();
    }

    double median() {
        List<Double> sorted = sorted();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    boolean isEmpty() {
        return values.isEmpty();
    }

    double least() {
        return sorted().get(0);
    }

    double most() {
        return sorted().get(values.size() - 1);
    }

    private List<Double> sorted() {
        return values.stream().sorted().toList();
    }

    /** This one's part of the other, round by round. */
    Series over(Series other) {
        Series ratios = new Series();
        for (int i = 0; i < values.size(); i++) {
            ratios.add(values.get(i) / other.values.get(i));
        }
        return ratios;
    }
}
