import type { AndOr, Command, CommandNode, CompoundCommand, CompoundList, PipelineNode, Script } from 'unbash';
import { expandArithmetic, expandText, expandWord } from '../expansion/expand.ts';
import { assign, readArgument } from './assign.ts';
import { limit } from './files.ts';
import type { Call, Interpreter, Stdin } from './interpreter.ts';
import { finish, readRedirects } from './redirects.ts';
import { copyScope, joinScopes, unite, type Scope } from './scope.ts';
import { expandTest } from './test-expression.ts';
import { isKnown, UNKNOWN, type Word } from '../expansion/word.ts';

const MOST_ROUNDS = 48;

export function runScript(
  shell: Interpreter,
  script: Script & { errors?: readonly { message: string }[] },
  stdin: Stdin | undefined,
): Word {
  const error = script.errors?.[0];
  if (error) shell.report({ rule: 'unreadable', reason: `the command could not be parsed: ${error.message}` });
  return runList(shell, script, stdin);
}

export function runList(shell: Interpreter, list: CompoundList | Script, stdin: Stdin | undefined): Word {
  let out = '';
  for (const statement of list.commands) {
    shell.step();
    if (statement.background) {
      out += shell.subshell(undefined, () => runAndOr(shell, statement.command, stdin));
      shell.status = 0;
    } else out += runAndOr(shell, statement.command, stdin);
    const { scope } = shell;
    if (scope.cwdsOnFailure) {
      // If a `cd` fails, the next statement runs in the former folder.
      if (!scope.errexit) scope.cwds = unite(scope.cwds, scope.cwdsOnFailure);
      scope.cwdsOnFailure = undefined;
    }
  }
  return limit(out);
}

function runAndOr(shell: Interpreter, node: AndOr | PipelineNode, stdin: Stdin | undefined): Word {
  if (node.type !== 'AndOr') return runNode(shell, node, stdin);
  let out = '';
  // The chain continues while its parts succeed; after it, any of them may have failed.
  const failures: Scope[] = [];
  for (const [at, part] of node.commands.entries()) {
    const operator = node.operators[at - 1];
    if (operator === undefined || (operator === '&&' && shell.status === 0)) {
      out += runNode(shell, part, stdin);
      continue;
    }
    const before = copyScope(shell.scope);
    if (operator === '&&') {
      failures.push(before);
      out += runNode(shell, part, stdin);
      continue;
    }
    if (shell.scope.cwdsOnFailure) shell.scope.cwds = shell.scope.cwdsOnFailure;
    const leaves = part.type === 'Command' && /^(?:exit|return)$/.test(part.name?.value ?? '');
    out += runNode(shell, part, stdin);
    if (leaves) {
      shell.scope.cwds = before.cwds;
      shell.scope.cwdsOnFailure = undefined;
    } else joinScopes(shell.scope, before);
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

/** Runs branches of which one is taken, each from the same scope. */
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

export function runNode(
  shell: Interpreter,
  node: CommandNode | PipelineNode | CompoundList,
  stdin: Stdin | undefined,
): Word {
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
        // The end is not known: a second round shows the effect of the first.
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
  for (const { name } of before ? assignments : []) {
    const value = before?.get(name);
    if (value === undefined) shell.scope.variables.delete(name);
    else shell.scope.variables.set(name, value);
  }
  return finish(shell, limit(out), redirects.list);
}
