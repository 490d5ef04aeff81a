import { evaluateCommand, isSecretFile, judgeCommand, placeOf, toRelative } from '../../policy/index.ts';
import type { RuleVerdict } from '../reviewer.ts';
import { findRole } from '../scope/file-role.ts';
import { readCall } from './read-call.ts';
import type { ReviewedCall } from './reviewed-call.ts';

/** Programs that only read, build or test, with the words that make them do more. */
const ORDINARY: Readonly<Record<string, RegExp | undefined>> = {
  ls: undefined,
  pwd: undefined,
  cat: undefined,
  head: undefined,
  tail: undefined,
  wc: undefined,
  echo: undefined,
  grep: undefined,
  rg: /^--pre/,
  diff: undefined,
  which: undefined,
  true: undefined,
  cd: undefined,
  sort: /^(?:-o|--output|--compress-program)/,
  cut: undefined,
  find: /^-(?:exec|execdir|ok|okdir|delete|fprint\w*|fls)$/,
  tsc: undefined,
  jest: undefined,
  vitest: undefined,
  pytest: undefined,
  mypy: undefined,
};

/** Second words of programs with several commands. */
const COMMANDS: Readonly<Record<string, RegExp>> = {
  git: /^(?:status|diff|log|show|blame|ls-files|rev-parse|describe|shortlog)$/,
  npm: /^(?:test|t|ls|outdated)$/,
  cargo: /^(?:check|build|test|clippy|fmt|tree)$/,
  go: /^(?:build|test|vet|list|version|env)$/,
};

/** Options of these programs that write a file, or run a program that they name. */
const WRITES = /^--?(?:o|output|exec|toolexec|vettool|ext-diff|textconv|config|C)(?:=|$)/;

/** Decides about a call whose effect its words show. The gate has judged it before. */
export function judgeToolCall(call: ReviewedCall): RuleVerdict | undefined {
  const read = readCall(call);
  switch (read.kind) {
    case 'search':
      return { outcome: 'pass', reason: 'It only searches.' };
    case 'read':
    case 'edit':
      return judgePath(read, call.root);
    case 'command':
      return judgeLine(read.command, call);
    case 'other':
      return undefined;
  }
}

function judgePath({ kind, path }: { kind: 'read' | 'edit'; path: string }, root: string): RuleVerdict | undefined {
  const relative = toRelative(path, root);
  if (relative === undefined) return undefined;
  if (isSecretFile(relative)) return { outcome: 'deny', reason: `${relative} is a secret file.` };
  if (kind === 'read') return { outcome: 'pass', reason: `It reads ${relative} in the project.` };
  const isOrdinary = placeOf(relative) === undefined && /^(?:code|test|docs)$/.test(findRole(relative));
  // Makefiles, hooks, package scripts and settings run later.
  if (!isOrdinary || /\.(?:sh|bash|ps1|bat|cmd|json|ya?ml|toml|mk|gradle)$|(?:^|\/)[^.]+$/.test(relative))
    return undefined;
  return { outcome: 'pass', reason: `It edits ${relative} in the project.` };
}

function judgeLine(command: string, { root, cwd }: ReviewedCall): RuleVerdict | undefined {
  const options = { workspace: root, cwd: cwd ?? root };
  const found = judgeCommand(command, options);
  if (found.verdict === 'deny') return { outcome: 'deny', reason: `${found.reason} (${found.rule}).` };
  if (found.verdict !== 'allow') return undefined;
  const { commands, problems } = evaluateCommand(command, options);
  // A program of the project with the name of an ordinary one.
  const isOwn = commands.some(({ name }) => command.split(/[\s;&|()'"`]+/).some((word) => word.endsWith(`/${name}`)));
  const isOrdinary =
    !isOwn &&
    problems.length === 0 &&
    commands.length > 0 &&
    commands.every(({ name, argv, assignments, redirects, via }) => {
      const words = argv.slice(1);
      const isKnown = Object.hasOwn(COMMANDS, name)
        ? COMMANDS[name]!.test(words[0] ?? '') && !words.some((word) => WRITES.test(word))
        : Object.hasOwn(ORDINARY, name) && !words.some((word) => ORDINARY[name]?.test(word) ?? false);
      return (
        isKnown &&
        assignments.length === 0 &&
        via.length === 0 &&
        words.every((word) => isInside(word, root)) &&
        redirects.every(({ operator, target }) => !operator.includes('>') || /^(?:\/dev\/null|\d)$/.test(target))
      );
    });
  return isOrdinary ? { outcome: 'pass', reason: 'It only reads, builds or tests in the project.' } : undefined;
}

/** False for a word that may name something outside the project, or a value that is only known when it runs. */
function isInside(word: string, root: string): boolean {
  if (/[\uE000\uE004]/.test(word) || word.startsWith('~') || /(?:^|[/=])\.\.(?:\/|$)/.test(word)) return false;
  const path = /^(?:--?[\w-]+=)?(\/.*)$/.exec(word)?.[1];
  return path === undefined || toRelative(path, root) !== undefined;
}
