import { InlineScreen } from './inline-screen.ts';
import { QueriedTerminal } from './queried-terminal.ts';

/** The screen of the terminal of this process. It is restored when the process ends, also by an error. */
export function openScreen(env: NodeJS.ProcessEnv = process.env): InlineScreen {
  const screen = new InlineScreen(new QueriedTerminal(), { doesReflow: doesReflow(env) });
  process.once('exit', () => screen.restore());
  return screen;
}

/** False for terminals that cut lines when they become narrower: the console of Linux, GNU screen and classic xterm. */
function doesReflow({ TERM = '', TMUX, XTERM_VERSION }: NodeJS.ProcessEnv): boolean {
  if (TMUX !== undefined) return true;
  return TERM !== 'linux' && !TERM.startsWith('screen') && XTERM_VERSION === undefined;
}
