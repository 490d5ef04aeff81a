// Covers apps/server/http/openapi.ts, apps/server/handlers: the server answers as its OpenAPI document says, for any request.
// @module-tag long
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestServer } from '../fixtures/server.ts';

const PACKAGE = 'schemathesis==4.32.5';
/** Calls at least. One operation gets several hundred, of which most are invalid. */
const CALLS = 20_000;
/** For each operation, in addition to those that its schema leads to. */
const EXAMPLES = 190;
/** Operations that start a run, a session or programs with each valid call, which takes up to a second. */
const SLOW = [
  '^/api/(git/.+|checks|copies|local-models|sessions)$',
  '^/api/sessions/\\{id\\}/(branch|cancel|commit|compact|fork|prompt|resume|retry|verify)$',
].join('|');
const SLOW_EXAMPLES = 40;
/** Milliseconds for all calls: they need some minutes of two processors, and an hour where other work has these. */
const RUN_MS = 3_600_000;
/** Seconds for one call. A call without an answer ends the calls of its operation. */
const CALL_SECONDS = 300;
/**
 * Operations that run or download something outside of a session, change how the test reaches the server, or run on the
 * machine without a sandbox. Streams of events have no end.
 */
const EXCLUDED = '/(shell|push|clone|clones|demo|sign-in|sign-out|keys|configuration|settings|events)';
const CHECKS = ['not_a_server_error', 'response_schema_conformance', 'content_type_conformance'];

/** The program in a virtual environment of its own, installed once for each machine, or why it is not there. */
function provideSchemathesis(): { program: string; reason?: undefined } | { program?: undefined; reason: string } {
  const folder = join(homedir(), '.cache/klaus-test', PACKAGE);
  const program = join(folder, 'bin/schemathesis');
  if (existsSync(program)) return { program };
  const own = `${folder}.${process.pid}`;
  mkdirSync(own, { recursive: true });
  const steps = [
    ['python3', '-m', 'venv', own],
    [join(own, 'bin/pip'), 'install', '--quiet', '--only-binary=:all:', PACKAGE],
  ];
  for (const [command, ...words] of steps) {
    const { status, stderr } = spawnSync(command!, words, { encoding: 'utf8' });
    if (status === 0) continue;
    rmSync(own, { recursive: true, force: true });
    return { reason: `\`${PACKAGE}\` could not be installed: ${stderr?.trim().split('\n').at(-1) ?? 'no python3'}` };
  }
  // Its programs have the path of the folder in them.
  spawnSync('sed', ['-i', `1s|${own}|${folder}|`, join(own, 'bin/schemathesis')]);
  renameSync(own, folder);
  return { program };
}

const { program, reason } = provideSchemathesis();

const CONFIGURATION = `
[[operations]]
include-path-regex = '${SLOW}'
generation.max-examples = ${SLOW_EXAMPLES}
`;

interface Recorded {
  /** References of the document that lead nowhere: their operations are not tested. */
  SchemaAnalysisWarnings?: { warnings: unknown[] };
  NonFatalError?: { value: { type: string }; label: string };
  ScenarioFinished?: {
    recorder: {
      interactions?: Record<string, { response: { status_code: number } | null }>;
      checks?: Record<string, { name: string; status: string; failure_info: unknown }[]>;
    };
  };
}

test.skipIf(program === undefined)(
  `no call is answered by 5xx, or by what the document does not say${reason === undefined ? '' : ` (${reason})`}`,
  { timeout: RUN_MS + 60_000 },
  async () => {
    await using it = await startTestServer({
      files: { 'a.txt': 'one\n', 'src/b.ts': 'export const b = 1;\n' },
      script: {
        steps: [{ when: { turn: 0 }, reply: { calls: [{ name: 'read_file', input: { path: 'a.txt' } }] } }],
        fallback: { text: 'Done.' },
      },
    });
    await it.client.openSession({ body: { text: 'Read a.txt.' } });
    const report = join(it.place.home, 'calls.ndjson');
    const configuration = join(it.place.home, 'schemathesis.toml');
    writeFileSync(configuration, CONFIGURATION);
    const child = spawn(
      program!,
      [
        ...['--config-file', configuration],
        ...['run', `${it.server.url}/api/openapi.json`, '--header', `Authorization: Bearer ${it.server.token}`],
        ...['--exclude-path-regex', EXCLUDED, '--checks', CHECKS.join(',')],
        ...['--phases', 'examples,coverage,fuzzing', '--max-examples', String(EXAMPLES), '--seed', '1'],
        // The database of examples doubles the time, and is of no use in a new folder.
        ...['--workers', '2', '--generation-database', 'none'],
        ...['--no-shrink', '--continue-on-failure', '--warnings', 'off'],
        ...['--request-timeout', String(CALL_SECONDS)],
        ...['--report', 'ndjson', '--report-ndjson-path', report],
      ],
      { cwd: it.place.home, stdio: ['ignore', 'pipe', 'inherit'], timeout: RUN_MS },
    );
    child.stdout.resume();
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    let calls = 0;
    const errors: number[] = [];
    const failures: unknown[] = [];
    for (const line of readFileSync(report, 'utf8').split('\n')) {
      const recorded = line === '' ? {} : (JSON.parse(line) as Recorded);
      failures.push(...(recorded.SchemaAnalysisWarnings?.warnings ?? []));
      // A connection that is reset is one whose headers are too long.
      if (recorded.NonFatalError?.value.type === 'ReadTimeout') failures.push(recorded.NonFatalError);
      const found = recorded.ScenarioFinished;
      if (!found) continue;
      for (const { response } of Object.values(found.recorder.interactions ?? {})) {
        calls += 1;
        if (response && response.status_code >= 500) errors.push(response.status_code);
      }
      for (const [id, checks] of Object.entries(found.recorder.checks ?? {})) {
        // The parser of HTTP answers headers that are too long itself.
        if (found.recorder.interactions?.[id]?.response?.status_code === 431) continue;
        failures.push(...checks.filter(({ status }) => status === 'failure'));
      }
    }
    expect(failures.slice(0, 5)).toEqual([]);
    expect(errors).toEqual([]);
    expect(signal, 'it reached its limit of time').toBeNull();
    expect(calls).toBeGreaterThan(CALLS);
  },
);
