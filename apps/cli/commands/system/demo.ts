import { rmSync } from 'node:fs';
import type { Event, EventOf } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { openClient } from '../../client/open-client.ts';
import { DEMO_MODEL, DEMO_PROMPT, prepareDemo } from '../../demo/prepare-demo.ts';
import { createPaint, paintDiff } from '../../output/paint.ts';
import { canAsk, createOutput } from '../../output/show-output.ts';
import { err } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { sandboxOption } from '../../program/run-options.ts';
import { runSession } from '../../run/run-session.ts';

export const command: LeafCommand = {
  name: 'demo',
  summary: 'run a scripted demo that fixes a small project',
  examples: ['klaus demo', 'klaus demo --live --keep'],
  server: 'none',
  declare: (declared) =>
    declared
      .option('--live', 'use the configured model instead of the scripted one')
      .option('--keep', 'do not delete the demo folder')
      .option('--plain', 'words instead of symbols')
      .addOption(sandboxOption),
  run: showDemo,
};

/**
 * The engine fixes a small project with a failing test: a model over HTTP, the gate, the tools, the sandbox and the log
 * are real. Only the text of the model is scripted, unless `--live` is given.
 */
export async function showDemo(options: Options & { live?: true }): Promise<number> {
  // In a clone, the program is the launcher at its root.
  const program = process.argv[1]?.endsWith('main.ts') ? './klaus' : 'klaus';
  err.write(
    options.live
      ? 'This demo uses the configured model, which costs money.\n'
      : `The model of this demo is scripted, everything else is real. With a real model: ${program} demo --live\n`,
  );
  const output = createOutput(options);
  await using client = await openClient(
    { server: 'local' },
    {
      settings: { model: options.live ? undefined : DEMO_MODEL, 'sandbox.driver': options.sandbox },
      onNotice: output.note,
    },
  );
  const folder = await prepareDemo();
  let keep = true;
  try {
    const asks = canAsk(options);
    const parts = [{ type: 'text' as const, text: DEMO_PROMPT }];
    const id = await client.open({ workspace: folder, parts, onAsk: asks ? 'wait' : 'deny' });
    const session = { id, lastSeq: 0, mode: null };
    const exitCode = await runSession({ client, session, show: options, output, asks, showCommand: false });
    const passed = await showResult(client.events(id), options.plain ?? false);
    keep = options.keep === true || exitCode !== EXIT.done || !passed;
    err.write(`Folder: ${folder}${keep ? '' : ' (deleted; `--keep` keeps it)'}\n`);
    err.write(`Every step: ${program} show ${id}\n`);
    return exitCode === EXIT.done && !passed ? EXIT.failed : exitCode;
  } catch (error) {
    // Nothing was done in it yet.
    keep = false;
    const { isKlausError, KlausError } = await import('@klaus/sdk');
    if (!isKlausError(error) || error.code !== 'sandbox.unavailable') throw error;
    const hint = `${error.hint ?? ''} Or run it without a sandbox: ${program} demo --sandbox host`.trim();
    throw new KlausError(error.code, error.message, { hint, cause: error });
  } finally {
    if (!keep) rmSync(folder, { recursive: true, force: true });
  }
}

/** Prints the diff and the last test run, both from the log. Returns whether that run passed. */
async function showResult(events: AsyncIterable<Event>, plain: boolean): Promise<boolean> {
  const paint = createPaint(err, plain);
  const diffs = new Map<string, string>();
  let finished: EventOf<'run.finished'> | undefined;
  let tests: EventOf<'tool.finished'> | undefined;
  let sandbox = '';
  for await (const event of events) {
    if (event.type === 'session.opened') sandbox = event.sandbox;
    if (event.type === 'tool.started' && event.diff !== undefined) diffs.set(event.call, event.diff);
    if (event.type === 'tool.finished' && event.outcome !== 'ok') diffs.delete(event.call);
    if (event.type === 'tool.finished' && event.name === 'run_tests') tests = event;
    if (event.type === 'run.finished') finished = event;
  }
  for (const diff of diffs.values()) err.write(`\n${paintDiff(toPrintable(diff).trimEnd(), paint)}\n`);
  const last = finished?.evidence.at(-1);
  if (last === undefined) {
    err.write('\nNo test was run.\n');
    return false;
  }
  const passed = tests?.outcome === 'ok' && last.exitCode === 0;
  const where = sandbox === 'host' ? 'without a sandbox' : `in the ${sandbox} sandbox`;
  const result = `exit ${last.exitCode ?? 'by a signal'}: ${passed ? 'passed' : 'failed'}`;
  err.write(`\nLast test run, ${where}: ${toPrintable(last.command)}, ${result}\n`);
  return passed;
}
