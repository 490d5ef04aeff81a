// Covers core/agent/redaction, core/agent/context: redaction of prompts, files, pins, notes and titles.
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import { expect, test } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { readState, sentTexts, toScript } from '../fixtures/play.ts';
import { toTexts } from '../fixtures/canary.ts';

const VALUE = 'kQ7mZx92LpVt4RwY8sBn3HcD';
const FILES = { 'README.md': '# Shop\n', '.gitignore': '.env*\n' };
const SILENT: Script = { steps: [], fallback: { text: 'Done.' } };

async function createShop(script: Script = SILENT): Promise<TestEngine> {
  const engine = await createTestEngine({ script, files: FILES });
  writeFileSync(join(engine.place.workspace, '.env'), `SHOP=${VALUE}\n`);
  return engine;
}

async function findPlaces({ server, place, klaus }: TestEngine, session: string): Promise<string[]> {
  const texts = {
    sent: sentTexts(server),
    logged: toTexts(await Array.fromAsync(klaus.handle(session).events())),
    kept: readState(place.home).map(({ text }) => text),
  };
  return Object.entries(texts).flatMap(([where, all]) => (all.some((text) => text.includes(VALUE)) ? [where] : []));
}

test('a value of a secret file is taken out of prompts, attached files, steered messages, pins, notes and titles', async () => {
  await using engine = await createShop();
  const { klaus } = engine;
  await klaus.memory().set({ key: 'note', value: `the shop is ${VALUE}` });
  const session = await klaus.open();
  await session.prompt(
    [
      { type: 'text', text: `What is ${VALUE}?` },
      { type: 'file', name: 'stdin', mediaType: 'text/plain', text: `line\n${VALUE}\n` },
    ],
    { pin: true },
  );
  await session.prompt(`and ${VALUE}`, { delivery: 'steer' });
  await session.pin(`keep ${VALUE}`);
  await session.send({ type: 'change', title: `About ${VALUE}` });
  await session.advance();
  expect(await findPlaces(engine, session.id)).toEqual([]);
  const sent = sentTexts(engine.server).join('\n');
  expect(sent).toMatch(/What is \[secret:shop:[0-9a-f]{8}\]\?/);
  expect(sent).toMatch(/line\n\[secret:shop:/);
  expect(sent).toMatch(/and \[secret:shop:/);
  expect(sent).toMatch(/keep \[secret:shop:/);
  expect(sent).toMatch(/the shop is \[secret:/);
});

test('a note with an answer is redacted too', async () => {
  await using engine = await createTestEngine({
    script: toScript([{ name: 'write_file', input: { path: 'a.txt', content: 'a\n' } }]),
    files: FILES,
    settings: { approve: 'ask' },
  });
  const { klaus, place } = engine;
  const session = await klaus.open();
  await session.prompt('go', { onAsk: 'wait' });
  const result = await session.advance();
  const [asked] = result.state === 'parked' ? result.approvals : [];
  writeFileSync(join(place.workspace, '.env'), `SHOP=${VALUE}\n`);
  await klaus.answer(asked!.approval, 'rejected', { note: `not with ${VALUE}` });
  await session.advance();
  expect(await findPlaces(engine, session.id)).toEqual([]);
});

test('an instruction file that leads to a secret file is left out, with a notice; the next name counts', async () => {
  await using engine = await createShop();
  const { klaus, place } = engine;
  symlinkSync('.env', join(place.workspace, 'AGENTS.md'));
  writeFileSync(join(place.workspace, 'CLAUDE.md'), 'Use tabs.\n');
  const session = await klaus.open();
  await session.prompt('go');
  await session.advance();
  const notices = ofType(await Array.fromAsync(session.events()), 'notice');
  expect(notices).toMatchObject([{ level: 'warn', text: expect.stringMatching(/AGENTS\.md.*\.env\b/) }]);
  const context = ofType(await Array.fromAsync(session.events()), 'message.added').filter(
    ({ message }) => message.origin === 'context',
  );
  expect(context).toHaveLength(1);
  expect(toTexts(context).join('\n')).toContain('Use tabs.');
  // The log with the notice replays to the same log.
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
});

test.each([
  ['a hard link inside the workspace', 'config.env', /AGENTS\.md.*\bconfig\.env\b/],
  ['a hard link to a file outside', '../outside.txt', /AGENTS\.md.*\blink\b/],
])('an instruction file that is %s is left out', async (_name, target, reason) => {
  await using engine = await createShop();
  const { klaus, place } = engine;
  writeFileSync(join(place.workspace, target), '# a line that no rule finds\n');
  linkSync(join(place.workspace, target), join(place.workspace, 'AGENTS.md'));
  const session = await klaus.open();
  await session.prompt('go');
  await session.advance();
  expect(ofType(await Array.fromAsync(session.events()), 'notice').map(({ text }) => text)).toEqual([
    expect.stringMatching(reason),
  ]);
  expect(sentTexts(engine.server).join('\n')).not.toContain('a line that no rule finds');
});

test('instruction files that are ordinary files, or links to such, are read', async () => {
  await using engine = await createShop();
  const { klaus, place } = engine;
  mkdirSync(join(place.workspace, 'docs'));
  writeFileSync(join(place.workspace, 'docs/rules.md'), 'Use spaces.\n');
  symlinkSync('docs/rules.md', join(place.workspace, 'AGENTS.md'));
  linkSync(join(place.workspace, 'docs/rules.md'), join(place.workspace, 'docs/AGENTS.md'));
  const session = await klaus.open();
  await session.prompt('go');
  await session.advance();
  expect(ofType(await Array.fromAsync(session.events()), 'notice')).toEqual([]);
  expect(sentTexts(engine.server).join('\n')).toContain('Use spaces.');
});
