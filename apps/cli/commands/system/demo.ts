import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EventOf, SandboxName, Session } from '@klaus/sdk';
import { demoFiles } from '../../demo/files.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { createPaint, paintDiff } from '../../output/paint.ts';
import { toPrintable } from '@klaus/sdk/printable';
import { UsageError } from '../../program/report-error.ts';
import { canAsk, createOutput } from '../../output/show-output.ts';
import { runSession } from '../../session/run-session.ts';
import { err } from '../../output/sink.ts';

/** Short enough to be the session's title, so that no model is asked for one. */
const PROMPT = 'The tests are red. Find the bug, mend it, run them again.';

export interface DemoOptions {
  live?: true;
  keep?: true;
  plain?: true;
  sandbox?: SandboxName;
}

/**
 * `klaus demo`: a small real project with a genuine failing test is mended by the whole loop: a model over
 * HTTP, the gate, the tools, the sandbox, the log. Only the model's words are prepared, unless `--live`.
 */
export async function demo(options: DemoOptions): Promise<number> {
  const live = options.live ?? false;
  // From a clone the program is the launcher at its root.
  const program = process.argv[1]?.endsWith('main.ts') ? './klaus' : 'klaus';
  err.write(
    live
      ? 'A live model mends this demo, and costs what it costs.\n'
      : `The model of this demo is scripted, everything else is real. With a live model: ${program} demo --live\n`,
  );
  const output = createOutput(options);
  await using klaus = await openKlaus({
    settings: { model: live ? undefined : 'scripted/demo', 'sandbox.driver': options.sandbox },
    onNotice: (text) => output.note(text),
  });
  const folder = await prepareProject();
  let keep = true;
  try {
    const session = await klaus.open({ workspace: folder });
    const asks = canAsk(options);
    await session.prompt(PROMPT, { onAsk: asks ? 'wait' : 'deny' });
    const exitCode = await runSession({ klaus, session, after: 0, show: options, output, asks, next: false });
    const passed = await showResult(session, options.plain ?? false);
    keep = options.keep === true || exitCode !== EXIT.done || !passed;
    err.write(`Folder: ${folder}${keep ? '' : ' (removed; --keep keeps it)'}\n`);
    err.write(`Every step: ${program} show ${session.id}\n`);
    return exitCode === EXIT.done && !passed ? EXIT.failed : exitCode;
  } catch (error) {
    // Nothing happened in it yet.
    keep = false;
    const { isKlausError, KlausError } = await import('@klaus/sdk');
    if (!isKlausError(error) || error.code !== 'sandbox.unavailable') throw error;
    const hint = `${error.hint ?? ''} Or, without any protection: ${program} demo --sandbox host`.trim();
    throw new KlausError(error.code, error.message, { hint, cause: error });
  } finally {
    if (!keep) rmSync(folder, { recursive: true, force: true });
  }
}

/** A copy of the demo project, committed to a repository of its own. */
async function prepareProject(): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-demo-')));
  cpSync(demoFiles.project, folder, { recursive: true });
  const identity = ['-c', 'user.name=Klaus demo', '-c', 'user.email=demo@localhost', '-c', 'commit.gpgsign=false'];
  // The user's own hooks and templates have no business here.
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
      'Install it, on Debian and Ubuntu with apt-get install -y git',
    );
  }
  return folder;
}

/** The diff and the last test run, both from the log. Returns whether that run passed. */
async function showResult(session: Session, plain: boolean): Promise<boolean> {
  const paint = createPaint(err, plain);
  const diffs = new Map<string, string>();
  let finished: EventOf<'run.finished'> | undefined;
  let tests: EventOf<'tool.finished'> | undefined;
  let sandbox = '';
  for await (const event of session.events()) {
    if (event.type === 'session.opened') sandbox = event.sandbox;
    if (event.type === 'tool.started' && event.diff !== undefined) diffs.set(event.call, event.diff);
    if (event.type === 'tool.finished' && event.outcome !== 'ok') diffs.delete(event.call);
    if (event.type === 'tool.finished' && event.name === 'run_tests') tests = event;
    if (event.type === 'run.finished') finished = event;
  }
  for (const diff of diffs.values()) err.write(`\n${paintDiff(toPrintable(diff).trimEnd(), paint)}\n`);
  const last = finished?.evidence.at(-1);
  const passed = tests?.outcome === 'ok' && last?.exitCode === 0;
  if (last === undefined) {
    err.write('\nNo test was run.\n');
    return false;
  }
  const where = sandbox === 'host' ? 'without a sandbox' : `in the ${sandbox} sandbox`;
  const result = `exit ${last.exitCode ?? 'by a signal'}: ${passed ? 'passed' : 'failed'}`;
  err.write(`\nLast test run, ${where}: ${toPrintable(last.command)}, ${result}\n`);
  return passed;
}
