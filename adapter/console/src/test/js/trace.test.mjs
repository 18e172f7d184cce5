import assert from 'node:assert/strict';
import {test} from 'node:test';
import {traceLines} from '../../main/webapp/js/data/trace.js';

const KEPT = `shop.PrinterException: cannot print
the order
caused by java.io.IOException: no paper
suppressed java.io.IOException: close failed
  at java.base/java.net.Socket.read(Socket.java:7)
  at shop.Printer.print(Printer.java:9)
frames of shop.PrinterException
  at shop.Worker.onTask(Worker.java:12)
  ... 31 frames of the container
`;

test('a trace has the order of Java, with the frames of each exception below it', () => {
  assert.deepEqual(
    traceLines(KEPT).map(({text}) => text),
    [
      'shop.PrinterException: cannot print',
      'the order',
      '    at shop.Worker.onTask(Worker.java:12)',
      '    ... 31 frames of the container',
      'Caused by: java.io.IOException: no paper',
      '    at java.base/java.net.Socket.read(Socket.java:7)',
      '    at shop.Printer.print(Printer.java:9)',
      'suppressed java.io.IOException: close failed',
    ],
  );
});

test('the frames of the application are marked', () => {
  assert.deepEqual(
    traceLines(KEPT)
      .filter(({kind}) => kind === 'own')
      .map(({text}) => text.trim()),
    ['at shop.Worker.onTask(Worker.java:12)', 'at shop.Printer.print(Printer.java:9)'],
  );
});

test('each line of any text is there once', () => {
  for (const text of ['', 'a', '  at x', 'frames of y\n  at z', 'caused by a\ncaused by b', 'a\nframes of q\n  at w']) {
    const lines = text.replace(/\n$/, '').split('\n').filter((line) => !line.startsWith('frames of '));
    const shown = traceLines(text).map((line) => line.text.trim().replace(/^Caused by: /, ''));
    assert.deepEqual(shown.sort(), lines.map((line) => line.trim().replace(/^caused by /, '')).sort(), text);
  }
});
