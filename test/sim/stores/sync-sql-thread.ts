import { workerData, type MessagePort } from 'node:worker_threads';
import pg from 'pg';
import type { SqlAnswer, SqlRequest } from './sync-sql.ts';

const { url, port, answers } = workerData as { url: string; port: MessagePort; answers: Int32Array };
const client = new pg.Client({ connectionString: url });
client.on('error', () => {});
const connected = client.connect();
// Without a statement nobody waits for it.
connected.catch(() => {});

async function run({ text, values }: SqlRequest): Promise<SqlAnswer> {
  try {
    await connected;
    const result: pg.QueryResult | pg.QueryResult[] =
      values.length > 0 ? await client.query(text, [...values]) : await client.query(text);
    return { rows: Array.isArray(result) ? [] : result.rows };
  } catch (error) {
    return { error: String(error) };
  }
}

port.on('message', (request: SqlRequest) => {
  void run(request).then((answer) => {
    port.postMessage(answer);
    Atomics.add(answers, 0, 1);
    Atomics.notify(answers, 0);
  });
});
