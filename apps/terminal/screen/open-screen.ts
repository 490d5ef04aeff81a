import { InlineScreen } from './inline-screen.ts';
import { QueriedTerminal } from './queried-terminal.ts';
import type { Reflow } from './reflow.ts';

/** Longer than the 250 milliseconds for which tmux delays the second of two sizes of a window. */
const TMUX_SETTLE_MS = 300;

/** The screen of the terminal of this process. It is restored when the process ends, also by an error. */
export function openScreen(env: NodeJS.ProcessEnv = process.env): InlineScreen {
  const settleMs = env['TMUX'] === undefined ? undefined : TMUX_SETTLE_MS;
  const screen = new InlineScreen(new QueriedTerminal(), { reflows: toReflow(env), settleMs });
  process.once('exit', () => screen.restore());
  return screen;
}

/**
 * The console of Linux, GNU screen and classic xterm cut long lines when they become narrower. The terminal of VS Code
 * and others that are made of xterm.js keep the row of the cursor.
 */
function toReflow({ TERM = '', TMUX, XTERM_VERSION, TERM_PROGRAM }: NodeJS.ProcessEnv): Reflow {
  if (TMUX !== undefined) return 'all';
  if (TERM === 'linux' || TERM.startsWith('screen') || XTERM_VERSION !== undefined) return 'none';
  return TERM_PROGRAM === 'vscode' ? 'others' : 'all';
}
