import { once } from 'node:events';
import { EXIT } from '../../program/exit-codes.ts';
import { err, out } from '../../output/sink.ts';

/** `klaus model-server`: plays a script as a model on the loopback interface until it is stopped. */
export async function modelServer(options: { script: string; port: number; record?: string }): Promise<number> {
  const { startModelServer } = await import('@klaus/sdk');
  const server = await startModelServer(options);
  out.write(`${server.url}\n`);
  err.write(`Playing ${options.script}. Ctrl-C stops it. For example:\n`);
  err.write(`  ANTHROPIC_BASE_URL=${server.url} ANTHROPIC_API_KEY=sk-scripted klaus --model anthropic/scripted "…"\n`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await server.close();
  // A server has no other end than being stopped.
  return EXIT.done;
}
