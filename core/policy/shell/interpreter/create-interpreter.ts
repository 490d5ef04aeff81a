import { parse } from 'unbash';
import { findProgram, isGiven, readFile, record, writeFile } from './files.ts';
import { LimitError, type Interpreter } from './interpreter.ts';
import type { CommandEvaluation } from '../evaluation.ts';
import { runCommand } from './run-command.ts';
import { runList, runNode, runScript } from './run-script.ts';
import { copyScope, type Scope } from './scope.ts';
import { UNKNOWN } from '../expansion/word.ts';

const DEEPEST = 24;
const MOST_STEPS = 6_000;
const MOST_SUBSTITUTIONS = 200;

/** Creates an interpreter that adds commands and problems to `evaluation`. */
export function createInterpreter(evaluation: CommandEvaluation, scope: Scope): Interpreter {
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
      if (steps > MOST_STEPS) throw new LimitError('it has too many steps');
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
          reason: `the function ${name} calls itself without a visible end`,
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
    isGiven: (path) => isGiven(shell, path),
    findProgram: (name) => findProgram(shell, name),
  };
  return shell;
}
