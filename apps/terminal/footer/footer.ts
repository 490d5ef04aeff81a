import type { Dialog } from '../dialogs/dialog.ts';
import { agentOf, type App } from '../app/app.ts';
import { toInputBorder } from '../composer/composer.ts';
import type { Component, InputBorder } from '../screen/index.ts';
import { toActivityLines } from './activity.ts';
import { toQueueLines } from './queue.ts';
import { toTodoLines } from './todos.ts';
import { type StatusFacts, toBorderText, toStatusLine } from './status-line.ts';

/** Everything below the conversation: what is being done, the queue, the input or a dialog, and the status. */
export class Footer implements Component {
  dialog: Dialog | undefined;
  readonly #app: App;
  /** The size of the window when the streamed answer began. */
  #streamed: { size: string; isOther: boolean } | undefined;

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
    const hasBorder = this.dialog === undefined;
    const status = toStatusLine(this.#toFacts(width), preferences.status, { width, palette, hasBorder });
    const { panel } = this.#app.questions;
    // A question says itself that it waits.
    const activity = panel ? [] : toActivityLines(view, width, { palette, now: Date.now() });
    const space = panel || this.#app.screen.terminal.rows >= SPACED_ROWS ? [''] : [];
    return [
      ...(activity.length > 0 ? activity : space),
      ...toTodoLines(view.conversation, width, palette),
      ...toQueueLines(view, width, palette),
      ...(this.dialog ? [] : (panel?.render(width) ?? [])),
      ...(this.dialog ?? composer).render(width),
      status,
    ];
  }

  /** A line above or below the input: the upper one shows mode, model, context and agent. */
  toBorder(...[columns, side, hidden]: Parameters<InputBorder>): string {
    const { style, preferences } = this.#app;
    const width = this.#isBeingResized(columns) ? Math.min(columns, RESIZED_WIDTH[side]) : columns;
    const space = width - BORDER_ROOM - (hidden > 0 ? HIDDEN_ROOM : 0);
    const left =
      side === 'top' ? toBorderText(this.#toFacts(width), preferences.status, { space, palette: style.palette }) : '';
    return toInputBorder(width, style, { side, hidden, left });
  }

  /** True from the first other size of the window while an answer is streamed until the answer has ended. */
  #isBeingResized(columns: number): boolean {
    const { link, screen } = this.#app;
    const size = `${columns}×${screen.terminal.rows}`;
    if (link.view.inFlight.messages.size === 0) this.#streamed = undefined;
    else this.#streamed ??= { size, isOther: false };
    if (this.#streamed && this.#streamed.size !== size) this.#streamed.isOther = true;
    return this.#streamed?.isOther === true;
  }

  #toFacts(width: number): StatusFacts {
    const { link, branch, options, hint, attention, composer } = this.#app;
    const { conversation } = link.view;
    const isNew = link.id === undefined && composer.getText() === '' && width >= START_WIDTH;
    return {
      ...{ conversation, branch, mode: link.mode, folder: options.folder },
      model: conversation.substitute ?? link.model,
      agent: agentOf(this.#app),
      hint: hint || attention.hint || (isNew ? START_HINT : ''),
    };
  }
}

/**
 * Columns of the lines while a user drags the window and an answer is streamed. In a window that becomes narrow and low, all
 * changing rows must have space after the terminal has wrapped them; what has none would stay in the scrollback.
 */
const RESIZED_WIDTH = { top: 40, bottom: 20 } as const;

/** Rows of a window from which the conversation and the input are apart. */
const SPACED_ROWS = 16;

/** Columns of the line itself around its text, and those of `↑ 99 more` at its end. */
const BORDER_ROOM = 6;
const HIDDEN_ROOM = 14;

/** Shown before the first prompt, in a window that has space for it. */
const START_WIDTH = 72;
const START_HINT = '/ commands · @ files · Ctrl-P all';
