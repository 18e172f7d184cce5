package org.tasktube.console.metrics;

import java.time.Duration;
import java.util.Locale;

/** Writes Prometheus' text format 0.0.4: each family once with its help and type, then its samples. */
final class Exposition {

    /** The type of a family. */
    enum Type {
        COUNTER,
        GAUGE
    }

    private final StringBuilder text = new StringBuilder();

    /** Begins a family. A family without samples is left out. */
    Family family(String name, Type type, String help) {
        return new Family(name, type, help);
    }

    String text() {
        return text.toString();
    }

    /** The samples of one name. */
    final class Family {

        private final String name;
        private final Type type;
        private final String help;
        private boolean begun;

        private Family(String name, Type type, String help) {
            this.name = name;
            this.type = type;
            this.help = help;
        }

        /** Writes a sample. The labels are names and values in turn. */
        void sample(long value, String... labels) {
            write(Long.toString(value), labels);
        }

        /** Writes a sample in seconds, cut to milliseconds. */
        void sample(Duration value, String... labels) {
            String fraction = String.format(Locale.ROOT, "%03d", value.toMillisPart());
            write(value.toSeconds() + "." + fraction, labels);
        }

        /** Writes 1 for true, 0 for false. */
        void sample(boolean value, String... labels) {
            sample(value ? 1 : 0, labels);
        }

        private void write(String value, String... labels) {
            begin();
            text.append(name);
            for (int i = 0; i < labels.length; i += 2) {
                text.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"");
                text.append(escaped(labels[i + 1]).replace("\"", "\\\"")).append('"');
            }
            text.append(labels.length == 0 ? " " : "} ").append(value).append('\n');
        }

        private void begin() {
            if (!begun) {
                begun = true;
                text.append("# HELP ").append(name).append(' ').append(escaped(help));
                text.append("\n# TYPE ").append(name).append(' ');
                text.append(type.name().toLowerCase(Locale.ROOT)).append('\n');
            }
        }
    }

    private static String escaped(String value) {
        return value.replace("\\", "\\\\").replace("\n", "\\n");
    }
}
