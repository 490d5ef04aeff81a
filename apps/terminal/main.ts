import type { OpenRequest, SessionClient } from '@klaus/sdk/client';
import { createComposer } from './composer/composer.ts';
import { readPreferences } from './preferences.ts';
import { openScreen } from './screen/index.ts';
import { toFirstTheme } from './style/palette.ts';
import { createViewStyle } from './view/view-style.ts';

/** What the terminal gets from the command line. */
export interface TerminalOptions {
  /** Opens the client; called after the first frame. @param onNotice Receives lines that belong to no session. */
  openClient: (onNotice: (text: string, level?: 'info' | 'warn') => void) => Promise<SessionClient>;
  /** Chooses the agent and the session to continue. */
  begin: (client: SessionClient) => Promise<TerminalStart>;
  /** Everything but the parts of the request that opens a session. */
  toRequest: (client: SessionClient, start: TerminalStart) => Promise<Omit<OpenRequest, 'parts'>>;
  /** Opens the user's editor with a file. False if it failed. */
  editFile: (file: string) => boolean;
  /** State folder. */
  home: string;
  /** Absolute path of the folder. */
  folder: string;
  /** A prompt that is sent at once; '' for none. */
  prompt: string;
  version: string;
}

export interface TerminalStart {
  /** Undefined: Klaus itself. */
  agent: string | undefined;
  /** True: later chats continue the session. */
  keepsHistory: boolean;
  /** Id of the session to continue; undefined: the first prompt opens one. */
  session: string | undefined;
  /** For the user. */
  notes: readonly string[];
}

/**
 * Runs the interactive terminal until the user leaves it. The input is on the screen before the engine is loaded.
 *
 * @returns The exit code.
 */
export async function runTerminal(options: TerminalOptions): Promise<number> {
  const preferences = readPreferences(options.home);
  const theme = preferences.theme ?? toFirstTheme(process.env, process.stdout.getColorDepth());
  const screen = openScreen();
  const style = createViewStyle(theme);
  style.showThinking = preferences.showThinking;
  const composer = createComposer(screen, style);
  screen.addChild(composer);
  screen.setFocus(composer);
  screen.start();
  screen.renderNow();
  const { TerminalApp } = await import('./app/terminal-app.ts');
  const app = new TerminalApp({ ...options, preferences, style, screen, composer });
  return await app.run();
}
