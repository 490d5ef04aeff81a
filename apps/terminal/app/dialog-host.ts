import type { DialogHost } from '../dialogs/dialog.ts';
import type { App } from './app.ts';

/** The host of the dialogs of the app. @param own What opens and closes them. */
export function createDialogHost({ screen }: Pick<App, 'screen'>, own: Pick<DialogHost, 'open' | 'close'>): DialogHost {
  return {
    ...own,
    requestRender: () => screen.requestRender(),
    get isBurst() {
      return screen.isBurst;
    },
    get rows() {
      return screen.terminal.rows;
    },
  };
}
