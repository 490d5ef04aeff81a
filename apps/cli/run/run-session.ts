import type { Advance, OnAsk } from '@klaus/sdk';
import { toLine } from '@klaus/sdk/printable';
import type { FollowedSession, PromptRequest, SessionClient, SessionSummary } from '@klaus/sdk/client';
import type { Output } from '../output/output.ts';
import { canAsk } from '../output/show-output.ts';
import { err } from '../output/sink.ts';
import { CliError } from '../program/cli-error.ts';
import { EXIT, type ExitCode, outcomeToExitCode } from '../program/exit-codes.ts';
import { type Options, toOutputFormat } from '../program/options.ts';
import { toLimits } from '../program/run-options.ts';
import { HeldQuestions, type HeldQuestion } from './held-questions.ts';
import { printNextSteps } from './next-steps.ts';
import { createRunFacts, type RunFacts } from './run-facts.ts';
import { createStop, type Stop, type StopReason } from './stop.ts';

export interface RunSessionOptions {
  client: SessionClient;
  /** As it was before the request. Later events are shown. */
  session: Pick<SessionSummary, 'id' | 'lastSeq' | 'mode'>;
  show: Options;
  output: Output;
  /** True if a user at this terminal answers approvals. */
  asks: boolean;
  /** What was sent to the session, if another process can take it. */
  sent?: 'message' | 'answer';
  /** False: do not print the command that continues the session. Default true. */
  showCommand?: boolean;
}

/**
 * Works on a session, or follows the work of a server, until nothing is left to do here. Shows what happens, asks for
 * approvals at the terminal, and prints how to continue.
 *
 * @returns The exit code.
 * @throws CliError `store.busy` if another process holds the session and nothing was sent.
 */
export async function runSession(options: RunSessionOptions): Promise<number> {
  const { client, output, sent, showCommand = true } = options;
  const { id } = options.session;
  const { result, facts, stopped } = await follow(options);
  if (result.state === 'busy') {
    if (sent) {
      noteHandedOver(output, { session: id, sent });
      return EXIT.done;
    }
    throw new CliError('store.busy', `Another process is working on session ${id}.`, {
      hint: `Send it a message with \`klaus message ${id} "text"\`, stop it with \`klaus interrupt ${id}\`, or wait.`,
    });
  }
  const isPrompt = sent === 'message';
  printNextSteps(output, { result, session: id, facts, isPrompt, at: client.at, showCommand });
  await printLeftovers(options);
  return toExit(result, { stopped, failure: facts.failure?.code });
}

/** Prints that the process that holds the session takes what was sent. */
function noteHandedOver(output: Output, given: { session: string; sent: 'message' | 'answer' }): void {
  output.note(`The ${given.sent} waits in session ${given.session}: the process that holds it takes it.`);
}

async function follow(options: RunSessionOptions) {
  const { client, session, output, show } = options;
  const { facts, add } = createRunFacts({ asks: options.asks, mode: session.mode });
  const questions = new HeldQuestions();
  const followed = await client.follow({
    session: session.id,
    after: session.lastSeq,
    onEvent(event) {
      add(event);
      output.event(event);
      const asked = questions.add(event);
      if (asked && !options.asks) noteHeld(output, asked.approval);
    },
    onEarlierEvent: output.recall,
    onLive: output.live,
    onConnection(text) {
      // It is reported also if standard output has events only.
      if (toOutputFormat(show) !== 'text') err.write(`klaus: ${text}\n`);
      else output.note(text, 'warn');
    },
  });
  try {
    using stop = createStop({
      output,
      message: `Cancelling. Ctrl-C again exits at once${client.server === undefined ? '' : '; the run then continues on the server'}.`,
      timeoutMs: show.timeout === undefined ? undefined : show.timeout * 1_000,
      send: (reason) => followed.cancel(reason),
    });
    const ended = await waitAndAsk(options, { followed, stop, questions });
    // Another process may have ended the run between the command and the claim.
    const result = ended.state === 'idle' && facts.ended ? { finished: facts.ended, ...ended } : ended;
    // If it fails, the run remains in the list of what needs the user; its outcome is the same.
    if (facts.ended) await client.markSeen(session.id, facts.ended.seq).catch(() => {});
    return { result, facts, stopped: stop.reason };
  } finally {
    await followed[Symbol.asyncDispose]();
    output.settle();
  }
}

interface Asking {
  followed: FollowedSession;
  stop: Stop;
  questions: HeldQuestions;
}

async function waitAndAsk(options: RunSessionOptions, asking: Asking): Promise<Advance> {
  const { output, asks } = options;
  const { followed, stop } = asking;
  for (;;) {
    const result = await waitAndAnswer(options, asking);
    if (result.state !== 'parked') return result;
    if (stop.signal.aborted) {
      // The cancellation may have come while the session was being parked.
      await stop.sent();
      if (await followed.isRunnable()) continue;
      return result;
    }
    const question = result.approvals[0];
    if (!asks || question === undefined) return result;
    output.settle();
    const signal = AbortSignal.any([stop.signal, followed.untilAnswered(question.approval)]);
    if (!(await answerQuestion(options, asking, { asked: question, signal }))) return result;
  }
}

/** Waits for the end of the work, and answers questions for which the run does not park. */
async function waitAndAnswer(options: RunSessionOptions, asking: Asking): Promise<Advance> {
  const { followed, stop, questions } = asking;
  const ended = followed.wait({ last: stop.signal });
  if (!options.asks) return ended;
  const over = new AbortController();
  const isOver = ended.then(
    () => over.abort(),
    () => over.abort(),
  );
  for (;;) {
    const question = await Promise.race([isOver, questions.next()]);
    if (!question) return ended;
    options.output.settle();
    const signal = AbortSignal.any([stop.signal, question.signal, over.signal]);
    const isAnswered = await answerQuestion(options, asking, { asked: question.asked, signal });
    if (!isAnswered) noteHeld(options.output, question.asked.approval);
  }
}

/** Prints how to answer a question for which the run does not park. */
function noteHeld(output: Output, approval: string): void {
  output.note(`The run waits for the answer: \`klaus approve ${approval}\` or \`klaus reject ${approval}\`.`);
}

/** False if the user answers it later. */
async function answerQuestion(
  { show }: RunSessionOptions,
  { followed, stop }: Asking,
  { asked, signal }: HeldQuestion,
): Promise<boolean> {
  // It loads the engine, which a client of a server has not loaded.
  const { askInTerminal } = await import('../prompt/approval-prompt.ts');
  const reply = await askInTerminal(asked, { plain: show.plain ?? false, signal });
  if (reply.kind === 'interrupt') stop.interrupt();
  else if (reply.kind !== 'later') await followed.answer(asked.approval, reply.kind, reply.options);
  else if (!signal.aborted) return false;
  await stop.sent();
  return true;
}

function toExit(
  result: Advance,
  {
    stopped,
    failure,
  }: { stopped: StopReason | undefined; failure: NonNullable<RunFacts['failure']>['code'] | undefined },
): ExitCode {
  const finished = result.state === 'idle' ? result.finished : undefined;
  // A run that ended before the cancellation arrived keeps its outcome.
  if (finished !== undefined && finished.outcome !== 'cancelled') return outcomeToExitCode(finished.outcome, failure);
  if (stopped === 'timeout') return EXIT.busy;
  if (stopped === 'interrupt') return EXIT.interrupted;
  if (finished !== undefined) return outcomeToExitCode(finished.outcome);
  // Nothing ran here, and 0 means success.
  return result.state === 'parked' ? EXIT.waiting : EXIT.failed;
}

async function printLeftovers({ client, session: { id }, output }: RunSessionOptions): Promise<void> {
  const { messages, processes } = await client.leftovers(id);
  if (messages > 0) {
    // Prompts that came for a cancelled run start no other run by themselves.
    const [what, it] = messages === 1 ? ['A message waits', 'it'] : [`${messages} messages wait`, 'them'];
    output.note(`${what} in session ${id}. \`klaus resume ${id}\` continues with ${it}.`);
  }
  for (const process of processes) {
    const name = `${id}/${process.id}`;
    const command = toLine(process.command, 80);
    output.note(
      `Background process ${process.id} continues: ${command}. Use \`klaus logs ${name}\` or \`klaus stop ${name}\`.`,
    );
  }
}

/** Whether a user at this terminal answers approvals. Without one, they are denied unless the user chose to wait. */
export function toOnAsk(options: Options, settings: { onAsk: OnAsk | undefined }): { onAsk: OnAsk; asks: boolean } {
  const chosen = options.onAsk ?? settings.onAsk;
  if (chosen) return { onAsk: chosen, asks: false };
  const asks = canAsk(options);
  return { onAsk: asks ? 'wait' : 'deny', asks };
}

/** Sends a prompt to an existing session, with the changes of the options, and works on it. Returns the exit code. */
export async function sendPrompt(
  prompt: Pick<PromptRequest, 'parts' | 'delivery' | 'onAsk' | 'untrusted'>,
  options: RunSessionOptions,
): Promise<number> {
  const { client, session, show, output } = options;
  const { isHandedOver } = await client.prompt(session.id, {
    ...prompt,
    waitForModelMs: show.waitForModel,
    pin: show.pin,
    model: show.model,
    mode: show.approve,
    limits: toLimits(show),
  });
  if (!isHandedOver) return runSession({ ...options, sent: 'message' });
  noteHandedOver(output, { session: session.id, sent: 'message' });
  return EXIT.done;
}
