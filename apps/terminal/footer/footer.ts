import type { Dialog } from '../dialogs/dialog.ts';
import { agentOf, type App } from '../app/app.ts';
import type { Component } from '../screen/index.ts';
import { toActivityLines } from './activity.ts';
import { toQueueLines } from './queue.ts';
import { toTodoLines } from './todos.ts';
import { toStatusLine } from './status-line.ts';

/** Everything below the conversation: what is being done, the queue, the input or a dialog, and the status. */
export class Footer implements Component {
  dialog: Dialog | undefined;
  readonly #app: App;

  constructor(app: App) {
    this.#app = app;
  }

  invalidate(): void {
    this.#app.composer.invalidate();
  }

  render(width: number): string[] {
    const { link, style, composer, preferences } = this.#app;
    const { palette } = style;
    const { view } = link;
    const status = toStatusLine(
      {
        conversation: view.conversation,
        model: view.conversation.substitute ?? link.model,
        mode: link.mode,
        agent: agentOf(this.#app),
        branch: this.#app.branch,
        folder: this.#app.options.folder,
        hint: this.#app.hint || this.#app.attention.hint,
      },
      preferences.status,
      { width, palette },
    );
    const panel = this.dialog ? [] : (this.#app.questions.panel?.render(width) ?? []);
    return [
      // A question says itself that it waits.
      ...(panel.length > 0 ? [''] : toActivityLines(view, width, { palette, now: Date.now() })),
      ...toTodoLines(view.conversation, width, palette),
      ...toQueueLines(view, width, palette),
      ...panel,
      ...(this.dialog ?? composer).render(width),
      status,
    ];
  }
}
