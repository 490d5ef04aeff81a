import type { Event, EventOf, TreeChange } from '@klaus/sdk';
import { createFinalAnswer } from '../output/final-answer.ts';
import { createOutput } from '../output/show-output.ts';
import { err, out } from '../output/sink.ts';
import { CliError } from '../program/cli-error.ts';
import { EXIT, isKlausError } from '../program/exit-codes.ts';
import { type Options, toOutputFormat } from '../program/options.ts';
import type { OutputSchema } from './output-schema.ts';
import type { ResultRun, RunResult } from './run-result.ts';
import { type RunSessionOptions, sendPrompt } from './run-session.ts';

type Finished = EventOf<'run.finished'>;
type Facts = ReturnType<typeof createFacts>;

/** What the document needs of the events, in the order in which they arrive. */
function createFacts() {
  const answer = createFinalAnswer();
  const finished: Finished[] = [];
  const asked = new Map<string, string>();
  const turns = new Set<number>();
  return {
    answer,
    finished,
    /** Titles of open approvals, by id. */
    asked,
    /** Turns that could change files. */
    turns,
    add(event: Event): void {
      answer.add(event);
      if (event.type === 'run.finished') finished.push(event);
      else if (event.type === 'approval.asked') asked.set(event.approval, event.title);
      else if (event.type === 'approval.answered') asked.delete(event.approval);
      else if (event.type === 'workspace.snapshotted') turns.add(event.turn);
    },
  };
}

/** How often an answer that does not match the schema is asked for again. */
const MAX_CORRECTIONS = 2;

/** Collects a run, and prints its result at its end: one JSON document, or the answer that matches a schema. */
export async function createResultDocument(options: Options): Promise<RunResult> {
  const output = createOutput(options);
  const facts = createFacts();
  const schema = options.outputSchema === undefined ? undefined : await readSchema(options.outputSchema);
  if (schema && schema.warning !== '') output.note(schema.warning, 'warn');
  return {
    output: {
      ...output,
      event(event) {
        facts.add(event);
        output.event(event);
      },
    },
    parts: schema === undefined ? [] : [{ type: 'text', text: schema.prompt }],
    async finish(run, exitCode) {
      const { format, show } = { format: toOutputFormat(options), show: toShown(options) };
      const checked = schema && (await askUntilValid({ ...run, show }, { schema, facts, exitCode }));
      const code = checked?.exitCode ?? exitCode;
      if (format === 'json') out.json(await toDocument(run, { facts, exitCode: code, checked }), 2);
      else if (checked?.mistakes === null) out.json(checked.result, 2);
      else if (checked?.mistakes) err.write(`The answer does not match the schema:\n${toList(checked.mistakes)}`);
      return code;
    },
  };
}

interface Checked {
  exitCode: number;
  result: unknown;
  /** Null: the answer matches. Undefined: there is no answer to check. */
  mistakes: readonly string[] | null | undefined;
}

async function readSchema(path: string): Promise<OutputSchema & { correct: (mistakes: readonly string[]) => string }> {
  const { readOutputSchema, toCorrection } = await import('./output-schema.ts');
  return { ...readOutputSchema(path), correct: toCorrection };
}

/** Each correction is an ordinary prompt to the session. */
async function askUntilValid(
  run: ResultRun,
  given: { schema: Awaited<ReturnType<typeof readSchema>>; facts: Facts; exitCode: number },
): Promise<Checked> {
  const { schema, facts } = given;
  let { exitCode } = given;
  for (let corrections = 0; ; corrections++) {
    if (exitCode !== EXIT.done) return { exitCode, result: null, mistakes: undefined };
    if (facts.finished.length <= corrections) {
      throw new CliError('store.busy', `Another process answers in session ${run.session.id}.`, {
        hint: 'Its answer is not compared with the schema. Use a session that no other process holds.',
      });
    }
    const found = schema.read(facts.answer.text);
    if ('value' in found) return { exitCode, result: found.value, mistakes: null };
    if (corrections === MAX_CORRECTIONS) return { exitCode: EXIT.failed, result: null, mistakes: found.mistakes };
    run.output.note(`The answer does not match the schema: ${found.mistakes.join('; ')}`, 'warn');
    const session = await run.client.session(run.session.id);
    const parts = [{ type: 'text' as const, text: schema.correct(found.mistakes) }];
    exitCode = await sendPrompt({ parts, onAsk: run.onAsk, delivery: 'queue' }, { ...run, session });
  }
}

/** How runs are shown and limited in time, without what would change the session again. */
function toShown({ json, outputFormat, plain, raw, timeout, waitForModel }: Options): Options {
  return { json, outputFormat, plain, raw, timeout, waitForModel };
}

function toList(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}\n`).join('');
}

async function toDocument(
  { client, session }: ResultRun,
  { facts, exitCode, checked }: { facts: Facts; exitCode: number; checked: Checked | undefined },
) {
  const { finished, asked, answer } = facts;
  const last = finished.at(-1);
  const approvals = [...asked].map(([id, title]) => ({ id, title }));
  return {
    session: session.id,
    outcome: approvals.length > 0 ? 'waiting' : (last?.outcome ?? null),
    exitCode,
    reason: last?.reason ?? null,
    answer: answer.text,
    ...(checked === undefined ? {} : { result: checked.result, schemaErrors: checked.mistakes ?? [] }),
    ...toSums(finished),
    changedFiles: await findChangedFiles({ client, session, turns: facts.turns }),
    evidence: last?.evidence ?? [],
    claim: last?.claim ?? null,
    approvals,
    error: last?.error ?? null,
  };
}

/** The figures of all runs of the command. The cost is null if one of them has no known price. */
function toSums(finished: readonly Finished[]) {
  const sum = (read: (event: Finished) => number): number => finished.reduce((total, event) => total + read(event), 0);
  return {
    usage: {
      input: sum(({ usage }) => usage.input),
      output: sum(({ usage }) => usage.output),
      cacheRead: sum(({ usage }) => usage.cacheRead),
      cacheWrite: sum(({ usage }) => usage.cacheWrite),
    },
    usd: finished.some(({ usd }) => usd === null) ? null : sum(({ usd }) => usd ?? 0),
    turns: sum(({ turns }) => turns),
    toolCalls: sum(({ toolCalls }) => toolCalls),
  };
}

/** The files that differ after these turns, in the order of their paths. */
async function findChangedFiles({
  client,
  session,
  turns,
}: Pick<RunSessionOptions, 'client' | 'session'> & { turns: ReadonlySet<number> }) {
  const files = new Map<string, Pick<TreeChange, 'before' | 'after'>>();
  for (const turn of [...turns].toSorted((a, b) => a - b)) {
    const changes = await client.changes(session.id, turn).then(
      (found) => found.changes,
      (error: unknown) => {
        // The turn had effects, and changed no file.
        if (isKlausError(error) && error.code === 'usage') return [];
        throw error;
      },
    );
    for (const { path, before, after } of changes)
      files.set(path, { before: files.has(path) ? files.get(path)!.before : before, after });
  }
  return [...files]
    .filter(([, { before, after }]) => JSON.stringify(before) !== JSON.stringify(after))
    .map(([path, { before, after }]) => ({
      path,
      kind: before === null ? 'created' : after === null ? 'deleted' : 'modified',
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
