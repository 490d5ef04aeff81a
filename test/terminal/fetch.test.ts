// Covers apps/terminal/commands, apps/terminal/session: /fetch, and the note that names it.
import type { Script } from '@klaus/adapters/models';
import { expect, test } from 'vitest';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { openChatPlace, untilIdle } from './open-chat.ts';

const COMMAND = "node -e \"console.error('Error: Cannot find module \\'express\\''); process.exit(1)\"";
const SCRIPT: Script = {
  steps: [{ when: { turn: 0, tools: true }, reply: { calls: [{ name: 'run_command', input: { command: COMMAND } }] } }],
  fallback: { text: 'It failed.' },
};
const FILES = { 'package.json': JSON.stringify({ name: 'app', dependencies: { express: '4' } }) };

test.runIf(hasScript)(
  'after a call without its dependencies, the note names /fetch, which runs klaus fetch',
  async () => {
    await using chat = await openChatPlace({ script: SCRIPT, files: FILES });
    const terminal = await chat.open({ words: ['--approve', 'auto'] });
    terminal.type('hello\r');
    await terminal.shows('`/fetch`');
    await untilIdle(terminal);
    terminal.type('/fetch\r');
    await terminal.shows('Run them?');
    terminal.type('n');
    await untilIdle(terminal);
    terminal.type('/new\r');
    await terminal.shows('The next prompt starts a new session');
    // Nothing was run.
    expect(await chat.sessions()).toHaveLength(1);
  },
);
