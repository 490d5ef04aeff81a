import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/**
 * Opens a text in the user's editor, which needs the terminal.
 *
 * @param name Name of the file, for the editor's language.
 * @param editFile False if the editor failed.
 * @returns Undefined if the editor failed.
 */
export function editText(text: string, name: string, editFile: (file: string) => boolean): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-edit-'));
  const file = join(folder, basename(name));
  try {
    writeFileSync(file, text, { mode: 0o600 });
    return editFile(file) ? readFileSync(file, 'utf8') : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
