import { ViKeys } from '../composer/vi-keys.ts';
import { isKeyRelease, matchesKey } from '../screen/index.ts';
import type { App } from './app.ts';
import { pasteFile } from './input-actions.ts';
import { KEY_ACTIONS } from './key-actions.ts';

/** Esc and a character, which are one key with Alt too. With vi keys, both are typed in quick succession. */
const ESCAPED = /^\u001b[^\u0000-\u001f[O\u007f]$/;

/** Connects the keys of the input with what they do. */
export function bindInput(app: App): void {
  const { composer, history } = app;
  const vi = new ViKeys(composer, (keys) => composer.feed(keys));
  composer.onEnter = (entered) => app.submit(entered, 'steer');
  composer.onPaste = (text) => pasteFile(app, text);
  composer.onKey = (data) => {
    if (isKeyRelease(data)) return false;
    if (app.preferences.keys === 'vi' && ESCAPED.test(data)) {
      for (const key of data) composer.handleInput(key);
      return true;
    }
    if (app.questions.handleKey(data)) return true;
    if (app.preferences.keys === 'vi' && vi.handle(data)) return true;
    const action = KEY_ACTIONS.find(({ keys }) => keys.some((key) => matchesKey(data, key)));
    return action !== undefined && action.run(app) !== false;
  };
  for (const prompt of history.list()) composer.addToHistory(prompt);
}
