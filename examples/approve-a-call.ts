// A tool, a rule that asks before it runs, and a program that answers. With a key in ANTHROPIC_API_KEY:
//   node examples/approve-a-call.ts
import { mkdir, writeFile } from 'node:fs/promises';
import { createKlaus, defineTool } from '@klaus/sdk';
import { z } from 'zod';

const notify = defineTool({
  name: 'notify_team',
  description: 'Sends a message to the team.',
  input: z.object({ message: z.string() }),
  effects: ['read'],
  // After a crash it is not sent twice.
  resume: 'tell',
  run: async ({ message }) => ({ text: `Sent: ${message}` }),
});

await mkdir('.klaus', { recursive: true });
await writeFile('.klaus/policy.yaml', 'rules:\n  - ask: { tool: notify_team }\n    reason: people read it\n');

await using klaus = await createKlaus({ tools: [notify] });
const session = await klaus.open();
await session.prompt('Tell the team that the build is green.', { onAsk: 'wait' });
let result = await session.advance();
while (result.state === 'parked') {
  for (const { approval, subject } of result.approvals) {
    const isExpected = subject.kind === 'call' && subject.name === 'notify_team';
    console.log(isExpected ? 'approved' : 'rejected', subject.kind);
    await klaus.answer(approval, isExpected ? 'approved' : 'rejected', { by: 'example' });
  }
  result = await session.advance();
}
for await (const event of session.events()) {
  if (event.type === 'gate.decided') console.log(event.verdict, event.rule);
  if (event.type === 'tool.finished') console.log(event.outcome, event.output);
}
