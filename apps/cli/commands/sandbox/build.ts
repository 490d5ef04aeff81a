import { formatBytes } from '@klaus/sdk/transcript';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { repeatable } from '../../program/option-values.ts';

interface BuildOptions {
  tag?: string;
  program?: readonly string[];
  json?: true;
}

export const build: LeafCommand = {
  name: 'build',
  summary: 'build the image of the Docker sandbox from the programs of this machine',
  examples: ['klaus sandbox build', 'klaus sandbox build --tag team-sandbox --program jq --program make'],
  description:
    'Builds an image with Node, npm, git, bash, python3, the usual tools and their libraries, without a network. The same programs make the same image. Linux only.',
  server: 'none',
  declare: (declared) =>
    declared
      .option('--tag <name>', 'name of the image (default: klaus-sandbox, which the Docker sandbox uses)')
      .option('--program <name>', 'a further program of /usr/bin or /usr/sbin; repeatable', repeatable())
      .option('--json', 'one JSON document'),
  async run({ tag, program, json }: BuildOptions) {
    const { buildSandboxImage } = await import('@klaus/sdk');
    const built = await buildSandboxImage({
      name: tag,
      programs: program,
      onProgress: (text) => err.write(`${text}\n`),
    });
    for (const name of built.missing) err.write(`${name} is not on this machine, so the image does not contain it.\n`);
    if (json) out.json(built, 2);
    else out.write(`${built.name}: ${built.id}, ${formatBytes(built.bytes)}\n`);
  },
};
