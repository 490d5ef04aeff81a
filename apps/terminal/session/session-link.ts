import type { AnswerOptions, Event, Limits, Mode, Part } from '@klaus/sdk';
import {
  driveSession,
  type DrivenSession,
  type DriveState,
  type OpenRequest,
  type Reply,
  type SessionChange,
  type SessionClient,
} from '@klaus/sdk/client';
import { optional } from '@klaus/sdk/optional';
import { addEvent, addLive, createSessionView, isWorking, type SessionView } from './session-view.ts';

export interface SessionLinkOptions {
  client: SessionClient;
  /** Everything but the parts of the request that opens a session. */
  request: Omit<OpenRequest, 'parts'>;
  /** The approval mode of that session. */
  mode: Mode;
  /** Its model, if neither the request nor an agent has one. */
  model: string;
  /** Something of the view has changed. */
  onChange: () => void;
  /** Another session is shown. */
  onShow: (view: SessionView) => void;
  onEvent: (event: Event) => void;
  onState: (state: DriveState) => void;
  /** A line that is not in the log. */
  onNote: (text: string) => void;
}

/** The session that the terminal shows, and what the user does to it. */
export class SessionLink {
  readonly #options: SessionLinkOptions;
  #view = createSessionView('');
  #drive: DrivenSession | undefined;
  #request: SessionLinkOptions['request'];
  /** Changes of the session that the next prompt opens. */
  #next: SessionChange = {};
  /** The approval mode with which new sessions begin. */
  #mode: Mode;
  /** True once the user has chosen it here. */
  #isModeChosen = false;

  constructor(options: SessionLinkOptions) {
    this.#options = options;
    this.#request = options.request;
    this.#mode = options.mode;
  }

  get client(): SessionClient {
    return this.#options.client;
  }

  get view(): SessionView {
    return this.#view;
  }

  /** Undefined before the first prompt. */
  get id(): string | undefined {
    return this.#view.conversation.session || undefined;
  }

  /** Of the session, or of the one that the next prompt opens. Undefined: that of the client. */
  get workspace(): string | undefined {
    return this.#view.conversation.workspace || this.#request.workspace;
  }

  /** Of the session, or of the one that the next prompt opens; '' if it is not known yet. */
  get model(): string {
    const { model, agent } = this.#request;
    const usual = agent === undefined ? this.#options.model : '';
    return this.#view.conversation.model || this.#next.model || model || usual;
  }

  get mode(): string {
    return this.id === undefined ? this.#mode : this.#view.conversation.mode;
  }

  /** Of the session, or those that the next one gets in place of the settings. */
  get limits(): Readonly<Partial<Limits>> {
    if (this.id !== undefined) return this.#view.conversation.limits;
    return { ...this.#options.request.limits, ...this.#next.limits };
  }

  get isWorking(): boolean {
    return isWorking(this.#view);
  }

  /** True for a run that has not ended and that no process works on. */
  get isInterrupted(): boolean {
    const { conversation, drive } = this.#view;
    return conversation.run !== undefined && drive?.state === undefined && conversation.approvals.size === 0;
  }

  /** Shows an existing session. */
  async attach(id: string): Promise<void> {
    const view = createSessionView(id);
    for await (const event of this.client.events(id)) addEvent(view, event);
    await this.#follow(view);
    const { held } = await this.client.session(id);
    const isWaiting = this.isInterrupted || (await this.client.queued(id)).length > 0;
    // What was interrupted, and messages that wait, start again only when the user says so.
    if (held || !isWaiting) this.#drive?.kick();
  }

  /** The next prompt opens a session. @param request Default: as for the ones before. */
  async detach(request = this.#request): Promise<void> {
    this.#request = request;
    this.#mode = await this.#readMode();
    await this.#drive?.dispose();
    this.#drive = undefined;
    this.#view = createSessionView('');
    this.#options.onShow(this.#view);
  }

  /**
   * Sends a prompt. During a run it joins at the next request to the model, or waits for the end.
   *
   * @throws KlausError as of `SessionClient.open` and `prompt`.
   */
  async send(parts: readonly Part[], delivery: 'steer' | 'queue'): Promise<void> {
    if (this.#drive) return await this.#drive.send({ parts, delivery, onAsk: 'wait' });
    await this.#open(parts);
    this.#drive!.kick();
  }

  /** Id of the session, which is opened if there is none. */
  async ensure(): Promise<string> {
    if (this.id === undefined) await this.#open([]);
    return this.id!;
  }

  /** Works on what remains: an interrupted run, or queued messages. */
  continue(): void {
    this.#drive?.kick();
  }

  async resume(): Promise<void> {
    if (this.id === undefined) return;
    await this.client.resume(this.id, { onAsk: 'wait' });
    this.continue();
  }

  /** Runs a command of the user in the sandbox; the model sees its output with the next prompt. */
  async shell(command: string): Promise<void> {
    await this.client.shell(await this.ensure(), command);
    this.continue();
  }

  async cancel(): Promise<void> {
    await this.#drive?.cancel('The user cancelled the run.');
  }

  /** @returns False if another client was faster. */
  async answer(approval: string, reply: Reply, options: Omit<AnswerOptions, 'by' | 'raise'>): Promise<boolean> {
    return (await this.#drive?.answer(approval, reply, options)) ?? false;
  }

  /** Changes the session, or the one that the next prompt opens. */
  async change(change: SessionChange): Promise<void> {
    if (this.id !== undefined) return await this.client.change(this.id, change);
    const limits = { ...this.#next.limits, ...change.limits };
    this.#next = { ...this.#next, ...change, limits };
    return this.#options.onChange();
  }

  /** Changes the approval mode. New sessions of the user begin with it, here and elsewhere. */
  async chooseMode(mode: Mode): Promise<void> {
    if (this.id !== undefined) await this.client.change(this.id, { mode });
    this.#mode = mode;
    this.#isModeChosen = true;
    this.#options.onChange();
    await this.client.chooseMode(mode);
  }

  async dispose(): Promise<void> {
    await this.#drive?.dispose();
  }

  async #open(parts: readonly Part[]): Promise<void> {
    const request = this.#request;
    const { limits, model, effort } = this.#next;
    const id = await this.client.open({
      ...request,
      ...optional({ model, effort }),
      mode: this.#mode,
      limits: { ...request.limits, ...limits },
      parts,
    });
    this.#next = {};
    await this.#follow(createSessionView(id));
  }

  /** What the user chose here, else the option of the command line, else the last choice of the user anywhere. */
  async #readMode(): Promise<Mode> {
    if (this.#isModeChosen) return this.#mode;
    return this.#request.mode ?? (await this.client.startMode(this.#request.workspace)).mode;
  }

  async #follow(view: SessionView): Promise<void> {
    await this.#drive?.dispose();
    this.#view = view;
    this.#options.onShow(view);
    const { onChange, onNote } = this.#options;
    this.#drive = await driveSession(this.client, {
      session: view.conversation.session,
      after: view.conversation.seq,
      onEvent: (event) => {
        addEvent(view, event);
        if (this.#view === view) this.#options.onEvent(event);
        // Another process has begun to work on a session that this one has not looked at.
        if (!view.drive && (event.type === 'run.started' || event.type === 'turn.started')) this.#drive?.kick();
        onChange();
      },
      onLive(live) {
        addLive(view, live);
        onChange();
      },
      onQueue(queue) {
        view.queue = queue;
        onChange();
      },
      onState: (state) => {
        view.drive = state;
        if (this.#view === view) this.#options.onState(state);
        onChange();
      },
      onConnection: onNote,
    });
  }
}
