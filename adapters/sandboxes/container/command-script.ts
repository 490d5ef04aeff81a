import type { ExecRequest } from '@klaus/core/agent';
import { quoteShellWord } from '@klaus/core/protocol';
import { toArguments } from '../paths.ts';
import { toScript } from '../process/prelude.ts';
import type { ProjectHome } from '../project-home.ts';

export interface ContainerCommand {
  workspace: string;
  cwd: string;
  project: Pick<ProjectHome, 'home'>;
  /** Variables of the user. */
  passed: Readonly<Record<string, string>>;
}

/** The script that runs a command of a request, for {@link COMMAND_SCRIPT}. */
export function toCommandScript(command: ContainerCommand, request: ExecRequest): string {
  const { project, workspace, cwd, passed } = command;
  const env = { HOME: project.home, USER: 'klaus', TERM: 'dumb', TMPDIR: '/tmp', LANG: 'C.UTF-8', ...request.env };
  const variables = Object.entries({ ...passed, ...env });
  const isName = (name: string) => /^[A-Za-z_]\w*$/.test(name);
  const exports = variables.flatMap(([name, value]) =>
    isName(name) ? [`export ${name}=${quoteShellWord(value)}`] : [],
  );
  // A shell cannot export these.
  const others = variables.flatMap(([name, value]) => (isName(name) ? [] : [`${name}=${value}`]));
  const words = [...(others.length > 0 ? ['env', ...others] : []), ...toArguments(request)];
  const path = `export PATH=${quoteShellWord(`${workspace}/node_modules/.bin`)}:"$PATH"`;
  return [...exports, path, toScript(cwd, words, { hasInput: request.stdin !== undefined })].join('\n');
}
