import type {
  ClientCapabilities,
  PromptRequest,
  PromptResponse,
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
} from '@agentclientprotocol/sdk/unstable';
import type { Event, EventOf, OnAsk, Part } from '@klaus/sdk';
import {
  driveSession,
  type ClientModel,
  type DrivenSession,
  type DriveState,
  type SessionChange,
  type SessionClient,
} from '@klaus/sdk/client';
import { createConversation, type Conversation } from '@klaus/sdk/conversation';
import type { EditorPeer } from '../connection/editor-peer.ts';
import { isCoded, toErrorText } from '../connection/request-error.ts';
import { toConfigOptions, toModes } from '../updates/config-options.ts';
import { EventUpdates } from '../updates/event-updates.ts';
import { toActivity } from './activity.ts';
import { toEditorFolder } from './editor-folder.ts';
import { Permissions } from './permissions.ts';
import { PendingPrompts, type OnMessage } from './pending-prompts.ts';
import { toParts } from './prompt-parts.ts';
import { findCommand, runCommand, startsRun, toAvailableCommands } from './slash-commands.ts';
import { toEndText, toPromptResponse, type RunFacts } from './stop-reason.ts';

export interface EditorSessionOptions {
  client: SessionClient;
  id: string;
  /** Absolute path of the folder that the editor gave. */
  cwd: string;
  onAsk: OnAsk;
  waitForModelMs: number | undefined;
  capabilities: ClientCapabilities;
  peer: EditorPeer;
  isClosed: () => boolean;
  log: (text: string) => void;
}

export interface PromptOptions extends Pick<PromptRequest, 'prompt'> {
  /** Aborts when the editor withdraws the request. */
  signal: AbortSignal;
  onMessage?: OnMessage;
}

/** One session in an editor: sends what happens in it, and takes prompts, answers and changes. */
export class EditorSession {
  readonly view: Conversation;
  readonly #options: EditorSessionOptions;
  readonly #updates: EventUpdates;
  readonly #permissions: Permissions;
  readonly #pending = new PendingPrompts();
  readonly #facts: RunFacts = {};
  #models: readonly ClientModel[] = [];
  #maxChars = 0;
  #folder: string | undefined;
  #driven!: DrivenSession;
  #finished: EventOf<'run.finished'> | undefined;
  /** How often the context was compacted. */
  #compactions = 0;

  private constructor(options: EditorSessionOptions) {
    const { capabilities: client, id, peer, isClosed, log } = options;
    const update = (each: SessionUpdate): void => peer.update(id, each);
    this.#options = options;
    this.view = createConversation(id);
    const onChoice = (): void => update({ sessionUpdate: 'config_option_update', configOptions: this.configOptions() });
    const isEcho = peer.report !== undefined;
    const folder = (): string => this.folder;
    this.#updates = new EventUpdates({ view: this.view, folder, client, send: update, isEcho, onChoice });
    this.#permissions = new Permissions({
      session: id,
      workspace: () => this.folder,
      request: (...request) => peer.requestPermission(...request),
      askText: client.elicitation?.form ? (...text) => peer.askText(...text) : undefined,
      askForm: client.elicitation?.form ? (...form) => peer.askForm(...form) : undefined,
      answer: (...answer) => this.#driven.answer(...answer),
      onDismissed: () => void this.#stop(),
      isClosed,
      log,
    });
  }

  /** @param isReplay True: the editor gets the history of the session first. */
  static async open(options: EditorSessionOptions, { isReplay }: { isReplay: boolean }): Promise<EditorSession> {
    const session = new EditorSession(options);
    await session.#open(isReplay);
    return session;
  }

  /** The workspace, as the editor names it. */
  get folder(): string {
    return (this.#folder ??= toEditorFolder(this.#options.cwd, this.view.workspace));
  }

  /** Absolute path of the folder that the editor gave. */
  get cwd(): string {
    return this.#options.cwd;
  }

  /** True while a prompt waits for its response, or a run is in progress. */
  get isWorking(): boolean {
    return this.#pending.size > 0 || this.#driven.state?.state === 'working';
  }

  get modes(): SessionModeState {
    return toModes(this.view.mode);
  }

  /** @param change Not in the log yet. */
  configOptions(change: Pick<SessionChange, 'mode' | 'model' | 'effort'> = {}): SessionConfigOption[] {
    const { mode, model, effort } = this.view;
    return toConfigOptions({ mode, model, effort, ...change, models: this.#models });
  }

  /** Sends what an editor needs to know of a session that it has just got, apart from its history. */
  introduce(notices: readonly string[]): void {
    const availableCommands = toAvailableCommands();
    this.#options.peer.update(this.view.session, { sessionUpdate: 'available_commands_update', availableCommands });
    this.#updates.sendTitle();
    this.#updates.sendUsage();
    for (const notice of notices) this.#updates.notice('warning', notice);
    if (this.#isInterrupted) {
      const text = 'The last run was interrupted. `/resume` or the next message continues it.';
      this.#updates.notice('warning', text);
    }
  }

  /** Resolves when its run has ended. */
  async prompt({ prompt, signal, onMessage }: PromptOptions): Promise<PromptResponse> {
    const parts = toParts(prompt, { workspace: this.folder, maxChars: this.#maxChars });
    const first = parts[0];
    const called = parts.length === 1 && first?.type === 'text' ? findCommand(first.text) : undefined;
    // A command is no message of the log. One that is refused is an error of the request.
    const confirm = (): void => onMessage?.(this.#updates.command(parts));
    if (called && !startsRun(called.name)) {
      confirm();
      return this.#runCommand(called);
    }
    // The end of the connection ends requests too, but a question stays open then.
    const cancel = (): void => void (this.#options.isClosed() || this.#stop());
    signal.addEventListener('abort', cancel, { once: true });
    try {
      if (called?.name === 'compact') return await this.#compact(confirm);
      if (called) return await this.#pending.run({}, () => this.#send(undefined).then(confirm));
      return await this.#pending.run({ message: parts, onMessage }, () => this.#send(parts));
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  async change(change: SessionChange): Promise<void> {
    await this.#options.client.change(this.view.session, change);
  }

  /** Stops the run and every question of it. */
  async cancel(): Promise<void> {
    this.#permissions.endAll();
    await this.#pending.cancel();
    if (this.#pending.size === 0 && !this.view.run) return;
    const { client, id } = this.#options;
    // A message that no run has taken would be a part of the next run.
    for (const { command, parts } of await client.queued(id))
      if (this.#pending.isCancelled(parts)) await client.withdraw(id, command);
    await this.#driven.cancel('The user stopped the run in the editor.');
  }

  /** Stops a run of this editor, also one that waits for an answer. */
  async end(): Promise<void> {
    if (this.#pending.size === 0) return;
    await this.cancel();
    await this.#driven.settled();
  }

  /** Cancels without a request that could report a failure. */
  async #stop(): Promise<void> {
    try {
      await this.cancel();
    } catch (error) {
      this.#options.log(toErrorText(error));
    }
  }

  /**
   * Stops following the session.
   *
   * @param options.isCancelled True: its run is stopped before that, unless a question of it is open, which other
   *   clients can answer, or another process works on it.
   */
  async close({ isCancelled }: { isCancelled: boolean }): Promise<void> {
    this.#permissions.endAll();
    const state = this.#driven.state?.state;
    if (isCancelled && state === 'working') {
      await this.#driven.cancel('The editor ended the session.');
      await this.#driven.settled();
    }
    this.#updates.close();
    await this.#driven.dispose();
    this.#pending.end();
  }

  async #open(isReplay: boolean): Promise<void> {
    const { client, id } = this.#options;
    this.#models = await client.models().catch(() => []);
    this.#maxChars = (await client.settings()).maxPromptChars;
    for await (const event of client.events(id)) {
      if (isReplay) this.#updates.event(event);
      else this.#updates.fold(event);
      this.#note(event);
    }
    this.#driven = await driveSession(client, {
      session: id,
      after: this.view.seq,
      onEvent: (event) => this.#receive(event),
      onLive: (live) => this.#updates.live(live),
      onState: (state) => this.#conclude(state),
      onConnection: (text) => this.#updates.notice('info', text),
    });
    const { held } = await client.session(id);
    // A question is asked here too, and work of another process is followed. An interrupted run waits for the user.
    if (held || this.view.approvals.size > 0) this.#driven.kick();
  }

  get #isInterrupted(): boolean {
    return this.view.run !== undefined && this.#driven.state === undefined;
  }

  #receive(event: Event): void {
    const isOwn = event.type === 'message.added' && this.#pending.take(event.message);
    this.#note(event);
    // Clients of the draft show a message when they get it back.
    this.#updates.event(event, { isOwn: isOwn && this.#options.peer.report === undefined });
    if (event.type === 'approval.answered') this.#permissions.end(event.approval);
    // The run does not park for it.
    if (event.type === 'approval.asked' && event.held) this.#permissions.ask([...this.view.approvals.values()]);
  }

  #note(event: Event): void {
    if (event.type === 'turn.finished') this.#facts.stopReason = event.stopReason;
    else if (event.type === 'model.attempted') this.#facts.attempt = event.outcome;
    else if (event.type === 'run.finished') this.#finished = event;
    else if (event.type === 'run.started') this.#finished = undefined;
    else if (event.type === 'context.compacted' && event.dropped > 0) this.#compactions += 1;
  }

  /** Sends whether the session works, to clients that do not learn it from the end of their prompts. */
  report(): void {
    const { peer, id } = this.#options;
    peer.report?.(id, toActivity(this.#driven.state, this.#finished, this.#facts));
  }

  #conclude(state: DriveState): void {
    if (state.state === 'parked') this.#permissions.ask(state.approvals);
    else if (state.state === 'idle') {
      this.#permissions.endAll();
      const text = this.#finished && this.#pending.size > 0 ? toEndText(this.#finished) : undefined;
      if (text !== undefined) this.#updates.say(text);
      this.#pending.settle(() => toPromptResponse(this.#finished, this.#facts));
    } else if (state.state === 'failed') {
      if (this.#pending.size === 0) this.#updates.notice('error', toErrorText(state.error));
      this.#pending.fail(state.error);
    }
    this.report();
  }

  /** @param parts Undefined: the last run continues. */
  async #send(parts: readonly Part[] | undefined): Promise<void> {
    const { client, onAsk, waitForModelMs, id } = this.#options;
    // A message during a run joins it, as in the terminal.
    if (parts) return this.#driven.send({ parts, onAsk, waitForModelMs, delivery: 'steer' });
    await client.resume(id, { onAsk, waitForModelMs });
    this.#driven.kick();
  }

  /** @param confirm Called when the request was accepted. */
  async #compact(confirm: () => void): Promise<PromptResponse> {
    const { client, id } = this.#options;
    const before = this.#compactions;
    const response = await this.#pending.run({}, async () => {
      await client.compact(id);
      confirm();
      this.#driven.kick();
    });
    const isDone = this.#compactions > before;
    this.#updates.say(isDone ? 'The context is compacted.' : 'Nothing was compacted.');
    return response;
  }

  async #runCommand({ name, argument }: { name: string; argument: string }): Promise<PromptResponse> {
    const { client, id, peer } = this.#options;
    const isIdle = !this.isWorking;
    if (isIdle) peer.report?.(id, { state: 'running' });
    try {
      this.#updates.say(await runCommand(name, argument, { client, session: id, view: this.view }));
    } catch (error) {
      if (!isCoded(error)) throw error;
      this.#updates.say(toErrorText(error));
    } finally {
      if (isIdle) peer.report?.(id, { state: 'idle', stopReason: 'end_turn' });
    }
    return { stopReason: 'end_turn' };
  }
}
