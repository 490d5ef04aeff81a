import type { ClientAttentionItem, SessionClient } from '@klaus/sdk/client';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import { openClient } from '../../client/open-client.ts';
import { KIND_NAMES, toAttentionCommands, toWaited } from '../../output/attention-lines.ts';
import { canAsk, createOutput } from '../../output/show-output.ts';
import type { Output } from '../../output/output.ts';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { addShowOptions } from '../../program/run-options.ts';
import { runSession } from '../../run/run-session.ts';

export const command: LeafCommand = {
  name: 'next',
  summary: 'open the oldest thing that needs you',
  examples: ['klaus next --json'],
  description:
    'Opens the oldest thing that needs you: asks an open approval and resumes its session, or shows the session in the terminal. Without a terminal, prints it with the commands that answer it.',
  server: 'both',
  declare: (declared) => addShowOptions(declared),
  async run(options: Options) {
    const output = createOutput(options);
    const item = await (async () => {
      await using client = await openClient(options, { onNotice: output.note });
      const [oldest] = (await client.attention()).items;
      if (!oldest) return undefined;
      if (!canAsk(options)) return print(oldest, { json: options.json, at: client.at });
      return oldest.action === 'answer' ? await ask(client, { item: oldest, options, output }) : oldest;
    })();
    if (item === undefined) {
      err.write('Nothing needs you.\n');
      return EXIT.done;
    }
    return typeof item === 'number' ? item : await show(item, options);
  },
};

function print(item: ClientAttentionItem, { json, at }: { json: true | undefined; at: string }): number {
  const commands = toAttentionCommands(item, at);
  if (json) {
    out.json({ ...item, commands });
    return EXIT.done;
  }
  const { kind, since, session, child, agent, workspace, title, line } = item;
  const facts = [
    `${KIND_NAMES[kind]}: ${toLine(line, 200)}`,
    `  session ${session}${child === null ? '' : `, child session ${child}`}, agent ${toLine(agent, 80)}, in ${toPrintable(workspace)}`,
    ...(title === null ? [] : [`  ${toLine(title, 200)}`]),
    `  since ${since} (${toWaited(since, Date.now())})`,
    ...commands.map((text) => `  ${text}`),
  ];
  out.write(`${facts.join('\n')}\n`);
  return EXIT.done;
}

interface Asking {
  item: ClientAttentionItem;
  options: Options;
  output: Output;
}

/** Asks an approval, and resumes the session after the answer. Returns the exit code. */
async function ask(client: SessionClient, { item, options, output }: Asking): Promise<number> {
  output.note(`Session ${item.session} in ${toPrintable(item.workspace)}`);
  for await (const event of client.events(item.child ?? item.session)) {
    if (event.type !== 'approval.asked' || event.approval !== item.id) continue;
    const { askInTerminal } = await import('../../prompt/approval-prompt.ts');
    const session = await client.session(item.session);
    const reply = await askInTerminal(event, { plain: options.plain ?? false, signal: new AbortController().signal });
    if (reply.kind === 'interrupt') return EXIT.interrupted;
    if (reply.kind === 'later') return EXIT.waiting;
    await client.answer(item.id, reply.kind, reply.options);
    return await runSession({ client, session, show: options, output, asks: true, sent: 'answer' });
  }
  return EXIT.failed;
}

/** Opens the session in the interactive terminal, or prints it where there is none. Returns the exit code. */
async function show(item: ClientAttentionItem, options: Options): Promise<number> {
  const { canShowTerminal } = await import('../run/chat.ts');
  if (!canShowTerminal(options)) {
    const { command: show } = await import('../sessions/show.ts');
    return (await (show.run as (id: string, options: Options) => Promise<void>)(item.session, options)) ?? EXIT.done;
  }
  const { runInTerminal } = await import('../../chat/run-in-terminal.ts');
  const chat = { ...options, history: true };
  return await runInTerminal({ name: toAgent(item), isStart: false, options: chat, session: item.session });
}

/** Undefined: Klaus itself. */
function toAgent({ agent }: ClientAttentionItem): string | undefined {
  return agent === 'klaus' ? undefined : agent;
}
