import type { Event } from '@klaus/sdk';
import type { DriveState } from '@klaus/sdk/client';
import { toLine } from '@klaus/sdk/printable';
import type { Preferences } from '../preferences.ts';
import type { InlineScreen } from '../screen/index.ts';
import type { SessionView } from '../session/session-view.ts';

const FOCUS_IN = '\u001b[I';
const FOCUS_OUT = '\u001b[O';
/** Milliseconds of a run after which its end is reported. */
const LONG_RUN_MS = 15_000;

/** Reports that the session needs the user, while the terminal is not in front: title, bell and desktop notification. */
export class Attention {
  readonly #screen: InlineScreen;
  readonly #preferences: () => Preferences;
  readonly #stop: () => void;
  #isInFront = true;
  #title = '';
  #startedAt = 0;

  constructor(screen: InlineScreen, preferences: () => Preferences) {
    this.#screen = screen;
    this.#preferences = preferences;
    screen.reportFocus();
    this.#stop = screen.addInputListener((data) => {
      if (data !== FOCUS_IN && data !== FOCUS_OUT) return undefined;
      this.#isInFront = data === FOCUS_IN;
      return { consume: true };
    });
  }

  onEvent(event: Event, view: SessionView): void {
    if (event.type === 'run.started') this.#startedAt = event.at;
    if (event.type === 'approval.asked') this.#notify(event.title);
    if (event.type === 'run.finished' && event.at - this.#startedAt > LONG_RUN_MS)
      this.#notify(event.outcome === 'done' ? 'The run is done.' : `The run ended: ${event.reason}`);
    if (event.type === 'session.changed' || event.type === 'session.opened') this.#showTitle(view);
  }

  onState(_state: DriveState, view: SessionView): void {
    this.#showTitle(view);
  }

  stop(): void {
    this.#stop();
    if (this.#title !== '') this.#screen.terminal.setTitle('');
  }

  #showTitle({ conversation, drive }: SessionView): void {
    const mark = drive?.state === 'parked' ? '? ' : drive?.state === 'working' ? '● ' : '';
    const title = `${mark}${toLine(conversation.title || 'klaus', 60)}`;
    if (title === this.#title) return;
    this.#title = title;
    this.#screen.terminal.setTitle(title);
  }

  #notify(text: string): void {
    const { notify } = this.#preferences();
    if (notify === 'off' || this.#isInFront) return;
    const line = toLine(`Klaus: ${text}`, 120).replaceAll(';', ',');
    // OSC 9 and 777 are those of most terminals; others ignore them.
    const desktop = notify === 'desktop' ? `\u001b]9;${line}\u0007\u001b]777;notify;Klaus;${line}\u0007` : '';
    this.#screen.terminal.write(`\u0007${desktop}`);
  }
}
