import type { Check, CheckEnvironment, Evidence } from '../../protocol/index.ts';
import type { State } from '../state/state.ts';

/** Names of programs on the path that start a check. */
export function toPrograms(command: string, checks: readonly Check[] = []): string[] {
  const named = [...command.matchAll(/[\w.@+-]+/g)].map(([word]) => word);
  const starters = named.filter((word) =>
    /^(?:npm|npx|pnpm|yarn|bun|deno|uv|poetry|make|bash|cargo|go|ruby|bundle|perl|prove|python[\d.]*|pytest)$/.test(
      word,
    ),
  );
  const runners = checks.map(({ runner }) =>
    runner.startsWith('script ') || runner === 'file' ? 'sh' : runner.split(' ')[0]!,
  );
  return [...new Set(['sh', 'bash', 'node', ...starters, ...runners])];
}

/** Adds the environment of a check to the session's state. The first value of each program is kept. */
export function foldEnvironment(state: State, seen: CheckEnvironment): void {
  const { path, shell, programs } = state.environment ?? seen;
  const known = new Set(programs.map(({ name }) => name));
  state.environment = { path, shell, programs: [...programs, ...seen.programs.filter(({ name }) => !known.has(name))] };
}

/** How the environment of a check differs from that of the session's first one; undefined if it does not. */
export function findOtherEnvironment({ environment }: Evidence, first: State['environment']): string | undefined {
  if (!environment) return undefined;
  const [planted] = environment.home;
  if (planted !== undefined)
    return `${planted} in the home folder, from which programs load code, was changed in this session`;
  const [left] = environment.left;
  if (left !== undefined) return `${left}, which checks load, was created by a session`;
  if (!first) return undefined;
  if (environment.path !== first.path) return 'PATH was changed in this session';
  if (environment.shell !== first.shell) return `scripts ran in ${environment.shell}, and before in ${first.shell}`;
  for (const { name, path, hash } of environment.programs) {
    const known = first.programs.find((program) => program.name === name);
    if (known && (known.path !== path || known.hash !== hash))
      return `${name} at ${path} is not the program of the first check of this session`;
  }
  return undefined;
}
