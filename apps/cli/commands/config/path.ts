import { join } from 'node:path';
import { openKlaus } from '../../client/open-klaus.ts';
import { out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';

export const path: LeafCommand = {
  name: 'path',
  summary: 'print the path of your settings file',
  examples: ['"${EDITOR:-vi}" "$(klaus config path)"'],
  server: 'none',
  async run() {
    await using klaus = await openKlaus({});
    out.write(`${join(klaus.home, 'config.yaml')}\n`);
  },
};
