import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Event, EventOf } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { openClient } from '../../client/open-client.ts';
import { demoFiles } from '../../demo/files.ts';
import { createPaint, paintDiff } from '../../output/paint.ts';
import { canAsk, createOutput } from '../../output/show-output.ts';
import { err } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { sandboxOption } from '../../program/run-options.ts';
import { runSession } from '../../run/run-session.ts';

/** Short enough to be the title of the session, so that no title is requested from the model. */
const PROMPT = 'The tests fail. Find the bug, fix it, run them again.';

export const command: LeafCommand = {
  name: 'demo',
  summary: 'run a scripted demo that fixes a small project',
  server: 'none',
  declare: (declared) =>
    declared
      .option('--live', 'use the configured model instead of the scripted one')
      .option('--keep', 'do not delete the demo folder')
      .option('--plain', 'words instead of symbols')
      .addOption(sandboxOption),
  run,
};

/**
 * The engine fixes a small project with a failing test: a model over HTTP, the gate, the tools, the sandbox and the log
 * are real. Only the text of the model is scripted, unless `--live` is given.
 */
async function run(options: Options & { live?: true }): Promise<number> {
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
      settings: { model: options.live ? undefined : 'scripted/demo', 'sandbox.driver': options.sandbox },
      onNotice: output.note,
    },
  );
  const folder = await prepareProject();
  let keep = true;
  try {
    const asks = canAsk(options);
    const parts = [{ type: 'text' as const, text: PROMPT }];
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

/** A copy of the demo project, committed to its own repository. */
async function prepareProject(): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-demo-')));
  cpSync(demoFiles.project, folder, { recursive: true });
  const identity = ['-c', 'user.name=Klaus demo', '-c', 'user.email=demo@localhost', '-c', 'commit.gpgsign=false'];
  // Hooks and templates of the user do not apply.
  const { toHostEnvironment } = await import('@klaus/sdk');
  const env = { ...toHostEnvironment(), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  try {
    for (const args of [
      ['init', '-q', '-b', 'main'],
      ['add', '-A'],
      [...identity, 'commit', '-q', '-m', 'Begin the demo project'],
    ]) {
      await promisify(execFile)('git', args, { cwd: folder, env });
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw new UsageError(
      `The demo needs git: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`,
      'Install it, on Debian and Ubuntu with `apt-get install -y git`.',
    );
  }
  return folder;
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
