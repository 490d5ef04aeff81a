import { homedir } from 'node:os';
import { toLine } from '@klaus/sdk/printable';
import { agentOf, type App, BUILT_IN } from './app.ts';

/** The first line of the terminal. */
export function toHeader({ style, options, client, start }: App): string {
  const { heading, muted } = style.palette;
  const where = client.server ?? toShortFolder(options.folder);
  const agent = start.agent === undefined || start.agent === BUILT_IN ? [] : [start.agent];
  return `${heading('Klaus')} ${muted([options.version, ...agent, toLine(where, 80), '/help'].join(' · '))}`;
}

/** `~/rooms` for a folder in the home folder. */
function toShortFolder(folder: string): string {
  const home = homedir();
  return folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
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
