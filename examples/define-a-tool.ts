// A tool of your own, and an agent that uses it. With a key in ANTHROPIC_API_KEY:
//   node examples/define-a-tool.ts
import { createKlaus, defineTool } from '@klaus/sdk';
import { z } from 'zod';

const countLines = defineTool({
  name: 'count_lines',
  description: 'Counts the lines of a file.',
  input: z.object({ path: z.string() }),
  effects: ['read'],
  resume: 'repeat',
  run: async ({ path }, { workspace }) => {
    const bytes = await workspace.read(path);
    return { text: `${bytes.filter((byte) => byte === 10).length} lines` };
  },
});

await using klaus = await createKlaus({ tools: [countLines] });
const session = await klaus.open();
session.onLive((live) => {
  if (live.type === 'message.delta' && live.part === 'text') process.stdout.write(live.text);
});
await session.prompt('How many lines has README.md?');
await session.advance();
