import { createComposer } from './composer/composer.ts';
import { readPreferences } from './preferences.ts';
import { openScreen } from './screen/index.ts';
import { toFirstTheme } from './style/palette.ts';
import type { TerminalOptions } from './terminal-options.ts';
import { createViewStyle } from './view/view-style.ts';

export type { TerminalStart } from './terminal-options.ts';

/**
 * Runs the interactive terminal until the user leaves it. The input is on the screen before the engine is loaded.
 *
 * @returns The exit code.
 */
export async function runTerminal(options: TerminalOptions): Promise<number> {
  const preferences = readPreferences(options.home);
  const depth = process.stdout.getColorDepth();
  const theme = preferences.theme ?? toFirstTheme(process.env, depth);
  const screen = openScreen();
  const style = createViewStyle(theme, depth >= 24);
  style.showThinking = preferences.showThinking;
  const composer = createComposer(screen, style);
  screen.addChild(composer);
  screen.setFocus(composer);
  screen.start();
  const { TerminalApp } = await import('./app/terminal-app.ts');
  const app = new TerminalApp({ ...options, preferences, style, screen, composer });
  return await app.run();
}
