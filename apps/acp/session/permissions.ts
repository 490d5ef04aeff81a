import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk/unstable';
import type { EventOf } from '@klaus/sdk';
import { diffOf, hunksOf, isHidden } from '@klaus/sdk/conversation';
import { formatAmount, toMore } from '@klaus/sdk/transcript';
import type { DrivenSession } from '@klaus/sdk/client';
import { messageOf } from '@klaus/sdk/message-of';
import type { EditorPeer } from '../connection/editor-peer.ts';
import { toDiffFields, toOutput } from '../updates/call-update.ts';

type Question = EventOf<'approval.asked'>;
type AnswerTo = Parameters<DrivenSession['answer']>;

export interface PermissionsOptions {
  session: string;
  workspace: () => string;
  request: EditorPeer['requestPermission'];
  /** Asks why the user rejects. Absent: the editor has no forms. */
  askText: EditorPeer['askText'] | undefined;
  /** Asks for the fields of a form. Absent: the editor has no forms. */
  askForm: EditorPeer['askForm'] | undefined;
  answer: (...answer: AnswerTo) => Promise<boolean>;
  /** The editor ended the question without an answer. */
  onDismissed: () => void;
  /** True once the editor is gone: then a question stays open for other clients. */
  isClosed: () => boolean;
  log: (text: string) => void;
}

/** The approvals of a session that the editor is asked for now. */
export class Permissions {
  readonly #options: PermissionsOptions;
  readonly #pending = new Map<string, AbortController>();

  constructor(options: PermissionsOptions) {
    this.#options = options;
  }

  /** Asks for these approvals, and no longer for others. */
  ask(questions: readonly Question[]): void {
    const open = new Set(questions.map(({ approval }) => approval));
    for (const approval of this.#pending.keys()) if (!open.has(approval)) this.end(approval);
    for (const question of questions) if (!this.#pending.has(question.approval)) void this.#ask(question);
  }

  /** Ends a request that another client has answered. A late answer of the editor has no effect. */
  end(approval: string): void {
    this.#pending.get(approval)?.abort();
    this.#pending.delete(approval);
  }

  endAll(): void {
    for (const approval of this.#pending.keys()) this.end(approval);
  }

  async #ask(question: Question): Promise<void> {
    const { answer, isClosed, log, onDismissed, request } = this.#options;
    const { approval } = question;
    const controller = new AbortController();
    const { signal } = controller;
    const isCall = question.subject.kind !== 'limit';
    this.#pending.set(approval, controller);
    try {
      const ask = async (): Promise<Choice['reply'] | undefined> =>
        this.#explain(toReply(question, await request(this.#toRequest(question), { signal, isCall })), {
          question,
          signal,
        });
      const reply = hasFields(question) ? await this.#fillIn(question, signal) : await ask();
      if (this.#pending.get(approval) !== controller) return;
      this.#pending.delete(approval);
      if (reply === undefined) return onDismissed();
      if (!(await answer(approval, ...reply))) log(`Another client answered approval ${approval} before the editor.`);
    } catch (error) {
      if (controller.signal.aborted || isClosed()) return;
      this.#pending.delete(approval);
      log(`The editor cannot answer approval ${approval}: ${messageOf(error)}`);
      // Nothing runs without an answer.
      await answer(approval, 'rejected', { note: 'The editor could not ask the user.' });
    }
  }

  /** Asks for the fields of a form. An editor without forms declines it. */
  async #fillIn(question: Question, signal: AbortSignal): Promise<Choice['reply'] | undefined> {
    const { askForm, session } = this.#options;
    const { subject } = question;
    if (subject.kind !== 'input' || !askForm) return ['rejected', { note: 'The editor has no forms.' }];
    const { from, fields, message } = subject;
    const answer = await askForm({ session, message: `${from}: ${message}`, fields }, signal);
    return answer.action === 'accept' ? ['approved', { content: answer.content }] : ['rejected', {}];
  }

  /** Adds the reason of the user to a rejection that asks for it. Without one, the rejection remains. */
  async #explain(
    reply: Choice['reply'] | undefined,
    { question, signal }: { question: Question; signal: AbortSignal },
  ): Promise<Choice['reply'] | undefined> {
    const { askText, session } = this.#options;
    if (reply !== EXPLAINED.reply || !askText) return reply;
    const message = `Why is this rejected: ${question.title}`;
    const note = await askText({ session, message, title: 'Reason, for the model' }, signal).catch(() => undefined);
    return ['rejected', note === undefined ? {} : { note }];
  }

  #toOptions(question: Question): PermissionOption[] {
    const options = toChoices(question).map(({ reply: _, ...option }) => option);
    if (!this.#options.askText || question.subject.kind === 'input') return options;
    return [...options, { optionId: EXPLAINED.optionId, kind: EXPLAINED.kind, name: EXPLAINED.name }];
  }

  #toRequest(question: Question): RequestPermissionRequest {
    const { session, workspace } = this.#options;
    return { sessionId: session, toolCall: this.#toCall(question, workspace()), options: this.#toOptions(question) };
  }

  #toCall(question: Question, workspace: string): ToolCallUpdate {
    const { approval, chain, reason, subject, title } = question;
    const agents = chain?.slice(1).map(({ agent }) => agent) ?? [];
    const shown = agents.length === 0 ? title : `${agents.join(' → ')}: ${title}`;
    const call = { title: shown, status: 'pending' } as const;
    if (subject.kind === 'limit') return { ...call, toolCallId: approval, kind: 'other', content: toText(reason) };
    // Calls of other sessions can have the same id.
    const isOwn = question.session === this.#options.session;
    const toolCallId = isOwn ? subject.call : `${question.session}/${subject.call}`;
    if (subject.kind === 'plan') return { ...call, toolCallId, kind: 'switch_mode', content: toText(subject.plan) };
    if (subject.kind === 'input') {
      const { message, url, host } = subject;
      const content = toText(
        [message, ...(host ? [`Host: ${host}`] : []), ...(url ? [`Open ${url}, then accept.`] : [])].join('\n\n'),
      );
      return { ...call, toolCallId, kind: 'other', content };
    }
    const command = subject.command === undefined ? [] : toOutput({ name: 'run_command' }, subject.command);
    const { content = [], locations } = toDiffFields(diffOf(question), workspace);
    return {
      ...call,
      toolCallId,
      kind: content.length > 0 ? 'edit' : command.length > 0 ? 'execute' : 'other',
      content: [...content, ...command, ...toHiddenText(question), ...toText(reason)],
      locations,
    };
  }
}

function hasFields({ subject }: Question): boolean {
  return subject.kind === 'input' && subject.fields.length > 0;
}

function toText(text: string): NonNullable<ToolCallUpdate['content']> {
  return [{ type: 'content', content: { type: 'text', text } }];
}

/** The changes whose content no editor can show. */
function toHiddenText(question: Question): NonNullable<ToolCallUpdate['content']> {
  return hunksOf(question)
    .filter(isHidden)
    .flatMap(({ note }) => toText(`Content not shown: ${note ?? ''}`));
}

type Choice = PermissionOption & { reply: readonly [AnswerTo[1], NonNullable<AnswerTo[2]>] };

/** A rejection whose reason the user is asked for, in editors with forms. */
const EXPLAINED: Choice = {
  optionId: 'reject-reason',
  name: 'Reject with a reason',
  kind: 'reject_once',
  reply: ['rejected', {}],
};

const REJECT = { optionId: 'reject', kind: 'reject_once', reply: ['rejected', {}] } as const;

function toChoices(question: Question): readonly Choice[] {
  const { subject } = question;
  if (subject.kind === 'limit') {
    const name = `Allow ${formatAmount(subject.limit, toMore(subject))} more`;
    return [
      { optionId: 'once', name, kind: 'allow_once', reply: ['approved', {}] },
      { ...REJECT, name: 'Stop here' },
    ];
  }
  if (subject.kind === 'plan') {
    return [
      { optionId: 'edits', name: 'Accept, edits allowed', kind: 'allow_once', reply: ['approved', { mode: 'edits' }] },
      { optionId: 'ask', name: 'Accept, ask for each edit', kind: 'allow_once', reply: ['approved', { mode: 'ask' }] },
      { optionId: 'auto', name: 'Accept, mode auto', kind: 'allow_always', reply: ['approved', { mode: 'auto' }] },
      { ...REJECT, name: 'Continue to plan' },
    ];
  }
  if (subject.kind === 'input') {
    return [
      { optionId: 'once', name: 'Accept', kind: 'allow_once', reply: ['approved', {}] },
      { ...REJECT, name: 'Decline' },
    ];
  }
  const hidden = hunksOf(question).filter(isHidden).length;
  if (hidden > 0) {
    // First the answer that is safe without a look: an editor may select the first one.
    const name = `Allow once, with ${hidden} ${hidden === 1 ? 'change' : 'changes'} not shown`;
    return [
      { ...REJECT, name: 'Reject' },
      { optionId: 'once', name, kind: 'allow_once', reply: ['approved', {}] },
    ];
  }
  const canRemember = subject.kind === 'call' && subject.remember !== undefined;
  const remembered: readonly Choice[] = [
    {
      optionId: 'session',
      name: 'Allow in this session',
      kind: 'allow_always',
      reply: ['approved', { scope: 'session' }],
    },
    {
      optionId: 'project',
      name: 'Allow in this project',
      kind: 'allow_always',
      reply: ['approved', { scope: 'project' }],
    },
  ];
  return [
    { optionId: 'once', name: 'Allow once', kind: 'allow_once', reply: ['approved', {}] },
    ...(canRemember ? remembered : []),
    { ...REJECT, name: 'Reject' },
  ];
}

/** The answer of a chosen option; undefined if the user chose none. An unknown option allows nothing. */
function toReply(question: Question, { outcome }: RequestPermissionResponse): Choice['reply'] | undefined {
  if (outcome.outcome !== 'selected') return undefined;
  const choices = [...toChoices(question), EXPLAINED];
  return choices.find(({ optionId }) => optionId === outcome.optionId)?.reply ?? ['rejected', {}];
}
