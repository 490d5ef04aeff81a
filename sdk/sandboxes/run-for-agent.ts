import { isCallOutput, SERVICE_MODELS, type EventOf, type SandboxName } from '@klaus/core/protocol';
import { createKlaus } from '../create-klaus.ts';
import { startModelServer } from '../models/model-server.ts';
import { markPrinted, type SandboxRun, type SandboxRunOptions } from './sandboxes.ts';

/** A command may run as long as the program that asked for it waits. */
const LONGEST_MS = 86_400_000;

/**
 * Runs a command of another agent in the sandbox, as a call of an agent of Klaus: through the gate, without an approver,
 * and what it changed at protected places is reverted at its end.
 *
 * @throws KlausError as `createKlaus` and `klaus.open`.
 */
export async function runForAgent(options: Omit<SandboxRunOptions, 'session'>): Promise<SandboxRun> {
  const { command, workspace, sandbox, onOutput, signal } = options;
  const call = { name: 'run_command', input: { command, timeoutMs: LONGEST_MS } };
  const script = { steps: [{ when: { turn: 0 }, reply: { calls: [call] } }], fallback: { text: '.' } };
  await using klaus = await createKlaus({
    home: options.home,
    env: options.env,
    onNotice: options.onNotice,
    cwd: workspace,
    settings: {
      ...options.settings,
      model: SERVICE_MODELS.sandbox,
      approve: 'auto',
      checkpoint: 'manual',
      'sandbox.timeoutMs': LONGEST_MS,
    },
    scripted: () => startModelServer({ script }),
  });
  const session = await klaus.open({ workspace, sandbox });
  let finished: EventOf<'tool.finished'> | undefined;
  let driver: SandboxName = 'bubblewrap';
  const unsubscribe = session.subscribe(0, (event) => {
    if (event.type === 'session.opened') driver = event.sandbox;
    if (event.type === 'tool.finished') finished ??= event;
    if (event.type === 'notice') options.onNotice?.(event.text);
  });
  const files = await klaus.files(workspace);
  const output = redactLines({ redact: (text) => files.redact(text), write: onOutput ?? (() => {}) });
  const unlisten = session.onLive((live) => {
    if (isCallOutput(live)) output.add(live.text);
  });
  const cancel = (): void => void session.send({ type: 'cancel', by: 'sdk', reason: 'stopped by the user' });
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    await session.prompt(command);
    await session.advance();
  } finally {
    signal?.removeEventListener('abort', cancel);
    unlisten();
    unsubscribe();
    await output.end();
    await markPrinted(klaus, session.id);
  }
  const detail = (finished?.detail ?? {}) as { exitCode?: number | null };
  return {
    session: session.id,
    driver,
    outcome: finished?.outcome ?? 'denied',
    exitCode: detail.exitCode ?? undefined,
    output: finished?.output ?? '',
  };
}

interface Redacting {
  redact: (text: string) => Promise<string>;
  write: (text: string) => void;
}

/** Redacts a text that arrives in parts, in complete lines: another agent gets it as it is printed. */
function redactLines({ redact, write }: Redacting): { add(text: string): void; end(): Promise<void> } {
  let rest = '';
  let done = Promise.resolve();
  const pass = (text: string): void => {
    if (text !== '') done = done.then(async () => write(await redact(text)));
  };
  return {
    add(text) {
      rest += text;
      const at = rest.lastIndexOf('\n') + 1;
      pass(rest.slice(0, at));
      rest = rest.slice(at);
    },
    end() {
      pass(rest);
      rest = '';
      return done;
    },
  };
}
