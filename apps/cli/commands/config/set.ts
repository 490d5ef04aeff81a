import { join } from 'node:path';
import { openKlaus } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';

export const set: LeafCommand = {
  name: 'set',
  summary: 'change a setting in your settings file',
  examples: ['klaus config set limits.usd 5', 'klaus config set models.allow "[opus, sonnet]"'],
  server: 'none',
  declare: (declared) => declared.argument('<key>').argument('<value>', 'a text, a number, or JSON'),
  run: (key: string, value: string) => change(key, value),
};

export const unset: LeafCommand = {
  name: 'unset',
  summary: 'remove a setting from your settings file',
  examples: ['klaus config unset limits.usd'],
  server: 'none',
  declare: (declared) => declared.argument('<key>'),
  run: (key: string) => change(key, null),
};

async function change(key: string, value: string | null): Promise<void> {
  await using klaus = await openKlaus({});
  const { value: shown, source, where } = await klaus.settings.set(key, value);
  out.write(`${key} is ${shown} (${join(klaus.home, 'config.yaml')})\n`);
  const isOwn = source === 'user file' || value === null;
  if (!isOwn) err.write(`klaus: ${where ?? source} sets it too, and is stronger.\n`);
}
