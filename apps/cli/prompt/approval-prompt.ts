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
 * Shows a question in the terminal and reads one key: y, n (and then a reason), h (hunk by hunk), s or p (also for later
 * calls), d (show everything again) or q.
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
  const keys = paint('bold', `[${toKeys(question)}] `);
  err.write(`${showQuestion(prompt, false)}\n${keys}`);
  for (;;) {
    const key = (await keyboard.key(options.signal))?.toLowerCase();
    const reply = await toReply(key, prompt);
    if (reply) {
      // With these keys the answers are on the screen already.
      if (key !== 'h' && key !== 'n' && question.subject.kind !== 'input')
        err.write(`${reply.kind === 'interrupt' ? '^C' : (key ?? '')}\n`);
      return reply;
    }
    if (key === 'd' && question.subject.kind !== 'limit') err.write(`d\n${showQuestion(prompt, true)}\n${keys}`);
    else if (key === 'h' || (key === 'e' && question.subject.kind === 'plan')) err.write(keys);
  }
}

function canRemember({ subject }: Question): boolean {
  return subject.kind === 'call' && subject.remember !== undefined;
}

function toKeys(question: Question): string {
  if (question.subject.kind === 'limit') return 'y continue, n stop, q decide later';
  if (question.subject.kind === 'input') return 'y answer, n decline, q decide later';
  const parts = question.subject.kind === 'plan' ? ', e edit' : hunksOf(question).length > 1 ? ', h hunk by hunk' : '';
  const scopes = canRemember(question) ? ', s approve in this session, p approve in this project' : '';
  return `y approve, n reject${parts}${scopes}, d show again, q decide later`;
}

async function toReply(key: string | undefined, prompt: Prompt): Promise<Reply | undefined> {
  const { question } = prompt;
  switch (key) {
    case 'y':
      return question.subject.kind === 'input' ? answerFields(prompt, question.subject) : APPROVED;
    case 's':
      return canRemember(question) ? { kind: 'approved', options: { scope: 'session' } } : undefined;
    case 'p':
      return canRemember(question) ? { kind: 'approved', options: { scope: 'project' } } : undefined;
    case 'h': {
      if (hunksOf(question).length < 2) return undefined;
      err.write('h\n');
      const hunks = await askHunks(prompt);
      return hunks && { kind: 'approved', options: { hunks } };
    }
    case 'e':
      return editPlan(prompt);
    case 'n':
      return await askReason(prompt);
    case 'q':
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
    if (key === 'y') accepted.push(hunk.id);
    else if (key === 'a') {
      accepted.push(hunk.id);
      isRestAccepted = true;
    } else if (key === 'x') break;
    else if (key === 'e' && canEdit) {
      keyboard.pause();
      const text = editText(toNewText(hunk), 'hunk');
      keyboard.resume();
      if (text === undefined) at--;
      else edited.push({ id: hunk.id, text });
    } else if (key === 'q' || key === 'ctrl-c' || key === undefined) return undefined;
    else if (key !== 'n') at--;
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
  return `${lines.slice(0, max).join('\n')}\n… ${formatCount(rest)} more line${rest === 1 ? '' : 's'}: d shows all of them`;
}
