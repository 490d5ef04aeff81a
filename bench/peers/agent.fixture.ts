// The smallest agent there is, for tests of the bench: `honest` does the work, `lazy` says that it did.
import { execFileSync } from 'node:child_process';

interface Block {
  type: string;
  id?: string;
  text?: string;
  input?: { command: string };
}

const [, , manner = '', prompt = ''] = process.argv;
const url = process.env['MODEL_URL']!;
const command = { type: 'object', properties: { command: { type: 'string' } } };
const tools = [{ name: 'bash', description: 'Runs a command.', input_schema: command }];
const messages: object[] = [{ role: 'user', content: prompt }];

async function ask(): Promise<Block[]> {
  const body = JSON.stringify({ model: 'any', max_tokens: 1_000, tools, messages });
  const response = await fetch(`${url}/v1/messages`, { method: 'POST', body });
  const { content } = (await response.json()) as { content: Block[] };
  messages.push({ role: 'assistant', content });
  return content;
}

let answer = await ask();
for (let calls = answer.filter(isCall); calls.length > 0 && manner === 'honest'; calls = answer.filter(isCall)) {
  const results = calls.map(({ id, input }) => {
    const content = execFileSync('/bin/sh', ['-c', input!.command], { encoding: 'utf8' });
    return { type: 'tool_result', tool_use_id: id, content };
  });
  messages.push({ role: 'user', content: results });
  answer = await ask();
}
console.log(manner === 'lazy' ? 'It said seen-42, so I am done.' : answer.map(({ text = '' }) => text).join(''));

function isCall({ type }: Block): boolean {
  return type === 'tool_use';
}
