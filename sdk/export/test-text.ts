import type { RecordedSession } from './read-session.ts';
import type { StartingFiles } from './starting-files.ts';

/** The test as a module of node:test that needs only the `klaus` program. */
export function toTestText(session: RecordedSession, start: StartingFiles, notes: readonly string[]): string {
  const { opened, runs, calls, lastText } = session;
  const recorded = {
    mode: opened.mode,
    sandbox: opened.sandbox,
    isolate: opened.isolate === true,
    git: start.hasGit,
    runs,
    calls,
    lastText,
    files: start.left,
  };
  const said = notes.map((note) => `// - ${note.replaceAll(/\s+/g, ' ')}\n`).join('');
  return `// A recorded session as a test: node --test session.test.mjs
// The model is script.yaml, everything else is real: the tools, the gate and the sandbox work on a copy of workspace/.
// KLAUS names the program where it is not \`klaus\` on the PATH.
${said === '' ? '' : `//\n// Not as it was recorded:\n${said}`}${IMPORT} assert from 'node:assert/strict';
${IMPORT} { execFileSync, spawnSync } from 'node:child_process';
${IMPORT} { createHash } from 'node:crypto';
${IMPORT} { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
${IMPORT} { tmpdir } from 'node:os';
${IMPORT} { join } from 'node:path';
${IMPORT} { after, test } from 'node:test';

const RECORDED = ${JSON.stringify(recorded, undefined, 2)};
${BODY}`;
}

/** In two pieces: the check of the bundle must not take it for a question of this module. */
const META = ['import', 'meta'].join('.');
const IMPORT = ['im', 'port'].join('');

const BODY = `
const EXITS = { done: 0, failed: 1, denied: 6 };
const WAITING = 8;
const folder = mkdtempSync(join(tmpdir(), 'klaus-session-'));
const workspace = join(folder, 'workspace');
const env = { ...process.env, KLAUS_HOME: join(folder, 'klaus') };
after(() => rmSync(folder, { recursive: true, force: true }));

function klaus(...words) {
  const [program, ...first] = (process.env.KLAUS ?? 'klaus').split(' ');
  const ended = spawnSync(program, [...first, ...words], { cwd: workspace, env, encoding: 'utf8', maxBuffer: 1e9 });
  if (ended.error) throw ended.error;
  const events = ended.stdout.split('\\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  return { code: ended.status, stderr: ended.stderr, events };
}

function hashOf(path) {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : null;
}

test('the session goes as it was recorded', () => {
  const start = join(${META}.dirname, 'workspace');
  if (existsSync(start)) cpSync(start, workspace, { recursive: true });
  else mkdirSync(workspace);
  if (RECORDED.git) {
    const git = (...words) => execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...words], { cwd: workspace, stdio: 'pipe' });
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-q', '--allow-empty', '-m', 'Begin');
  }
  const model = ['--model', \`scripted/\${join(${META}.dirname, 'script.yaml')}\`];
  const isolate = RECORDED.isolate ? ['--isolate'] : [];
  const opening = [...model, '--approve', RECORDED.mode, '--sandbox', RECORDED.sandbox, ...isolate];
  const seen = new Map();
  const take = (ended) => {
    for (const event of ended.events) if (event.seq !== undefined) seen.set(event.seq, event);
    return ended;
  };
  let session;
  for (const [index, run] of RECORDED.runs.entries()) {
    const onAsk = ['--json', '--on-ask', run.onAsk];
    const words = run.prompt === undefined
      ? ['resume', session, ...onAsk]
      : ['run', ...onAsk, ...(session === undefined ? opening : ['--session', session]), '--', run.prompt];
    let ended = take(klaus(...words));
    session ??= ended.events[0]?.session;
    for (const { answer, note, hunks, scope } of run.answers) {
      assert.equal(ended.code, WAITING, \`run \${index + 1} does not ask where it was asked\\n\${ended.stderr}\`);
      const events = [...seen.values()];
      const answered = new Set(events.filter((event) => event.type === 'approval.answered').map((event) => event.approval));
      const open = events.find((event) => event.type === 'approval.asked' && !answered.has(event.approval));
      const chosen = hunks ? ['--hunks', hunks.accepted.join(',')] : [];
      const options = [...(note ? ['--note', note] : []), ...chosen, ...(scope ? ['--scope', scope] : [])];
      take(klaus(answer === 'approved' ? 'approve' : 'reject', open.approval, '--json', ...options));
      ended = take(klaus('show', session, '--json'));
      const finished = [...seen.values()].findLast((event) => event.type === 'run.finished' || event.type === 'approval.asked');
      ended = { ...ended, code: finished.type === 'run.finished' ? EXITS[finished.outcome] : WAITING };
    }
    assert.equal(ended.code, EXITS[run.outcome], \`run \${index + 1} ends otherwise\\n\${ended.stderr}\`);
  }
  take(klaus('show', session, '--json'));
  const events = [...seen.values()].sort((a, b) => a.seq - b.seq);
  const calls = events
    .filter((event) => event.type === 'tool.finished')
    .sort((a, b) => a.turn - b.turn || a.index - b.index)
    .map(({ name, outcome }) => ({ name, outcome }));
  assert.deepEqual(calls, RECORDED.calls, 'the calls and how they ended');
  const last = events.findLast((event) => event.type === 'message.added' && event.message.origin === 'model');
  const text = last.message.parts.filter((part) => part.type === 'text').map((part) => part.text).join('\\n');
  assert.equal(text.trim(), RECORDED.lastText.trim(), 'the last words of the model');
  for (const [path, hash] of Object.entries(RECORDED.files)) {
    assert.equal(hashOf(join(workspace, path)), hash, \`\${path} is left otherwise\`);
  }
});
`;
