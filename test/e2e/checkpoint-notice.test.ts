// Covers adapters/tools/git, core/agent/loop: notices of a checkpoint.
import { expect } from 'vitest';
import { createScene } from '../attack/scene.ts';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';

test('what a build leaves behind is named as its folder, and single files by their names', async () => {
  const command = String.raw`mkdir -p out/deep && for i in 1 2 3 4; do printf 'a\0' > out/deep/$i; done; printf 'a\0' > one.bin; echo text > plain.txt`;
  await using engine = await createTestEngine({
    script: {
      steps: [
        { when: { tools: false }, reply: { text: 'A title' } },
        { when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command } }] } },
        { when: { turn: 1 }, reply: { text: 'Done.' } },
      ],
    },
    settings: { 'sandbox.driver': 'bubblewrap', approve: 'auto' },
  });
  createScene(engine.place, engine.server);
  const session = await engine.klaus.open();
  await session.prompt('go', { onAsk: 'deny' });
  await session.advance();
  const notices = ofType(await Array.fromAsync(session.events()), 'notice').map(({ text }) => text);
  expect(notices.filter((text) => text.includes('one.bin'))).toEqual([expect.stringMatching(/\bout\/ \(4 .+\)/)]);
});
