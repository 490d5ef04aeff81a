// A small agent: sends the prompt to the Messages API, runs the commands of the answers, and ends with the last text.
import { spawnSync } from 'node:child_process';

interface Block {
  type: string;
  id: string;
  text?: string;
  input?: { command?: string };
}

const messages: unknown[] = [{ role: 'user', content: process.argv[2] ?? '' }];
const SCHEMA = { type: 'object', properties: { command: { type: 'string' } } };
const tools = [{ name: 'bash', description: 'Runs a command.', input_schema: SCHEMA }];

for (;;) {
  const response = await fetch(`${process.env['ANTHROPIC_BASE_URL']}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': process.env['ANTHROPIC_API_KEY'] ?? '' },
    body: JSON.stringify({ model: process.env['ANTHROPIC_MODEL'], max_tokens: 4_096, messages, tools }),
  });
  const answer = (await response.json()) as { content?: Block[]; error?: { message: string } };
  if (!response.ok || !answer.content) {
    console.error(`the model answered: ${answer.error?.message}`);
    process.exit(4);
  }
  messages.push({ role: 'assistant', content: answer.content });
  const calls = answer.content.filter(({ type }) => type === 'tool_use');
  if (calls.length === 0) {
    console.log(answer.content.map(({ text }) => text ?? '').join(''));
    break;
  }
  const results = calls.map(({ id, input }) => {
    const { stdout, stderr } = spawnSync('sh', ['-c', input?.command ?? ''], { encoding: 'utf8' });
    return { type: 'tool_result', tool_use_id: id, content: stdout + stderr };
  });
  messages.push({ role: 'user', content: results });
}
