import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createTestHome } from '../../test/fixtures/test-home.ts';
import { createAgentPlace } from '../peers/agent-place.ts';
import type { Agent } from '../peers/agent.ts';
import { fetchPeer, toAgent } from '../peers/fetch.ts';
import { PEERS } from '../peers/peers.ts';
import { toRunEnv } from '../program.ts';
import { openPty, type PtyOptions } from './pty.ts';

/** An interactive program with a home and a workspace of its own. */
export interface Program extends Disposable {
  readonly title: string;
  readonly command: readonly string[];
  readonly options: PtyOptions;
  /** What its screen has once it takes input. */
  readonly prompt: RegExp;
}

/** Milliseconds for the first start of a program, which may create what it keeps. */
const FIRST_START_MS = 180_000;

/** Klaus whose model is at `url`. @param command Without arguments. */
export async function openKlaus(command: readonly string[], url: string): Promise<Program> {
  const place = createTestHome();
  const env = { ...place.env, ...(await toRunEnv(place, url)) };
  const klaus: Program = {
    title: 'Klaus',
    command,
    options: { cwd: place.workspace, env },
    prompt: /^›/m,
    [Symbol.dispose]: () => place[Symbol.dispose](),
  };
  // The compiled code is kept when the program ends.
  await using pty = await openPty(klaus.command, klaus.options);
  await pty.shows(/mode auto/);
  pty.type('\u0003');
  await pty.shows(/again/i);
  pty.type('\u0003');
  await pty.ended;
  return klaus;
}

/** How a peer of `npm run bench:peers` is started for a person. */
const INTERACTIVE: Readonly<Record<string, { kept: number; words: readonly string[]; prompt: RegExp }>> = {
  codex: { kept: 1, words: ['--dangerously-bypass-approvals-and-sandbox'], prompt: /^› /m },
  pi: { kept: 2, words: ['--provider', 'fake', '--model', 'fake'], prompt: /─{40,}\n.*\n─{40,}/ },
  opencode: { kept: 1, words: ['-m', 'fake/fake'], prompt: /Ask anything/ },
};

export const PEER_NAMES: readonly string[] = Object.keys(INTERACTIVE);

/**
 * A peer from the npm registry that has been started once.
 *
 * @throws Error when it cannot be fetched or shows no prompt.
 */
export async function openPeer(name: string, url: string): Promise<Program> {
  const peer = PEERS.find((each) => each.name === name)!;
  await fetchPeer(peer, (line) => console.error(line));
  const folder = mkdtempSync(join(tmpdir(), 'klaus-bench-'));
  const place = createAgentPlace(join(folder, name), dirname(process.execPath));
  const agent = toAgent(peer);
  const { kept, words, prompt } = INTERACTIVE[name]!;
  for (const [path, content] of Object.entries(toFiles(agent, url, place.workspace))) {
    mkdirSync(dirname(join(place.home, path)), { recursive: true });
    writeFileSync(join(place.home, path), content);
  }
  const program: Program = {
    title: `${peer.title} ${peer.version}`,
    command: [...agent.command.slice(0, kept), ...words],
    options: { cwd: place.workspace, env: { ...place.env, ...agent.env(url) } },
    prompt,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
  try {
    await using pty = await openPty(program.command, { ...program.options, hungMs: FIRST_START_MS });
    await pty.shows(prompt);
    return program;
  } catch (error) {
    program[Symbol.dispose]();
    throw error;
  }
}

/** Codex asks whether the folder is trusted, unless its settings say so. */
function toFiles(agent: Agent, url: string, workspace: string): Readonly<Record<string, string>> {
  const files = agent.files(url);
  if (agent.name !== 'codex') return files;
  const trust = `\n[projects."${workspace}"]\ntrust_level = "trusted"\n`;
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [path, content + trust]));
}

/** Milliseconds from the start of a program until its prompt is painted. */
export async function timeToPrompt({ command, options, prompt }: Omit<Program, 'title' | keyof Disposable>) {
  await using pty = await openPty(command, options);
  return await pty.shows(prompt);
}
