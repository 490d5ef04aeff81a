import { relative } from 'node:path';
import { optional } from '@klaus/core/optional';
import { readChecks } from '@klaus/core/policy';
import { isKlausError, type Check, type CheckKind, type Receipt } from '@klaus/core/protocol';
import type { ExecResult, ToolContext } from '@klaus/core/agent';
import { isEmpty, toTestSummary, type TestSummary } from '../test/test-summary.ts';
import { isFile } from './package-json.ts';

/** Exit codes of a shell for a program that is missing or not executable. */
const NOT_RUN: ReadonlySet<number | null> = new Set([126, 127]);
const MANAGER = /\b(?:npm|pnpm|yarn|bun)\b/;
const MAX_PACKAGE = 1024 * 1024;

export interface CheckedCommand {
  command: string;
  result: Pick<ExecResult, 'exitCode' | 'timedOut'>;
  /** Its output, for the counts of tests. */
  text?: string;
  summary?: TestSummary;
  /** Absolute working folder. Default: the workspace. */
  cwd?: string;
  /** For tools that are always a check. */
  as?: { kind: CheckKind; runner: string };
}

/**
 * The evidence of a command, determined from the command and not from the words of the model. Undefined for a command that
 * is not a check.
 */
export async function toEvidence(
  context: Pick<ToolContext, 'workspace'>,
  { command, result, text = '', summary, cwd, as }: CheckedCommand,
): Promise<Omit<Receipt, 'tree' | 'left'> | undefined> {
  const folder = cwd === undefined ? '' : relative(context.workspace.root, cwd).replaceAll('\\', '/');
  const { root } = context.workspace;
  // A command without a package manager does not depend on package.json.
  const scripts = MANAGER.test(command) ? await readScripts(context, command, folder) : new Map<string, never>();
  const read = readChecks(command, { cwd: folder, root, scriptsOf: (at) => scripts.get(at) });
  const known: Check[] = as ? [{ ...as, cwd: folder, paths: [], filters: [] }] : [];
  const checks = read?.checks ?? known;
  if (checks.length === 0) return undefined;
  const isTest = checks.some(({ kind }) => kind === 'test');
  const counted = isTest ? (summary ?? toTestSummary(text)) : undefined;
  const { exitCode } = result;
  let { doubt } = read ?? {};
  if (NOT_RUN.has(exitCode) && !result.timedOut) doubt ??= 'a program was not found, so nothing was checked';
  if (counted && exitCode === 0 && isEmpty(counted)) doubt ??= 'no test was run';
  return {
    command,
    exitCode,
    checks,
    doubt,
    ...(counted?.passed === undefined
      ? {}
      : {
          tests: {
            passed: counted.passed,
            failed: counted.failed ?? 0,
            skipped: counted.skipped ?? 0,
            ...optional({ assertions: counted.assertions }),
          },
        }),
  };
}

/** The scripts of the packages that a command may run: those of its folder and of folders in its arguments. */
async function readScripts(
  { workspace }: Pick<ToolContext, 'workspace'>,
  command: string,
  folder: string,
): Promise<Map<string, Record<string, string>>> {
  const found = new Map<string, Record<string, string>>();
  const named = [...command.matchAll(/(?:\bcd|--prefix[= ]|--cwd[= ]|--dir[= ]|-C)\s*['"]?([\w@./-]+)/g)].map(
    ([, path]) => (path!.startsWith(workspace.root) ? path!.slice(workspace.root.length) : path!),
  );
  const folders = ['', folder, ...named.flatMap((path) => [path, `${folder}/${path}`])];
  for (const each of new Set(folders.map(toPlain))) {
    const scripts = await readPackageScripts(workspace, each);
    if (scripts) found.set(each, scripts);
  }
  return found;
}

function toPlain(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

async function readPackageScripts(
  workspace: ToolContext['workspace'],
  folder: string,
): Promise<Record<string, string> | undefined> {
  const path = folder === '' ? 'package.json' : `${folder}/package.json`;
  try {
    if (!(await isFile({ workspace }, path))) return undefined;
    const text = Buffer.from(await workspace.read(path, { maxBytes: MAX_PACKAGE })).toString('utf8');
    const scripts = (JSON.parse(text) as { scripts?: Record<string, unknown> } | null)?.scripts ?? {};
    return Object.fromEntries(
      Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch (error) {
    // An unreadable package.json has no scripts.
    if (isKlausError(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
