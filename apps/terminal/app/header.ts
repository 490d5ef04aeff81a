import { toLine } from '@klaus/sdk/printable';
import { agentOf, type App, BUILT_IN } from './app.ts';

/** The first line of the terminal. */
export function toHeader({ style, options, client, start }: App): string {
  const { heading, muted } = style.palette;
  const where = client.server ?? options.folder;
  const facts = [options.version, start.agent ?? 'klaus', toLine(where, 80), '/help lists commands and keys'];
  return `${heading('Klaus')} ${muted(facts.join(' · '))}`;
}

/** What remains on the screen of the shell. */
export function toGoodbye(app: App): string {
  const { link, client } = app;
  const agent = agentOf(app);
  const { id, isWorking, view } = link;
  if (id === undefined) return '';
  const more = isWorking && client.server === undefined ? ' Its run was interrupted and continues there.' : '';
  const queued = view.queue.length > 0 && client.server === undefined ? ' What is queued waits there.' : '';
  const command = agent === BUILT_IN ? 'klaus' : `klaus chat ${agent}`;
  return `Session ${id}. \`${command}\` continues it here.${more}${queued}\n`;
}
