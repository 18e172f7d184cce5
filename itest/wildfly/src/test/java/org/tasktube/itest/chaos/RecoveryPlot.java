package org.tasktube.itest.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A picture of the times until work goes on after each kind of fault: a dot per fault, on a logarithmic axis. */
final class RecoveryPlot {

    static final String CSV = "recoveries.csv";

    private static final int LEFT = 210;
    private static final int WIDTH = 760;
    private static final int ROW = 22;
    private static final int TOP = 34;
    private static final long SHORTEST = 1;
    private static final long LONGEST = 100_000;

    private RecoveryPlot() {}

    /**
     * Draws the faults of several runs, and prints a table of them.
     *
     * @param arguments the file to write, and files as {@link #csv} returns them, of one run each
     */
    public static void main(String[] arguments) throws IOException {
        Map<String, List<Long>> kinds = new TreeMap<>();
        for (String file : Arrays.asList(arguments).subList(1, arguments.length)) {
            for (String line : Files.readAllLines(Path.of(file))) {
                String[] words = line.split(",", -1);
                kinds.computeIfAbsent(words[0], kind -> new ArrayList<>()).add(Long.parseLong(words[1]));
            }
        }
        Files.writeString(Path.of(arguments[0]), svg(kinds));
        kinds.forEach((kind, times) -> {
            Collections.sort(times);
            System.out.println("| " + kind + " | " + times.size() + " | " + times.get(times.size() / 2) + " | "
                    + times.get(times.size() - 1) + " |");
        });
    }

    /** Returns a line per fault: its kind, and the milliseconds until work went on. */
    static String csv(List<Inflicted> faults) {
        StringBuilder lines = new StringBuilder();
        faults.forEach(fault ->
                lines.append(name(fault.fault()) + "," + fault.recovery().toMillis() + "\n"));
        return lines.toString();
    }

    static String name(Fault kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** The slowest kinds first. */
    private static String svg(Map<String, List<Long>> kinds) {
        List<Map.Entry<String, List<Long>>> rows = new ArrayList<>(kinds.entrySet());
        rows.sort(Comparator.comparing(row -> -Collections.max(row.getValue())));
        int height = TOP + ROW * rows.size() + 10;
        StringBuilder svg = new StringBuilder("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + WIDTH
                + "\" height=\"" + height + "\" font-family=\"sans-serif\" font-size=\"13\">\n"
                + "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
        for (long tick = SHORTEST; tick <= LONGEST; tick *= 10) {
            String label = tick < 1_000 ? tick + " ms" : tick / 1_000 + " s";
            svg.append("<line x1=\"" + x(tick) + "\" x2=\"" + x(tick) + "\" y1=\"" + (TOP - 8) + "\" y2=\""
                    + (height - 10) + "\" stroke=\"#ccc\"/>\n");
            svg.append("<text x=\"" + x(tick) + "\" y=\"" + (TOP - 16) + "\" text-anchor=\"middle\">" + label
                    + "</text>\n");
        }
        for (int i = 0; i < rows.size(); i++) {
            int y = TOP + ROW * i + ROW / 2;
            svg.append("<text x=\"" + (LEFT - 24) + "\" y=\"" + (y + 4) + "\" text-anchor=\"end\">"
                    + rows.get(i).getKey() + "</text>\n");
            for (long time : rows.get(i).getValue()) {
                svg.append("<circle cx=\"" + x(time) + "\" cy=\"" + y
                        + "\" r=\"4\" fill=\"#1f5fa8\" fill-opacity=\"0.5\"/>\n");
            }
        }
        return svg.append("</svg>\n").toString();
    }

    private static long x(long millis) {
        double share = Math.log10((double) Math.max(SHORTEST, millis)) / Math.log10((double) LONGEST);
        return LEFT + Math.round(share * (WIDTH - LEFT - 40));
    }
}
