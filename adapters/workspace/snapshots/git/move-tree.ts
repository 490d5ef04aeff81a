import { cpSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf } from '../../race-error.ts';

/**
 * Moves a folder. If the target exists, its content is kept and the rest is added: objects of git with equal names have
 * equal content.
 */
export function moveTree(from: string, to: string): void {
  if (!lstatSync(to, { throwIfNoEntry: false })) {
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    move(from, to);
    return;
  }
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    const found = lstatSync(target, { throwIfNoEntry: false });
    if (!found) move(source, target);
    else if (entry.isDirectory() && found.isDirectory()) moveTree(source, target);
    else rmSync(source, { recursive: true, force: true });
  }
  rmdirSync(from);
}

/** Renames or, to another filesystem, copies and removes. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
    cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    rmSync(from, { recursive: true, force: true });
  }
}
