import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  diffOf,
  hunksOf,
  isEditable,
  isHidden,
  renderHunk,
  toNewText,
  type AnswerOptions,
  type EventOf,
  type HunkAnswer,
  type InputQuestion,
} from '@klaus/sdk';
import { ANSWER_KEYS as KEYS } from '@klaus/sdk/conversation';
import { openEditor } from './editor.ts';
import { describeInput } from './describe-input.ts';
import { askFields } from './input-prompt.ts';
import { openKeyboard, type Keyboard } from './keyboard.ts';
import { toPrintable } from '@klaus/sdk/printable';
import { describeChain, formatCount } from '@klaus/sdk/transcript';
import { createPaint, paintDiff, type Paint } from '../output/paint.ts';
import { err } from '../output/sink.ts';

/** The answer of a user. `interrupt` is Ctrl-C; `later` leaves the approval open. */
export type Reply =
  | { kind: 'approved'; options: Pick<AnswerOptions, 'hunks' | 'scope' | 'plan' | 'content'> }
  | { kind: 'rejected'; options: Pick<AnswerOptions, 'note'> }
  | { kind: 'later' }
  | { kind: 'interrupt' };

/** Lines of a diff or command that are shown at first. */
const SHOWN_LINES = 200;

type Question = EventOf<'approval.asked'>;

interface Prompt {
  question: Question;
  keyboard: Keyboard;
  paint: Paint;
  plain: boolean;
  signal: AbortSignal;
}

/**
 * Shows a question in the terminal. The user focuses it with Tab or ↑, and then answers with one key; Alt-Y and Alt-N
 * answer at once. What is typed before that answers nothing.
 *
 * @param options.signal Ends the wait with `later`.
 */
export async function askInTerminal(
  question: Question,
  options: { plain: boolean; signal: AbortSignal },
): Promise<Reply> {
  const paint = createPaint(err, options.plain);
  using keyboard = await openKeyboard();
  const prompt: Prompt = { question, keyboard, paint, ...options };
  err.write(`${showQuestion(prompt, false)}\n`);
  for (;;) {
    let key = await readDirect(prompt);
    const keys = paint('bold', `[${toKeys(question)}] `);
    if (key === 'focus') {
      err.write(`\n${keys}`);
      key = await readKey(prompt);
    }
    while (key !== 'escape' && key !== 'tab') {
      const reply = await toReply(key, prompt);
      if (reply) {
        // With these keys the answers are on the screen already.
        if (key !== KEYS.review && key !== KEYS.reject && question.subject.kind !== 'input')
          err.write(`${reply.kind === 'interrupt' ? '^C' : (key ?? '')}\n`);
        return reply;
      }
      if (key === KEYS.view && question.subject.kind !== 'limit')
        err.write(`${key}\n${showQuestion(prompt, true)}\n${keys}`);
      else if (key === KEYS.review || isScope(key) || (key === KEYS.edit && question.subject.kind === 'plan'))
        err.write(`\n${keys}`);
      key = await readKey(prompt);
    }
    err.write('\n');
  }
}

/** Waits for a key that focuses the question, or answers it without the focus: then the key of the answer. */
async function readDirect({ question, keyboard, paint, signal }: Prompt): Promise<string | undefined> {
  const [yes, no] = question.subject.kind === 'limit' ? ['continues', 'stops'] : ['approves', 'rejects'];
  err.write(paint('bold', `[Tab answers, Alt-Y ${yes}, Alt-N ${no}, Ctrl-D decides later] `));
  for (;;) {
    const key = await keyboard.key(signal);
    if (key === 'tab' || key === 'up') return 'focus';
    if (key === 'alt-y') return KEYS.approve;
    if (key === 'alt-n') return KEYS.reject;
    if (key === 'ctrl-d') return KEYS.later;
    if (key === undefined || key === 'ctrl-c') return key;
  }
}

async function readKey({ keyboard, signal }: Prompt): Promise<string | undefined> {
  return (await keyboard.key(signal))?.toLowerCase();
}

function isScope(key: string | undefined): key is typeof KEYS.session | typeof KEYS.project {
  return key === KEYS.session || key === KEYS.project;
}

/** An answer for later calls too needs Enter. Undefined: another key. */
async function confirmScope(scope: 'session' | 'project', prompt: Prompt): Promise<Reply | undefined> {
  if (!canRemember(prompt.question)) return undefined;
  err.write(`${KEYS[scope]}\nAlways in this ${scope}: Enter confirms, another key goes back. `);
  return (await prompt.keyboard.key(prompt.signal)) === 'enter' ? { kind: 'approved', options: { scope } } : undefined;
}

function canRemember({ subject }: Question): boolean {
  return subject.kind === 'call' && subject.remember !== undefined;
}

function toKeys(question: Question): string {
  if (question.subject.kind === 'limit') return 'y continue, n stop, q decide later, Esc back';
  if (question.subject.kind === 'input') return 'y answer, n decline, q decide later, Esc back';
  const parts = question.subject.kind === 'plan' ? ', e edit' : hunksOf(question).length > 1 ? ', h hunk by hunk' : '';
  const scopes = canRemember(question) ? ', s approve in this session, p approve in this project' : '';
  return `y approve, n reject${parts}${scopes}, v view all, q decide later, Esc back`;
}

async function toReply(key: string | undefined, prompt: Prompt): Promise<Reply | undefined> {
  const { question } = prompt;
  switch (key) {
    case KEYS.approve:
      return question.subject.kind === 'input' ? answerFields(prompt, question.subject) : APPROVED;
    case KEYS.session:
      return await confirmScope('session', prompt);
    case KEYS.project:
      return await confirmScope('project', prompt);
    case KEYS.review: {
      if (hunksOf(question).length < 2) return undefined;
      err.write(`${key}\n`);
      const hunks = await askHunks(prompt);
      return hunks && { kind: 'approved', options: { hunks } };
    }
    case KEYS.edit:
      return editPlan(prompt);
    case KEYS.reject:
      return await askReason(prompt);
    case KEYS.later:
    case undefined:
      return { kind: 'later' };
    case 'ctrl-c':
      return { kind: 'interrupt' };
    default:
      return undefined;
  }
}

const APPROVED = { kind: 'approved', options: {} } as const;

async function answerFields(prompt: Prompt, question: InputQuestion): Promise<Reply> {
  err.write('y\n');
  const content = await askFields(question, prompt);
  if (content === 'ctrl-c') return { kind: 'interrupt' };
  if (content === undefined) return { kind: 'later' };
  return question.fields.length === 0 ? APPROVED : { kind: 'approved', options: { content } };
}

/** Opens a plan in the editor, and accepts what is saved. Undefined: back to the question. */
function editPlan({ question: { subject }, keyboard }: Prompt): Reply | undefined {
  if (subject.kind !== 'plan') return undefined;
  keyboard.pause();
  const plan = editText(subject.plan, 'plan.md');
  keyboard.resume();
  return plan === undefined ? undefined : { kind: 'approved', options: { plan } };
}

/** Asks for a reason for the model, which can be empty. */
async function askReason({ question, keyboard, paint, signal }: Prompt): Promise<Reply> {
  err.write('n\n');
  if (question.subject.kind === 'limit' || question.subject.kind === 'input') return { kind: 'rejected', options: {} };
  const reason = await keyboard.line(paint('bold', 'Reason, or Enter for none: '), { signal });
  if (reason === undefined) return { kind: 'later' };
  if (reason === 'ctrl-c') return { kind: 'interrupt' };
  return { kind: 'rejected', options: reason.trim() === '' ? {} : { note: reason.trim() } };
}

/** Asks about each hunk: y, n, e (edit it), a and x (this and all later ones). Undefined: back to the question. */
async function askHunks({ question, keyboard, paint, signal }: Prompt): Promise<HunkAnswer | undefined> {
  const hunks = hunksOf(question);
  const accepted: string[] = [];
  const edited: { id: string; text: string }[] = [];
  let isRestAccepted = false;
  for (let at = 0; at < hunks.length; at++) {
    const hunk = hunks[at]!;
    // What is not shown needs an answer of its own.
    if (isRestAccepted && !isHidden(hunk)) {
      accepted.push(hunk.id);
      continue;
    }
    const canEdit = isEditable(hunk);
    const keys = `y accept, n reject${canEdit ? ', e edit' : ''}, a accept the rest, x reject the rest, q back`;
    err.write(
      `${paint('bold', `${at + 1} of ${hunks.length}: ${toPrintable(hunk.path)}`)}\n` +
        `${paintDiff(toPrintable(renderHunk(hunk)).trimEnd(), paint)}\n${paint('bold', `[${keys}] `)}`,
    );
    const key = (await keyboard.key(signal))?.toLowerCase();
    err.write(`${key === 'ctrl-c' ? '^C' : (key ?? '')}\n`);
    if (key === KEYS.approve) accepted.push(hunk.id);
    else if (key === KEYS.acceptRest) {
      accepted.push(hunk.id);
      isRestAccepted = true;
    } else if (key === KEYS.rejectRest) break;
    else if (key === KEYS.edit && canEdit) {
      keyboard.pause();
      const text = editText(toNewText(hunk), 'hunk');
      keyboard.resume();
      if (text === undefined) at--;
      else edited.push({ id: hunk.id, text });
    } else if (key === KEYS.later || key === 'ctrl-c' || key === undefined) return undefined;
    else if (key !== KEYS.reject) at--;
  }
  return { accepted, ...(edited.length > 0 ? { edited } : {}) };
}

/** Opens the editor of the user with a text. Undefined if it failed. */
function editText(text: string, name: string): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-edit-'));
  const file = join(folder, name);
  try {
    writeFileSync(file, text);
    if (!openEditor(file)) {
      err.write('The text is unchanged.\n');
      return undefined;
    }
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The question with the information that is needed to decide, safe for a terminal. */
function showQuestion({ question, paint, plain }: Prompt, all: boolean): string {
  const { subject } = question;
  const lines = [`${plain ? 'Question: ' : paint('yellow', '? ')}${paint('bold', toPrintable(question.title))}`];
  if (question.chain) lines.push(paint('yellow', describeChain(question.chain)));
  lines.push(paint('dim', toPrintable(question.reason)));
  if (subject.kind === 'limit') return lines.join('\n');
  const max = all ? Number.POSITIVE_INFINITY : SHOWN_LINES;
  if (subject.kind === 'plan') return [...lines, shorten(toPrintable(subject.plan).trimEnd(), max)].join('\n');
  if (subject.kind === 'input') return [...lines, ...describeInput(subject)].join('\n');
  if (subject.command !== undefined) lines.push(shorten(`$ ${toPrintable(subject.command)}`, max));
  if (subject.kind === 'call' && subject.scripts)
    lines.push(shorten(`runs ${subject.scripts.map(({ path }) => toPrintable(path)).join('\nruns ')}`, max));
  const diff = diffOf(question);
  if (diff !== undefined) lines.push(paintDiff(shorten(toPrintable(diff).trimEnd(), max), paint));
  for (const { note } of hunksOf(question).filter(isHidden))
    lines.push(paint('yellow', `Content not shown: ${toPrintable(note ?? '')}`));
  return lines.join('\n');
}

function shorten(text: string, max: number): string {
  const lines = text.split('\n');
  if (lines.length <= max) return text;
  const rest = lines.length - max;
  return `${lines.slice(0, max).join('\n')}\n… ${formatCount(rest)} more line${rest === 1 ? '' : 's'}: v shows all of them`;
}
