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
import { TooMuch, type Call, type Stdin, type Interpreter } from './interpreter.ts';
import type { CommandReading } from '../reading.ts';
import { finish, readRedirects } from './redirects.ts';
import { runCommand } from './run-command.ts';
import { copyScope, createScope, joinScopes, unite, type Scope } from './scope.ts';
import { walkTest } from './test-expression.ts';
import { hasMarks, isKnown, UNKNOWN, type Word } from '../expansion/word.ts';

export interface ReadOptions {
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
export function evaluateCommand(line: string, options: ReadOptions): CommandReading {
  const reading: CommandReading = { commands: [], problems: [] };
  const give = (reason: string) =>
    reading.problems.push({ rule: 'unreadable', reason: `could not be understood: ${reason}` });
  if (line.length > LONGEST_LINE) give(`longer than ${LONGEST_LINE} characters`);
  else if (hasMarks(line) || line.includes('\u0000')) give('it holds characters that no command needs');
  else {
    try {
      const scope = createScope(options.cwd ?? options.workspace);
      for (const [path, text] of options.files ?? []) if (!hasMarks(text)) scope.files.set(path, limit(text));
      createWalk(reading, scope).text(line, '', undefined);
    } catch (error) {
      // The parser and the walk meet whatever a model writes: what breaks them is asked about.
      give(error instanceof TooMuch ? error.message : 'the parser failed');
    }
  }
  return reading;
}

function createWalk(reading: CommandReading, scope: Scope): Interpreter {
  let steps = 0;
  let depth = 0;
  let substitutions = 0;
  const running: string[] = [];
  const walk: Interpreter = {
    reading,
    scope,
    via: [],
    status: undefined,
    step(cost = 1) {
      steps += cost;
      if (steps > MOST_STEPS) throw new TooMuch('it does more than can be followed');
    },
    report(problem) {
      if (!reading.problems.some((known) => known.reason === problem.reason)) reading.problems.push(problem);
    },
    inside(label, work) {
      if (depth >= DEEPEST) throw new TooMuch('it is nested too deeply');
      const before = walk.via;
      depth++;
      if (label !== '') walk.via = [...before, label];
      try {
        return work();
      } finally {
        depth--;
        walk.via = before;
      }
    },
    subshell(label, work) {
      const before = walk.scope;
      walk.scope = copyScope(before);
      try {
        return walk.inside(label ?? '', work);
      } finally {
        walk.scope = before;
      }
    },
    substitute(script, label) {
      return walk.subshell(label, () => walkScript(walk, script, undefined)).replace(/\n+$/, '');
    },
    toPath(script, operator) {
      const path = `/dev/fd/${60 + substitutions++}`;
      const feed = operator === '>' ? { text: UNKNOWN } : undefined;
      const text = walk.subshell(`${operator}(…)`, () => walkScript(walk, script, feed));
      walk.scope.files.set(path, text);
      return path;
    },
    text(text, label, feed) {
      walk.step(1 + text.length / 256);
      if ((text.match(/\$\(|`|[<>]\(/g)?.length ?? 0) > MOST_SUBSTITUTIONS)
        throw new TooMuch('it has too many substitutions');
      return walk.inside(label, () => walkScript(walk, parse(text), feed));
    },
    body(name, args, feed) {
      const body = walk.scope.functions.get(name);
      if (!body) return UNKNOWN;
      if (running.filter((other) => other === name).length > 2) {
        walk.report({ rule: 'fork-bomb', reason: `the function ${name} calls itself without an end that can be seen` });
        return UNKNOWN;
      }
      const before = walk.scope.positional;
      walk.scope.positional = [before[0] ?? '', ...args];
      running.push(name);
      try {
        return walk.inside(`${name}()`, () =>
          body.type === 'CompoundList' ? walkList(walk, body, feed) : walkNode(walk, body, feed),
        );
      } finally {
        running.pop();
        walk.scope.positional = before;
      }
    },
    run: (call) => runCommand(call, walk),
    record: (call, code) => record(walk, call, code),
    readFile: (path, feed) => readFile(walk, path, feed),
    writeFile: (path, text, append) => writeFile(walk, path, { text, append }),
  };
  return walk;
}

function walkScript(
  walk: Interpreter,
  script: Script & { errors?: readonly { message: string }[] | undefined },
  feed: Stdin | undefined,
): Word {
  const error = script.errors?.[0];
  if (error) walk.report({ rule: 'unreadable', reason: `could not be understood: ${error.message}` });
  return walkList(walk, script, feed);
}

function walkList(walk: Interpreter, list: CompoundList | Script, feed: Stdin | undefined): Word {
  let out = '';
  for (const statement of list.commands) {
    walk.step();
    if (statement.background) {
      out += walk.subshell(undefined, () => walkAndOr(walk, statement.command, feed));
      walk.status = 0;
    } else out += walkAndOr(walk, statement.command, feed);
    const { scope } = walk;
    if (scope.cwdsOnFailure) {
      // A `cd` that failed leaves the next statement where it was.
      if (!scope.errexit) scope.cwds = unite(scope.cwds, scope.cwdsOnFailure);
      scope.cwdsOnFailure = undefined;
    }
  }
  return limit(out);
}

function walkAndOr(walk: Interpreter, node: AndOr | PipelineNode, feed: Stdin | undefined): Word {
  if (node.type !== 'AndOr') return walkNode(walk, node, feed);
  let out = '';
  // The chain goes on where its parts succeeded; behind it, any of them may have failed.
  const failures: Scope[] = [];
  for (const [at, part] of node.commands.entries()) {
    const operator = node.operators[at - 1];
    if (operator === undefined) {
      out += walkNode(walk, part, feed);
      continue;
    }
    if (operator === '&&' && walk.status === 0) {
      out += walkNode(walk, part, feed);
      continue;
    }
    const before = copyScope(walk.scope);
    if (operator === '||') {
      if (walk.scope.cwdsOnFailure) walk.scope.cwds = walk.scope.cwdsOnFailure;
      const leaves = part.type === 'Command' && /^(?:exit|return)$/.test(part.name?.value ?? '');
      out += walkNode(walk, part, feed);
      if (leaves) {
        walk.scope.cwds = before.cwds;
        walk.scope.cwdsOnFailure = undefined;
      } else joinScopes(walk.scope, before);
    } else {
      failures.push(before);
      out += walkNode(walk, part, feed);
      continue;
    }
    walk.status = undefined;
  }
  if (failures.length === 0) return out;
  const { cwds } = walk.scope;
  for (const failure of failures) joinScopes(walk.scope, failure);
  walk.scope.cwdsOnFailure = unite(walk.scope.cwds, failures.at(-1)?.cwdsOnFailure ?? []);
  walk.scope.cwds = cwds;
  walk.status = undefined;
  return out;
}

/** Walks branches of which one runs: each from the same beginning. */
function walkBranches(walk: Interpreter, branches: (() => Word)[]): Word {
  const start = walk.scope;
  let joined: Scope | undefined;
  let out = '';
  for (const branch of branches) {
    walk.scope = copyScope(start);
    const text = branch();
    out = out === '' || out === text ? text : text === '' ? out : UNKNOWN;
    if (joined) joinScopes(joined, walk.scope);
    else joined = walk.scope;
  }
  walk.scope = start;
  if (joined) Object.assign(start, joined);
  walk.status = undefined;
  return out;
}

function walkNode(walk: Interpreter, node: CommandNode | PipelineNode | CompoundList, feed: Stdin | undefined): Word {
  walk.step();
  switch (node.type) {
    case 'Command':
      return walkCommand(walk, node, feed);
    case 'CompoundList':
      return walkList(walk, node, feed);
    case 'Pipeline': {
      if (node.commands.length === 1 && node.commands[0]) {
        const out = walkNode(walk, node.commands[0], feed);
        walk.status = undefined;
        return out;
      }
      let next = feed;
      for (const command of node.commands) {
        const from = next;
        next = { text: walk.subshell(undefined, () => walkNode(walk, command, from)) };
      }
      walk.status = undefined;
      return next?.text ?? '';
    }
    case 'Function':
      walk.scope.functions.set(node.name.value, node.body);
      walk.status = 0;
      if (/^command_not_found_handler?$/.test(node.name.value)) walk.body(node.name.value, [UNKNOWN], undefined);
      return '';
    case 'Coproc':
      return walk.subshell('coproc', () => walkNode(walk, node.body, { text: UNKNOWN }));
    case 'Redirected': {
      const redirects = readRedirects(walk, node.redirects, feed);
      if (redirects.list.length > 0)
        walk.record({ argv: [], feed: undefined, assignments: [], redirects: redirects.list });
      return finish(walk, walkCompound(walk, node.command, redirects.feed), redirects.list);
    }
    default:
      return walkCompound(walk, node, feed);
  }
}

function walkCompound(walk: Interpreter, node: CompoundCommand, feed: Stdin | undefined): Word {
  switch (node.type) {
    case 'BraceGroup':
      return walkList(walk, node.body, feed);
    case 'Subshell':
      return walk.subshell(undefined, () => walkList(walk, node.body, feed));
    case 'If': {
      let out = walkList(walk, node.clause, feed);
      for (const branch of node.elif) out += walkList(walk, branch.clause, feed);
      const lists = [node.then, ...node.elif.map((branch) => branch.then), node.else];
      return (
        out +
        walkBranches(
          walk,
          lists.map((list) => () => (list ? walkList(walk, list, feed) : '')),
        )
      );
    }
    case 'Case': {
      expandText(node.word, walk);
      for (const item of node.items) for (const pattern of item.pattern) expandText(pattern, walk);
      return walkBranches(walk, [...node.items.map((item) => () => walkList(walk, item.body, feed)), () => '']);
    }
    case 'For':
    case 'Select': {
      const words = node.wordlist?.flatMap((word) => expandWord(word, walk)) ?? walk.scope.positional.slice(1);
      const rounds = node.type === 'Select' || words.length > MOST_ROUNDS ? [UNKNOWN] : words;
      let out = '';
      for (const word of rounds) {
        walk.scope.variables.set(node.name.value, word);
        out += walkList(walk, node.body, feed);
      }
      walk.status = undefined;
      return limit(out);
    }
    case 'While': {
      let out = '';
      for (let round = 0; round < MOST_ROUNDS; round++) {
        out += walkList(walk, node.clause, feed);
        if (node.kind === 'while' && walk.status === 1) break;
        // Nothing tells when it ends: twice shows what one round leaves for the next.
        const endless = walk.status !== 0 || !feed || !isKnown(feed.text);
        out += walkList(walk, node.body, feed);
        if (endless && round >= 1) break;
      }
      walk.status = undefined;
      return limit(out);
    }
    case 'ArithmeticFor': {
      expandArithmetic(node.initialize, walk);
      let out = '';
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const test = node.test ? expandArithmetic(node.test, walk) : UNKNOWN;
        if (test === '0') break;
        out += walkList(walk, node.body, feed);
        expandArithmetic(node.update, walk);
        if (!isKnown(test)) break;
      }
      walk.status = undefined;
      return limit(out);
    }
    case 'TestCommand':
      walkTest(node.expression, walk);
      walk.status = undefined;
      return '';
    case 'ArithmeticCommand':
      expandArithmetic(node.expression, walk);
      walk.status = undefined;
      return '';
  }
}

function walkCommand(walk: Interpreter, node: Command, feed: Stdin | undefined): Word {
  const argv: Word[] = [];
  if (node.name) argv.push(...expandWord(node.name, walk));
  for (const argument of node.args) argv.push(...readArgument(argument, walk));
  const redirects = readRedirects(walk, node.redirects, feed);
  const assignments: Call['assignments'] = [];
  const temporary = argv.length > 0;
  const before =
    temporary && node.prefix.some((item) => item.type === 'Assignment') ? new Map(walk.scope.variables) : undefined;
  walk.status = 0;
  for (const item of node.prefix) {
    if (item.type !== 'Assignment') continue;
    const value = assign(item, walk);
    assignments.push({ name: item.name, value });
  }
  const call: Call = { argv, feed: redirects.feed, assignments, redirects: redirects.list };
  let out = '';
  if (temporary) {
    walk.status = undefined;
    out = walk.run(call);
  } else if (call.assignments.length > 0 || call.redirects.length > 0) {
    walk.record(call);
    // `$(<file)` prints the file.
    if (call.assignments.length === 0 && redirects.list.some(({ operator }) => operator === '<'))
      out = redirects.feed?.text ?? '';
  }
  if (before) for (const { name } of assignments) restore(walk.scope, name, before);
  return finish(walk, limit(out), redirects.list);
}

function restore(scope: Scope, name: string, before: Map<string, Word | Word[]>): void {
  const value = before.get(name);
  if (value === undefined) scope.variables.delete(name);
  else scope.variables.set(name, value);
}
