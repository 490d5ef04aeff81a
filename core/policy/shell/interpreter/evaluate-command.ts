import {
  parse,
  type Command,
  type CommandNode,
  type CompoundCommand,
  type CompoundList,
  type Script,
  type AndOr,
  type PipelineNode,
} from 'unbash';
import { expandArithmetic, expandText, expandWord } from '../expansion/expand.ts';
import { assign, readArgument } from './assign.ts';
import { limit, readFile, record, writeFile } from './files.ts';
import { LimitError, type Call, type Stdin, type Interpreter } from './interpreter.ts';
import type { CommandEvaluation } from '../evaluation.ts';
import { finish, readRedirects } from './redirects.ts';
import { runCommand } from './run-command.ts';
import { copyScope, createScope, joinScopes, unite, type Scope } from './scope.ts';
import { expandTest } from './test-expression.ts';
import { hasMarks, isKnown, UNKNOWN, type Word } from '../expansion/word.ts';

export interface EvaluateOptions {
  /** Absolute path. */
  workspace: string;
  /** Absolute path of the folder where the line runs; default: the workspace. */
  cwd?: string;
  /** Contents of files by absolute path: a script among them is followed. Default: none. */
  files?: ReadonlyMap<string, string>;
}

const LONGEST_LINE = 65_536;
const DEEPEST = 24;
const MOST_STEPS = 6_000;
const MOST_ROUNDS = 48;
const MOST_SUBSTITUTIONS = 200;

/** Reads a command line as a shell would run it, as far as that can be known without running it. Never throws. */
export function evaluateCommand(line: string, options: EvaluateOptions): CommandEvaluation {
  const evaluation: CommandEvaluation = { commands: [], problems: [] };
  const give = (reason: string) =>
    evaluation.problems.push({ rule: 'unreadable', reason: `could not be understood: ${reason}` });
  if (line.length > LONGEST_LINE) give(`longer than ${LONGEST_LINE} characters`);
  else if (hasMarks(line) || line.includes('\u0000')) give('it holds characters that no command needs');
  else {
    try {
      const scope = createScope(options.cwd ?? options.workspace);
      for (const [path, text] of options.files ?? []) if (!hasMarks(text)) scope.files.set(path, limit(text));
      createInterpreter(evaluation, scope).evaluate(line, '', undefined);
    } catch (error) {
      // The parser and the walk meet whatever a model writes: what breaks them is asked about.
      give(error instanceof LimitError ? error.message : 'the parser failed');
    }
  }
  return evaluation;
}

function createInterpreter(evaluation: CommandEvaluation, scope: Scope): Interpreter {
  let steps = 0;
  let depth = 0;
  let substitutions = 0;
  const running: string[] = [];
  const shell: Interpreter = {
    evaluation,
    scope,
    via: [],
    status: undefined,
    step(cost = 1) {
      steps += cost;
      if (steps > MOST_STEPS) throw new LimitError('it does more than can be followed');
    },
    report(problem) {
      if (!evaluation.problems.some((known) => known.reason === problem.reason)) evaluation.problems.push(problem);
    },
    inside(label, work) {
      if (depth >= DEEPEST) throw new LimitError('it is nested too deeply');
      const before = shell.via;
      depth++;
      if (label !== '') shell.via = [...before, label];
      try {
        return work();
      } finally {
        depth--;
        shell.via = before;
      }
    },
    subshell(label, work) {
      const before = shell.scope;
      shell.scope = copyScope(before);
      try {
        return shell.inside(label ?? '', work);
      } finally {
        shell.scope = before;
      }
    },
    substitute(script, label) {
      return shell.subshell(label, () => runScript(shell, script, undefined)).replace(/\n+$/, '');
    },
    toPath(script, operator) {
      const path = `/dev/fd/${60 + substitutions++}`;
      const stdin = operator === '>' ? { text: UNKNOWN } : undefined;
      const text = shell.subshell(`${operator}(…)`, () => runScript(shell, script, stdin));
      shell.scope.files.set(path, text);
      return path;
    },
    evaluate(text, label, stdin) {
      shell.step(1 + text.length / 256);
      if ((text.match(/\$\(|`|[<>]\(/g)?.length ?? 0) > MOST_SUBSTITUTIONS)
        throw new LimitError('it has too many substitutions');
      return shell.inside(label, () => runScript(shell, parse(text), stdin));
    },
    callFunction(name, args, stdin) {
      const body = shell.scope.functions.get(name);
      if (!body) return UNKNOWN;
      if (running.filter((other) => other === name).length > 2) {
        shell.report({
          rule: 'fork-bomb',
          reason: `the function ${name} calls itself without an end that can be seen`,
        });
        return UNKNOWN;
      }
      const before = shell.scope.positional;
      shell.scope.positional = [before[0] ?? '', ...args];
      running.push(name);
      try {
        return shell.inside(`${name}()`, () =>
          body.type === 'CompoundList' ? runList(shell, body, stdin) : runNode(shell, body, stdin),
        );
      } finally {
        running.pop();
        shell.scope.positional = before;
      }
    },
    run: (call) => runCommand(call, shell),
    record: (call, code) => record(shell, call, code),
    readFile: (path, stdin) => readFile(shell, path, stdin),
    writeFile: (path, text, append) => writeFile(shell, path, { text, append }),
  };
  return shell;
}

function runScript(
  shell: Interpreter,
  script: Script & { errors?: readonly { message: string }[] | undefined },
  stdin: Stdin | undefined,
): Word {
  const error = script.errors?.[0];
  if (error) shell.report({ rule: 'unreadable', reason: `could not be understood: ${error.message}` });
  return runList(shell, script, stdin);
}

function runList(shell: Interpreter, list: CompoundList | Script, stdin: Stdin | undefined): Word {
  let out = '';
  for (const statement of list.commands) {
    shell.step();
    if (statement.background) {
      out += shell.subshell(undefined, () => runAndOr(shell, statement.command, stdin));
      shell.status = 0;
    } else out += runAndOr(shell, statement.command, stdin);
    const { scope } = shell;
    if (scope.cwdsOnFailure) {
      // A `cd` that failed leaves the next statement where it was.
      if (!scope.errexit) scope.cwds = unite(scope.cwds, scope.cwdsOnFailure);
      scope.cwdsOnFailure = undefined;
    }
  }
  return limit(out);
}

function runAndOr(shell: Interpreter, node: AndOr | PipelineNode, stdin: Stdin | undefined): Word {
  if (node.type !== 'AndOr') return runNode(shell, node, stdin);
  let out = '';
  // The chain goes on where its parts succeeded; behind it, any of them may have failed.
  const failures: Scope[] = [];
  for (const [at, part] of node.commands.entries()) {
    const operator = node.operators[at - 1];
    if (operator === undefined) {
      out += runNode(shell, part, stdin);
      continue;
    }
    if (operator === '&&' && shell.status === 0) {
      out += runNode(shell, part, stdin);
      continue;
    }
    const before = copyScope(shell.scope);
    if (operator === '||') {
      if (shell.scope.cwdsOnFailure) shell.scope.cwds = shell.scope.cwdsOnFailure;
      const leaves = part.type === 'Command' && /^(?:exit|return)$/.test(part.name?.value ?? '');
      out += runNode(shell, part, stdin);
      if (leaves) {
        shell.scope.cwds = before.cwds;
        shell.scope.cwdsOnFailure = undefined;
      } else joinScopes(shell.scope, before);
    } else {
      failures.push(before);
      out += runNode(shell, part, stdin);
      continue;
    }
    shell.status = undefined;
  }
  if (failures.length === 0) return out;
  const { cwds } = shell.scope;
  for (const failure of failures) joinScopes(shell.scope, failure);
  shell.scope.cwdsOnFailure = unite(shell.scope.cwds, failures.at(-1)?.cwdsOnFailure ?? []);
  shell.scope.cwds = cwds;
  shell.status = undefined;
  return out;
}

/** Walks branches of which one runs: each from the same beginning. */
function runBranches(shell: Interpreter, branches: (() => Word)[]): Word {
  const start = shell.scope;
  let joined: Scope | undefined;
  let out = '';
  for (const branch of branches) {
    shell.scope = copyScope(start);
    const text = branch();
    out = out === '' || out === text ? text : text === '' ? out : UNKNOWN;
    if (joined) joinScopes(joined, shell.scope);
    else joined = shell.scope;
  }
  shell.scope = start;
  if (joined) Object.assign(start, joined);
  shell.status = undefined;
  return out;
}

function runNode(shell: Interpreter, node: CommandNode | PipelineNode | CompoundList, stdin: Stdin | undefined): Word {
  shell.step();
  switch (node.type) {
    case 'Command':
      return runSimpleCommand(shell, node, stdin);
    case 'CompoundList':
      return runList(shell, node, stdin);
    case 'Pipeline': {
      if (node.commands.length === 1 && node.commands[0]) {
        const out = runNode(shell, node.commands[0], stdin);
        shell.status = undefined;
        return out;
      }
      let next = stdin;
      for (const command of node.commands) {
        const from = next;
        next = { text: shell.subshell(undefined, () => runNode(shell, command, from)) };
      }
      shell.status = undefined;
      return next?.text ?? '';
    }
    case 'Function':
      shell.scope.functions.set(node.name.value, node.body);
      shell.status = 0;
      if (/^command_not_found_handler?$/.test(node.name.value))
        shell.callFunction(node.name.value, [UNKNOWN], undefined);
      return '';
    case 'Coproc':
      return shell.subshell('coproc', () => runNode(shell, node.body, { text: UNKNOWN }));
    case 'Redirected': {
      const redirects = readRedirects(shell, node.redirects, stdin);
      if (redirects.list.length > 0)
        shell.record({ argv: [], stdin: undefined, assignments: [], redirects: redirects.list });
      return finish(shell, runCompound(shell, node.command, redirects.stdin), redirects.list);
    }
    default:
      return runCompound(shell, node, stdin);
  }
}

function runCompound(shell: Interpreter, node: CompoundCommand, stdin: Stdin | undefined): Word {
  switch (node.type) {
    case 'BraceGroup':
      return runList(shell, node.body, stdin);
    case 'Subshell':
      return shell.subshell(undefined, () => runList(shell, node.body, stdin));
    case 'If': {
      let out = runList(shell, node.clause, stdin);
      for (const branch of node.elif) out += runList(shell, branch.clause, stdin);
      const lists = [node.then, ...node.elif.map((branch) => branch.then), node.else];
      return (
        out +
        runBranches(
          shell,
          lists.map((list) => () => (list ? runList(shell, list, stdin) : '')),
        )
      );
    }
    case 'Case': {
      expandText(node.word, shell);
      for (const item of node.items) for (const pattern of item.pattern) expandText(pattern, shell);
      return runBranches(shell, [...node.items.map((item) => () => runList(shell, item.body, stdin)), () => '']);
    }
    case 'For':
    case 'Select': {
      const words = node.wordlist?.flatMap((word) => expandWord(word, shell)) ?? shell.scope.positional.slice(1);
      const rounds = node.type === 'Select' || words.length > MOST_ROUNDS ? [UNKNOWN] : words;
      let out = '';
      for (const word of rounds) {
        shell.scope.variables.set(node.name.value, word);
        out += runList(shell, node.body, stdin);
      }
      shell.status = undefined;
      return limit(out);
    }
    case 'While': {
      let out = '';
      for (let round = 0; round < MOST_ROUNDS; round++) {
        out += runList(shell, node.clause, stdin);
        if (node.kind === 'while' && shell.status === 1) break;
        // Nothing tells when it ends: twice shows what one round leaves for the next.
        const endless = shell.status !== 0 || !stdin || !isKnown(stdin.text);
        out += runList(shell, node.body, stdin);
        if (endless && round >= 1) break;
      }
      shell.status = undefined;
      return limit(out);
    }
    case 'ArithmeticFor': {
      expandArithmetic(node.initialize, shell);
      let out = '';
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const test = node.test ? expandArithmetic(node.test, shell) : UNKNOWN;
        if (test === '0') break;
        out += runList(shell, node.body, stdin);
        expandArithmetic(node.update, shell);
        if (!isKnown(test)) break;
      }
      shell.status = undefined;
      return limit(out);
    }
    case 'TestCommand':
      expandTest(node.expression, shell);
      shell.status = undefined;
      return '';
    case 'ArithmeticCommand':
      expandArithmetic(node.expression, shell);
      shell.status = undefined;
      return '';
  }
}

function runSimpleCommand(shell: Interpreter, node: Command, stdin: Stdin | undefined): Word {
  const argv: Word[] = [];
  if (node.name) argv.push(...expandWord(node.name, shell));
  for (const argument of node.args) argv.push(...readArgument(argument, shell));
  const redirects = readRedirects(shell, node.redirects, stdin);
  const assignments: Call['assignments'] = [];
  const temporary = argv.length > 0;
  const before =
    temporary && node.prefix.some((item) => item.type === 'Assignment') ? new Map(shell.scope.variables) : undefined;
  shell.status = 0;
  for (const item of node.prefix) {
    if (item.type !== 'Assignment') continue;
    const value = assign(item, shell);
    assignments.push({ name: item.name, value });
  }
  const call: Call = { argv, stdin: redirects.stdin, assignments, redirects: redirects.list };
  let out = '';
  if (temporary) {
    shell.status = undefined;
    out = shell.run(call);
  } else if (call.assignments.length > 0 || call.redirects.length > 0) {
    shell.record(call);
    // `$(<file)` prints the file.
    if (call.assignments.length === 0 && redirects.list.some(({ operator }) => operator === '<'))
      out = redirects.stdin?.text ?? '';
  }
  if (before) for (const { name } of assignments) restore(shell.scope, name, before);
  return finish(shell, limit(out), redirects.list);
}

function restore(scope: Scope, name: string, before: Map<string, Word | Word[]>): void {
  const value = before.get(name);
  if (value === undefined) scope.variables.delete(name);
  else scope.variables.set(name, value);
}
