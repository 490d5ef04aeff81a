import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Instance } from '@klaus/sdk';
import type { TestContext } from 'vitest';
import { answerFirstStart, type ClaudeCodeVersion, needClaudeCode, toClaudeCodeEnv } from '../fixtures/claude-code.ts';
import { type Emulator, openEmulator } from '../fixtures/emulator.ts';
import { MAIN, toEnv } from '../fixtures/klaus.ts';
import { findProcesses } from '../faults/processes.ts';
import { createRoof, isOf, type Roof, type RoofOptions } from '../roof/roof.ts';

/** A project with the real Claude Code, and terminals in which Klaus supervises it. */
export interface SupervisedPlace extends Roof {
  /** Opens `klaus claude` in a terminal. */
  open(...words: string[]): Promise<Emulator>;
  instances(): Promise<Instance[]>;
  /** Process ids of Claude Code that belong to this state folder. */
  readonly programs: () => number[];
}

function wrapProgram(program: string, lines: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'klaus-claude-')), 'claude');
  writeFileSync(file, `#!/bin/sh\nCLAUDE=${program}\n${lines}\n`, { mode: 0o755 });
  return file;
}

/** Each prompt has an answer of its own, so that a conversation is recognized by its text. */
export const SCRIPT: RoofOptions['script'] = {
  steps: ['alpha', 'beta', 'gamma'].map((name) => ({
    when: { tools: true, user: name },
    reply: { text: `Answer to ${name}.` },
  })),
  fallback: { text: 'A title' },
};

export async function openSupervised(
  context: Pick<TestContext, 'skip'>,
  {
    version,
    env = {},
    wrap,
    script = SCRIPT,
  }: {
    version?: ClaudeCodeVersion;
    env?: Record<string, string>;
    /** The lines of a shell program that is started instead of Claude Code, whose path is `$CLAUDE`. */
    wrap?: string;
    script?: RoofOptions['script'];
  } = {},
): Promise<SupervisedPlace> {
  const claude = await needClaudeCode(context, version);
  const program = wrap === undefined ? claude : wrapProgram(claude, wrap);
  const roof = await createRoof({ script: script!, env, claude: program });
  const { place, model } = roof;
  answerFirstStart(place);
  const variables: Record<string, string> = {
    ...toEnv({ place, server: model }),
    ...toClaudeCodeEnv(place, model.url),
    KLAUS_CLAUDE_BINARY: program,
    PATH: `${join(place.env['HOME']!, '.local/bin')}:${place.env['PATH']}`,
    ...env,
  };
  return {
    ...roof,
    open: (...words) =>
      openEmulator([process.execPath, MAIN, 'claude', ...words], {
        env: variables,
        cwd: place.workspace,
        columns: 100,
        rows: 30,
      }),
    async instances() {
      const { stdout } = await roof.klaus('instances', '--json');
      return stdout
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Instance);
    },
    programs: () => findProcesses('--settings=').filter((pid) => isOf(pid, place.home)),
  };
}
