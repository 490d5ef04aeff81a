import { findObstacle } from '@klaus/adapters/system';
import type { Diagnostics, DiagnosticsOptions, EditedFile, FoundProblems, Problem } from '@klaus/core/agent';
import { findServer, type LanguageServer } from './language-servers.ts';
import type { CheckedProblem } from './problems.ts';
import { startServer, type ServerConnection } from './server-connection.ts';

/** A server that crashed this often is not started again in the session. */
const MAX_CRASHES = 2;
/** Maximum milliseconds in which a program shows that it runs. */
const PROBE_MS = 5_000;

/** The language servers of one session. Each starts with the first file of its language. */
export function openDiagnostics(options: DiagnosticsOptions): Diagnostics {
  const running = new Map<LanguageServer, ServerConnection>();
  const crashes = new Map<LanguageServer, number>();
  /** Servers that crashed, and whether their program can run at all. */
  const probed = new Map<LanguageServer, boolean>();
  const open = async (server: LanguageServer): Promise<ServerConnection | undefined> => {
    const known = running.get(server);
    if (known && known.ended === undefined) return known;
    if (known?.ended === 'missing' || probed.get(server) === false) return undefined;
    if (known) crashes.set(server, (crashes.get(server) ?? 0) + 1);
    if ((crashes.get(server) ?? 0) >= MAX_CRASHES) return undefined;
    const started = await startServer(server, options);
    running.set(server, started);
    return started;
  };
  /** Why the program of a server that crashed cannot run. Undefined: it runs, or this is already known. */
  const probe = async (server: LanguageServer, signal: AbortSignal): Promise<string | undefined> => {
    if (server.probe === undefined || probed.has(server)) return undefined;
    const exec = (command: string[]) =>
      options.exec({ command, stdin: '', keepBytes: 4_096, limits: { timeoutMs: PROBE_MS }, signal });
    const obstacle = await findObstacle(exec, server.program, server.probe);
    if (signal.aborted) return undefined;
    probed.set(server, obstacle === undefined);
    return obstacle?.reason;
  };
  const check = async ({ path, before, after }: EditedFile, signal: AbortSignal): Promise<FoundProblems> => {
    const found = findServer(path);
    const connection = found && (await open(found.server));
    if (!found || !connection) return NOTHING;
    const { language, server } = found;
    // A new file has no problems before.
    const old = before === '' ? [] : await connection.check({ path, language, text: before }, signal);
    const now = await connection.check({ path, language, text: after }, signal);
    if (old && now) {
      const problems = toNew(old, now).map((problem) => toProblem(problem, path, server.name));
      return { problems, obstacles: [] };
    }
    const reason = connection.ended === 'crashed' ? await probe(server, signal) : undefined;
    if (reason === undefined) return NOTHING;
    return { problems: [], obstacles: [`${path} was not checked: ${server.name} cannot run here: ${reason}`] };
  };
  return {
    async findNew(files, signal) {
      const all: FoundProblems[] = [];
      for (const file of files) all.push(await check(file, signal));
      return {
        problems: all.flatMap(({ problems }) => problems),
        obstacles: all.flatMap(({ obstacles }) => obstacles),
      };
    },
    async close() {
      const all = [...running.values()];
      for (const [server, { ended }] of running) if (ended !== 'missing') running.delete(server);
      await Promise.all(all.map((each) => each.close()));
    },
  };
}

const NOTHING: FoundProblems = { problems: [], obstacles: [] };

/** Errors and warnings that were not there before, wherever they were in the file. */
function toNew(old: readonly CheckedProblem[], now: readonly CheckedProblem[]): CheckedProblem[] {
  const counts = new Map<string, number>();
  for (const problem of old) counts.set(toKey(problem), (counts.get(toKey(problem)) ?? 0) + 1);
  return now.filter((problem) => {
    const left = counts.get(toKey(problem)) ?? 0;
    counts.set(toKey(problem), left - 1);
    return left <= 0;
  });
}

function toKey({ severity, code, message }: CheckedProblem): string {
  return JSON.stringify([severity, code ?? '', message]);
}

function toProblem({ line, column, severity, code, message }: CheckedProblem, path: string, server: string): Problem {
  return {
    path,
    line: line + 1,
    column: column + 1,
    severity: severity === 2 ? 'warning' : 'error',
    code,
    message,
    server,
  };
}
