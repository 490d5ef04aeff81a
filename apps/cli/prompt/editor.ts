import { spawnSync } from 'node:child_process';
import { toHostEnvironment } from '@klaus/sdk';
import { err } from '../output/sink.ts';
import { hasKeyboard } from './keyboard.ts';

/** Opens a file in the editor of the user, which gets the terminal if there is one. False if the editor failed. */
export function openEditor(file: string): boolean {
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi';
  const streams = hasKeyboard() ? '</dev/tty >/dev/tty' : '</dev/null >&2';
  const { status } = spawnSync('/bin/sh', ['-c', `${editor} "$1" ${streams}`, 'edit', file], {
    stdio: 'inherit',
    env: toHostEnvironment(),
  });
  if (status !== 0) err.write(`${editor} failed.\n`);
  return status === 0;
}
