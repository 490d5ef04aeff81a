import { toLine } from '@klaus/sdk/printable';
import type { App } from './app.ts';

/** The first line of the terminal. */
export function toHeader({ style, options, client, start }: App): string {
  const { heading, muted } = style.palette;
  const where = client.server ?? options.folder;
  const facts = [options.version, start.agent ?? 'klaus', toLine(where, 80), '/help lists commands and keys'];
  return `${heading('Klaus')} ${muted(facts.join(' · '))}`;
}
