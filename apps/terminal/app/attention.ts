import type { Event } from '@klaus/sdk';
import type { ClientAttention, ClientAttentionItem, DriveState, SessionClient } from '@klaus/sdk/client';
import { toLine } from '@klaus/sdk/printable';
import type { Preferences } from '../preferences.ts';
import type { InlineScreen } from '../screen/index.ts';
import type { SessionView } from '../session/session-view.ts';

const FOCUS_IN = '\u001b[I';
const FOCUS_OUT = '\u001b[O';
/** Milliseconds of a run after which its end is reported. */
const LONG_RUN_MS = 15_000;
/** Milliseconds for which a program that shows the session in front can claim the notification, or mark its end as seen. */
const DELAY_MS = 1_000;

/**
 * Reports that sessions need the user, while the terminal is not in front: title, bell and desktop notification. Of all
 * programs on the machine only the first one that claims it notifies.
 */
export class Attention {
  readonly #screen: InlineScreen;
  readonly #preferences: () => Preferences;
  readonly #stops: (() => void)[] = [];
  #client: SessionClient | undefined;
  #isInFront = true;
  #title = '';
  #startedAt = 0;
  #items: readonly ClientAttentionItem[] = [];
  #alerts: ClientAttention['alerts'] = [];
  /** Ids of the items and alerts that were listed already; undefined before the first list. */
  #known: ReadonlySet<string> | undefined;
  #shown: () => string | undefined = () => undefined;

  constructor(screen: InlineScreen, preferences: () => Preferences) {
    this.#screen = screen;
    this.#preferences = preferences;
    screen.reportFocus();
    this.#stops.push(
      screen.addInputListener((data) => {
        if (data !== FOCUS_IN && data !== FOCUS_OUT) return undefined;
        this.#isInFront = data === FOCUS_IN;
        return { consume: true };
      }),
    );
  }

  /** What other sessions need from the user, the oldest first. */
  get others(): readonly ClientAttentionItem[] {
    const shown = this.#shown();
    return this.#items.filter(({ session }) => session !== shown);
  }

  /** For the status line; empty if nothing but the shown session needs the user. */
  get hint(): string {
    if (this.#alerts.length > 0) return `${toAlertText(this.#alerts[0]!)} · klaus attention`;
    const count = new Set(this.others.map(({ session }) => session)).size;
    if (count === 0) return '';
    return `${count === 1 ? '1 session needs you' : `${count} sessions need you`} · /next`;
  }

  /** @param shown Id of the session that the terminal shows. */
  follow(client: SessionClient, shown: () => string | undefined): void {
    this.#client = client;
    this.#shown = shown;
    this.#stops.push(client.followAttention((list) => this.#onList(list)));
  }

  onEvent(event: Event, view: SessionView): void {
    if (event.type === 'run.started') this.#startedAt = event.at;
    if (event.type === 'approval.asked') void this.#claim(event.approval, event.title);
    if (event.type === 'run.finished' && event.at - this.#startedAt > LONG_RUN_MS) {
      const text = event.outcome === 'done' ? 'The run is done.' : `The run ended: ${event.reason}`;
      void this.#claim(`${event.session}:${event.seq}`, text);
    }
    if (event.type === 'session.changed' || event.type === 'session.opened') this.#showTitle(view);
  }

  onState(_state: DriveState, view: SessionView): void {
    this.#showTitle(view);
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
    this.#client = undefined;
    if (this.#title !== '') this.#screen.terminal.setTitle('');
  }

  #onList({ items, alerts }: ClientAttention): void {
    this.#items = items;
    this.#alerts = alerts;
    const known = this.#known;
    this.#known = new Set([...items, ...alerts].map(({ id }) => id));
    this.#screen.requestRender();
    // What needed the user when the terminal was opened is not reported.
    if (!known) return;
    for (const item of this.others) if (!known.has(item.id)) void this.#reportOther(item);
    for (const alert of alerts) if (!known.has(alert.id)) void this.#claim(alert.id, toAlertText(alert));
  }

  async #reportOther({ id, title, line }: ClientAttentionItem): Promise<void> {
    await pause(DELAY_MS);
    if (this.#isInFront || this.#preferences().notify === 'off' || !this.others.some((item) => item.id === id)) return;
    if (await this.#isFirst(id)) this.#notify(title === null ? line : `${title}: ${line}`);
  }

  /** In front of the user, the terminal claims the notification so that no other program shows it. */
  async #claim(item: string, text: string): Promise<void> {
    const isInFront = this.#isInFront;
    // A terminal that does not notify leaves the claim to others.
    if (!isInFront && this.#preferences().notify === 'off') return;
    if (!isInFront) await pause(DELAY_MS);
    if ((await this.#isFirst(item)) && !isInFront && !this.#isInFront) this.#notify(text);
  }

  /** Without an answer, the user is notified: twice is better than not at all. */
  async #isFirst(item: string): Promise<boolean> {
    return (await this.#client?.claimNotification(item).catch(() => true)) ?? false;
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
    if (notify === 'off') return;
    const line = toLine(`Klaus: ${text}`, 120).replaceAll(';', ',');
    // OSC 9 and 777 are those of most terminals; others ignore them.
    const desktop = notify === 'desktop' ? `\u001b]9;${line}\u0007\u001b]777;notify;Klaus;${line}\u0007` : '';
    this.#screen.terminal.write(`\u0007${desktop}`);
  }
}

function toAlertText({ kind }: ClientAttention['alerts'][number]): string {
  return kind === 'guard-off' ? 'the guard of Claude Code is off' : 'a session of Claude Code ran without the guard';
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
