import type { Event, EventOf, TreeChange } from '@klaus/sdk';
import { createFinalAnswer } from '../output/final-answer.ts';
import { createOutput } from '../output/show-output.ts';
import { out } from '../output/sink.ts';
import { isKlausError } from '../program/exit-codes.ts';
import type { Options } from '../program/options.ts';
import type { RunResult } from './open-run-result.ts';
import type { RunSessionOptions } from './run-session.ts';

type Finished = EventOf<'run.finished'>;

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

/** Collects a run, and prints it as one JSON document at its end. */
export function createResultDocument(options: Options): RunResult {
  const output = createOutput(options);
  const facts = createFacts();
  return {
    output: {
      ...output,
      event(event) {
        facts.add(event);
        output.event(event);
      },
    },
    async finish({ client, session }, exitCode) {
      const { finished, asked, answer } = facts;
      const last = finished.at(-1);
      const approvals = [...asked].map(([id, title]) => ({ id, title }));
      out.json(
        {
          session: session.id,
          outcome: approvals.length > 0 ? 'waiting' : (last?.outcome ?? null),
          exitCode,
          reason: last?.reason ?? null,
          answer: answer.text,
          ...toSums(finished),
          changedFiles: await findChangedFiles({ client, session, turns: facts.turns }),
          evidence: last?.evidence ?? [],
          claim: last?.claim ?? null,
          approvals,
          error: last?.error ?? null,
        },
        2,
      );
      return exitCode;
    },
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
