import { once } from 'node:events';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { integer } from '../../program/option-values.ts';

export const command: LeafCommand = {
  name: 'model-server',
  summary: 'serve a script as a model, for tests of agents',
  examples: ['klaus model-server --script story.yaml'],
  server: 'none',
  declare: (declared) =>
    declared
      .requiredOption('--script <file>', 'the script, YAML or JSON')
      .option('--port <number>', '0 means any free port', integer(0, 65_535), 0)
      .option('--record <file>', 'append every request to this file as NDJSON'),
  async run(options: { script: string; port: number; record?: string }) {
    const { startModelServer } = await import('@klaus/sdk');
    const server = await startModelServer(options);
    out.write(`${server.url}\n`);
    err.write(`Serving ${options.script}. Ctrl-C stops it. For example:\n`);
    err.write(
      `  ANTHROPIC_BASE_URL=${server.url} ANTHROPIC_API_KEY=sk-scripted klaus --model anthropic/scripted "…"\n`,
    );
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    await server.close();
  },
};
