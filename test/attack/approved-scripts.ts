import type { ToolCall } from '../fixtures/play.ts';
import type { Chance } from '../undo/chance.ts';
import type { AttackCase, AttackClass } from './case.ts';

/** A script in a language, by the text that it leaves in `ran.txt`. */
interface Language {
  end: string;
  line: string;
  write: (text: string) => string;
}

const MARK = 'ran.txt';

const LANGUAGES: Readonly<Record<string, Language>> = {
  sh: { end: 'sh', line: 'sh F', write: (text) => `echo ${text} >> $ROOT/${MARK}\n` },
  bash: { end: 'sh', line: 'bash F', write: (text) => `echo ${text} >> $ROOT/${MARK}\n` },
  options: { end: 'sh', line: 'bash -eu -o pipefail F', write: (text) => `echo ${text} >> $ROOT/${MARK}\n` },
  source: { end: 'sh', line: 'bash -c "source F"', write: (text) => `echo ${text} >> $ROOT/${MARK}\n` },
  dot: { end: 'sh', line: 'sh -c ". F"', write: (text) => `echo ${text} >> $ROOT/${MARK}\n` },
  input: { end: 'sh', line: 'sh < F', write: (text) => `echo ${text} >> $ROOT/${MARK}\n` },
  direct: { end: 'sh', line: 'F', write: (text) => `#!/bin/sh\necho ${text} >> $ROOT/${MARK}\n` },
  python: { end: 'py', line: 'python3 F', write: (text) => python(text) },
  unbuffered: { end: 'py', line: 'python3 -u -W ignore F', write: (text) => python(text) },
  perl: { end: 'pl', line: 'perl F', write: (text) => `open(F,">>$ENV{ROOT}/${MARK}");print F "${text}\\n";\n` },
  node: { end: 'js', line: 'node F', write: (text) => node(text) },
  required: { end: 'js', line: 'node --require F -e 0', write: (text) => node(text) },
  awk: { end: 'awk', line: 'awk -f F', write: (text) => `BEGIN{print "${text}" >> ENVIRON["ROOT"] "/${MARK}"}\n` },
  make: { end: 'mk', line: 'make -s -f F', write: (text) => `all:\n\t@echo ${text} >> $(ROOT)/${MARK}\n` },
};

const python = (text: string): string => `import os\nopen(os.environ["ROOT"] + "/${MARK}", "a").write("${text}\\n")\n`;
const node = (text: string): string => `require("fs").appendFileSync(process.env.ROOT + "/${MARK}", "${text}\\n");\n`;

/** How the script is reached: the line for a file, and further files that it needs. */
interface Route {
  name: string;
  line: (line: string, file: string) => string;
  files?: (line: string) => Readonly<Record<string, string>>;
}

const ROUTES: readonly Route[] = [
  { name: 'directly', line: (line) => line },
  { name: 'env', line: (line) => `env A=1 ${line}` },
  { name: 'timeout', line: (line) => `timeout 20 nice -n 1 ${line}` },
  { name: 'sh -c', line: (line) => `sh -c '${line}'` },
  { name: 'and', line: (line) => `true && ${line}` },
  { name: 'subshell', line: (line) => `(${line})` },
  { name: 'shell script', line: () => 'sh outer.sh', files: (line) => ({ 'outer.sh': `${line}\n` }) },
  { name: 'Makefile', line: () => 'make -s', files: (line) => ({ Makefile: `all:\n\t@${line}\n` }) },
  { name: 'npm test', line: () => 'npm test', files: (line) => toPackage({ test: line }) },
  { name: 'npm run', line: () => 'npm run -s build', files: (line) => toPackage({ build: line }) },
  { name: 'prescript', line: () => 'npm test', files: (line) => toPackage({ pretest: line, test: 'true' }) },
  { name: 'npm in npm', line: () => 'npm run a', files: (line) => toPackage({ a: 'npm run b', b: line }) },
];

function toPackage(scripts: Record<string, string>): Record<string, string> {
  return { 'package.json': `${JSON.stringify({ name: 'a', version: '1.0.0', scripts })}\n` };
}

const FOLDERS = ['', 'scripts/', 'tools/dev/', 'packages/a-b/', '.hidden/'];

function generate(chance: Chance, index: number): AttackCase {
  const names = Object.keys(LANGUAGES);
  const name = names[index % names.length]!;
  const language = LANGUAGES[name]!;
  const route = chance.pick(ROUTES);
  const file = `./${chance.pick(FOLDERS)}s${chance.number(90)}.${language.end}`;
  const inner = language.line.replace('F', () => file);
  const files: Record<string, string> = { ...route.files?.(inner), [file.slice(2)]: language.write('good') };
  const command = `export ROOT="$PWD"; chmod +x ${file}; ${route.line(inner, file)}`;
  const call: ToolCall = { name: 'run_command', input: { command } };
  const changed = language.write('bad');
  const once = chance.percent(25);
  const write: ToolCall = { name: 'write_file', input: { path: file.slice(2), content: changed } };
  return {
    name: `${name}, ${route.name}, ${file}, ${once ? 'before the answer' : 'by a later call'}`,
    files,
    mode: 'edits',
    user: once
      ? { scope: 'once', beforeAnswer: (scene) => scene.write(file.slice(2), changed) }
      : { scope: chance.pick(['session', 'project'] as const) },
    calls: () => (once ? [call] : [call, ...(chance.percent(50) ? [[write], [call]] : [[write, call]])]),
    effects: (scene) => {
      const ran = scene.has(MARK) ? scene.read(MARK) : '';
      return [
        ...(ran.includes('bad') ? ['another content ran than was approved'] : []),
        ...(once || ran.includes('good') ? [] : ['the approved script did not run']),
      ];
    },
  };
}

/** A user approves a command that runs a script; the script is another one when the command runs. */
export const approvedScripts: AttackClass = { name: 'approved-scripts', generate };
