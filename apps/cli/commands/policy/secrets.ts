import { toLine } from '@klaus/sdk/printable';
import { toFolder } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import { toTable } from '../../output/table.ts';
import type { CommandGroup, LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';

const scan: LeafCommand = {
  name: 'scan',
  summary: 'search files for secrets; exit code 1 when one is found',
  examples: ['klaus secrets scan', 'klaus secrets scan src config'],
  description: 'Prints file, line and rule, never the secret. Files that Git ignores are searched only when named.',
  server: 'none',
  declare: (declared) =>
    declared
      .argument('[path...]', 'files or folders; default: the complete folder')
      .option('--json', 'one object per line')
      .option('--cwd <folder>', 'the workspace, to which paths and fingerprints are relative'),
  async run(paths: readonly string[], { json, cwd }: Options) {
    const { scanSecrets } = await import('@klaus/sdk');
    const rows: string[][] = [];
    for await (const finding of scanSecrets(toFolder(cwd ?? '.'), { paths })) {
      const { path, line, rule, fingerprint } = finding;
      if (json) out.json(finding);
      rows.push([toLine(`${path}:${line}`, 200), rule, fingerprint]);
    }
    if (!json && rows.length === 0) out.write('No secrets found.\n');
    else if (!json) {
      out.write(toTable([['PLACE', 'RULE', 'FINGERPRINT'], ...rows]));
      err.write('`klaus secrets allow FINGERPRINT` allows a finding that is not a secret.\n');
    }
    return rows.length === 0 ? EXIT.done : EXIT.failed;
  },
};

const allow: LeafCommand = {
  name: 'allow',
  summary: 'allow a finding',
  examples: ['klaus secrets allow 5f2a9c1e'],
  description: 'Adds fingerprints to .klaus/secrets-allow, which belongs into the repository.',
  server: 'none',
  declare: (declared) =>
    declared
      .argument('<fingerprint...>', 'as klaus secrets scan or a refused commit prints them')
      .option('--cwd <folder>', 'the workspace'),
  async run(fingerprints: readonly string[], { cwd }: { cwd?: string }) {
    const { allowSecret } = await import('@klaus/sdk');
    for (const fingerprint of fingerprints) {
      const isNew = await allowSecret(toFolder(cwd ?? '.'), fingerprint);
      out.write(`${fingerprint.toLowerCase()} is ${isNew ? 'now' : 'already'} allowed.\n`);
    }
  },
};

export const command: CommandGroup = {
  name: 'secrets',
  summary: 'find text that looks like a secret',
  examples: ['klaus secrets scan'],
  commands: [scan, allow],
};
