// Files that the browser saves.

import {toast} from './dialog.js';
import {el, icon, setText} from './html.js';

/** Gives a text to the browser as a file. */
function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], {type}));
  el('a', {href: address, download: name}).click();
  URL.revokeObjectURL(address);
}

/**
 * Returns a button that makes a file. While it reads, it shows how far it has come.
 *
 * @param {{label: string, title: string, file: string, type: string,
 *   read: (progress: (text: string) => void) => Promise<{text: string, said: string}>}} options
 */
export function fileButton({label, title, file, type, read}) {
  const shown = el('span', {}, label);
  const button = el(
    'button',
    {
      type: 'button',
      title,
      on: {
        click: async () => {
          button.disabled = true;
          try {
            const {text, said} = await read((progress) => setText(shown, progress));
            save(file, type, text);
            toast(said);
          } catch (problem) {
            if (problem.name !== 'AbortError') {
              toast(`There is no file: ${problem.message}`, 'info');
            }
          } finally {
            button.disabled = false;
            setText(shown, label);
          }
        },
      },
    },
    icon('download'),
    shown,
  );
  return button;
}
