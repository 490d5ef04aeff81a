import type { Event } from '@klaus/sdk';
import type { DriveState, SessionClient } from '@klaus/sdk/client';
import { isKlausError, toHint } from './klaus-error.ts';
import { toPrintable } from '@klaus/sdk/printable';
import { messageOf } from '@klaus/sdk/message-of';
import { createCompletion } from '../composer/completion.ts';
import { openHistory, type PromptHistory } from '../composer/history.ts';
import type { AttachedPart } from '../composer/prompt-parts.ts';
import type { TerminalCommand } from '../commands/command.ts';
import { findCommand, listAllCommands, listCommands } from '../commands/commands.ts';
import type { Dialog, DialogHost } from '../dialogs/dialog.ts';
import type { TerminalStart } from '../terminal-options.ts';
import { writePreferences, type Preferences } from '../preferences.ts';
import { noteMissingBudget } from '../session/budget-note.ts';
import { noteFailedModel } from '../session/failure-note.ts';
import { noteUninstalled } from '../session/uninstalled-note.ts';
import type { Entered, InlineScreen, PromptEditor } from '../screen/index.ts';
import { readBranch } from '../session/git-branch.ts';
import { SessionLink } from '../session/session-link.ts';
import { toFactLines } from '../view/entry-lines.ts';
import type { ViewStyle } from '../view/view-style.ts';
import { Transcript } from '../view/transcript.ts';
import { Footer } from '../footer/footer.ts';
import type { App, AppOptions } from './app.ts';
import { Attention } from './attention.ts';
import { bindInput } from './bind-input.ts';
import { createDialogHost } from './dialog-host.ts';
import { chooseTheme } from './choose-theme.ts';
import { explainMode } from '../commands/mode-choices.ts';
import { toGoodbye, toHeader } from './header.ts';
import { LentTerminal } from './lent-terminal.ts';
import { Questions } from './questions.ts';
import { sendPrompt } from './send-prompt.ts';
import { ShownInstance } from './shown-instance.ts';
import { adviseAgent } from './switch-agent.ts';

/** Milliseconds between two presses that count as one action. */
const DOUBLE_MS = 1_000;
/** Signals that end the program, with their numbers. The first one is also that of a closed input. */
const SIGNALS = [
  ['SIGHUP', 1],
  ['SIGTERM', 15],
] as const;
/** Milliseconds between two frames while something is running. */
const FRAME_MS = 120;

/** The interactive terminal: connects the session, its views and the keys. */
export class TerminalApp implements App {
  readonly options: AppOptions;
  readonly screen: InlineScreen;
  readonly composer: PromptEditor;
  readonly style: ViewStyle;
  readonly history: PromptHistory;
  readonly host: DialogHost;
  readonly lent: LentTerminal;
  readonly attention: Attention;
  readonly questions: Questions;
  preferences: Preferences;
  /** Marks and data of images and files that were attached and not sent yet. */
  attached: AttachedPart[] = [];
  hint = '';
  branch: string | undefined;
  start: TerminalStart = { agent: undefined, keepsHistory: false, session: undefined, change: {}, notes: [] };
  #link: SessionLink | undefined;
  #transcript: Transcript | undefined;
  readonly #footer: Footer;
  readonly #instance = new ShownInstance(this);
  #dialog: Dialog | undefined;
  /** Time of the last press of a key that acts when it is pressed twice. */
  readonly #pressed = new Map<string, number>();
  #frames: NodeJS.Timeout | undefined;
  #leave: (exitCode: number) => void = () => {};
  /** Prompts that were entered before the session was ready. */
  readonly #early: Entered[] = [];

  constructor(options: AppOptions) {
    const { screen, composer, preferences, home, folder } = options;
    this.options = options;
    this.screen = screen;
    this.composer = composer;
    this.preferences = preferences;
    this.style = options.style;
    this.history = openHistory(home, folder);
    this.attention = new Attention(screen, () => this.preferences);
    this.questions = new Questions(this);
    this.lent = new LentTerminal(options, () => this.focusInput());
    this.host = createDialogHost(this, {
      open: (dialog) => this.openDialog(dialog),
      close: () => this.closeDialog(),
    });
    this.#footer = new Footer(this);
    this.branch = readBranch(folder);
  }

  get link(): SessionLink {
    return this.#link!;
  }

  get isReady(): boolean {
    return this.#link !== undefined;
  }

  get client(): SessionClient {
    return this.link.client;
  }

  /** Runs until the user leaves. Returns the exit code. */
  async run(): Promise<number> {
    bindInput(this);
    chooseTheme(this);
    const left = new Promise<number>((resolve) => (this.#leave = resolve));
    for (const [signal, code] of SIGNALS) process.once(signal, () => this.leave(128 + code));
    process.stdin.once('end', () => this.leave(128 + SIGNALS[0][1]));
    const client = await this.#connect();
    if (!client) return 3;
    const exitCode = await left;
    clearInterval(this.#frames);
    this.attention.stop();
    this.screen.stop();
    await this.#instance.end(exitCode);
    await this.#link?.dispose();
    process.stdout.write(toGoodbye(this));
    await client[Symbol.asyncDispose]();
    return exitCode;
  }

  leave(exitCode = 0): void {
    this.#leave(exitCode);
  }

  commands(): readonly TerminalCommand[] {
    return listCommands(this);
  }

  /** Writes a line that is not in the log. */
  note(text: string, mark: 'ok' | 'warn' | 'bad' | 'info' = 'info'): void {
    const lines = toFactLines(
      [{ mark, text: toPrintable(text) }],
      Math.max(20, this.screen.terminal.columns),
      this.style.palette,
    );
    this.print(lines.join('\n'));
  }

  /** @param text Printable, may contain colours. */
  print(text: string): void {
    this.#transcript?.note(text);
    this.screen.requestRender();
  }

  fail(error: unknown): void {
    const message = messageOf(error);
    const hint = isKlausError(error) ? toHint(error, this.#link?.client.server) : undefined;
    this.note(hint === undefined ? message : `${message} ${hint}`, 'bad');
  }

  /** Does something that may fail, and shows the error. */
  do(action: () => Promise<void> | void): void {
    void Promise.resolve()
      .then(action)
      .catch((error: unknown) => this.fail(error));
  }

  openDialog(dialog: Dialog): void {
    this.#dialog = dialog;
    this.#footer.dialog = dialog;
    this.focusInput();
    this.screen.requestRender();
  }

  closeDialog(): void {
    this.#dialog = undefined;
    this.#footer.dialog = undefined;
    this.focusInput();
    this.screen.requestRender();
    this.questions.update();
  }

  focusInput(): void {
    if (!this.screen.isFull && !this.lent.isLent)
      this.screen.setFocus(this.#dialog ?? this.questions.focused ?? this.composer);
  }

  savePreferences(change: Partial<Preferences>): void {
    this.preferences = { ...this.preferences, ...change };
    writePreferences(this.options.home, this.preferences);
    this.screen.requestRender();
  }

  /** Sends what was entered: a command, or a prompt. */
  submit(entered: Entered, delivery: 'steer' | 'queue'): void {
    if (!this.#link) {
      if (entered.text !== '') this.#early.push(entered);
      return;
    }
    if (entered.text === '') return this.#continue();
    this.history.add(entered.text);
    this.composer.addToHistory(entered.text);
    this.do(async () => {
      const called = await findCommand(this, entered.text);
      if (called) return await called();
      await sendPrompt(this, entered, delivery);
    });
  }

  call(line: string): void {
    this.do(async () => (await findCommand(this, line))?.());
  }

  /** Enter in an empty input: an open question, an interrupted run, or messages that wait. */
  #continue(): void {
    if (this.questions.list().length > 0) return this.questions.recall();
    if (this.link.isWorking) return;
    if (this.link.isInterrupted || this.link.view.queue.length > 0) this.link.continue();
  }

  setHint(text: string): void {
    this.hint = text;
    this.screen.requestRender();
    setTimeout(() => {
      if (this.hint !== text) return;
      this.hint = '';
      this.screen.requestRender();
    }, DOUBLE_MS).unref();
  }

  /** True for the second of two presses. */
  isDouble(key: string): boolean {
    const now = performance.now();
    const isDouble = now - (this.#pressed.get(key) ?? -Infinity) < DOUBLE_MS;
    this.#pressed.set(key, isDouble ? -Infinity : now);
    return isDouble;
  }

  async #connect(): Promise<SessionClient | undefined> {
    const { options } = this;
    try {
      const client = await options.openClient((text, level) => this.note(text, level));
      this.start = await options.begin(client);
      const request = await options.toRequest(client, this.start);
      this.#link = new SessionLink({
        client,
        request,
        mode: request.mode ?? (await client.startMode(request.workspace)).mode,
        model: (await client.settings(request.workspace)).model,
        onChange: () => this.screen.requestRender(),
        onShow: (view) => {
          this.#transcript?.show(view);
          this.questions.update();
          this.#instance.setSession(view.conversation.session || undefined);
        },
        onEvent: (event) => this.#onEvent(event),
        onState: (state) => this.#onState(state),
        onNote: (text) => this.note(text, 'warn'),
      });
      this.attention.follow(client, () => this.link.id);
      this.#transcript = new Transcript(this.screen, {
        ...{ style: this.style, now: Date.now, view: this.link.view },
        isAsked: (approval) => this.questions.isShown(approval),
      });
      this.composer.border = (...given) => this.#footer.toBorder(...given);
      this.screen.clear();
      this.screen.addChild(this.#transcript);
      this.screen.addChild(this.#footer);
      this.composer.setAutocompleteProvider(
        createCompletion({
          commands: () => this.commands(),
          // A server that cannot be reached hides no other command.
          allCommands: () => listAllCommands(this).catch(() => this.commands()),
          columns: () => this.screen.terminal.columns,
          findFiles: (characters, limit) => client.findFiles({ workspace: this.link.workspace, characters, limit }),
        }),
      );
      await this.#begin();
      return client;
    } catch (error) {
      this.screen.stop();
      throw error;
    }
  }

  async #begin(): Promise<void> {
    const { start } = this;
    this.print(toHeader(this));
    for (const note of start.notes) this.note(note);
    if (start.session !== undefined) {
      await this.link.attach(start.session);
      if (Object.keys(start.change).length > 0) await this.link.change(start.change);
    } else this.note(explainMode(this.link.mode));
    const { prompt } = this.options;
    if (prompt !== '') this.submit({ text: prompt, pastes: new Map() }, 'steer');
    for (const entered of this.#early.splice(0)) this.submit(entered, 'steer');
    this.questions.update();
    this.#instance.open();
  }

  #onEvent(event: Event): void {
    this.questions.update();
    this.attention.onEvent(event, this.link.view);
    adviseAgent(this, event);
    noteMissingBudget(this, event);
    noteFailedModel(this, event);
    noteUninstalled(this, event);
    if (event.type === 'run.finished' || event.type === 'tool.finished') this.branch = readBranch(this.options.folder);
  }

  #onState(state: DriveState): void {
    if (state.state === 'failed') this.fail(state.error);
    this.questions.update();
    this.attention.onState(state, this.link.view);
    const isBusy = this.link.isWorking;
    if (isBusy && this.#frames === undefined) {
      this.#frames = setInterval(() => this.screen.requestRender(), FRAME_MS);
    } else if (!isBusy && this.#frames !== undefined) {
      clearInterval(this.#frames);
      this.#frames = undefined;
    }
  }
}
