// Opens a session in the current folder, sends a prompt and prints what happens. With a key in ANTHROPIC_API_KEY:
//   node examples/print-events.ts
import { createKlaus } from '@klaus/sdk';

await using klaus = await createKlaus();
const session = await klaus.open();
session.subscribe(0, (event) => {
  if (event.type === 'tool.finished') console.log(event.seq, event.type, event.outcome);
  else console.log(event.seq, event.type);
});
await session.prompt('What is in README.md?');
const result = await session.advance();
if (result.state === 'idle') console.log(result.finished?.outcome);
