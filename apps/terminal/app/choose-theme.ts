import type { App } from './app.ts';

/** Milliseconds for which the terminal can answer the question for its background. */
const BACKGROUND_MS = 500;

/** Asks the terminal for its background, unless the user has chosen a theme. */
export function chooseTheme({ preferences, style, screen }: App): void {
  if (preferences.theme !== undefined || style.theme === 'none' || style.theme === '16') return;
  void screen.queryTerminalBackgroundColor({ timeoutMs: BACKGROUND_MS }).then((color) => {
    if (!color) return;
    const isLight = 0.299 * color.r + 0.587 * color.g + 0.114 * color.b > 127;
    style.setTheme(isLight ? 'light' : 'dark');
    screen.requestRender();
  });
}
