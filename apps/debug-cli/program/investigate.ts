import { join } from 'node:path';
import { TRANSCRIPTS_VARIABLE, type CliInput, type Findings } from 'klendathu/contract';
import { connectHost, type HostConnection } from '../host/host-connection.ts';
import { selectTools } from '../host/to-tools.ts';
import { toPromptData } from '../prompt/prompt-data.ts';
import { renderPrompt } from '../prompt/render-prompt.ts';
import { createControl, type Control } from '../session/control.ts';
import { drive } from '../session/drive.ts';
import { openEventStream, type EventStream } from '../session/event-stream.ts';
import { openSession, toProjectRoot, type OpenedSession } from '../session/open-session.ts';
import { reportEvent } from '../session/report-events.ts';
import { NO_STATS, type LogEnd, type Stats } from '../session/stats.ts';
import { writeTranscript } from '../session/transcript.ts';
import type { Arguments } from './arguments.ts';
import { toCliFailure, type CliFailure } from './cli-failure.ts';
import type { Status } from './status.ts';

export interface InvestigateOptions {
  given: Arguments;
  status: Status;
  /** Aborted with a CliFailure as its reason. */
  signal: AbortSignal;
}

export interface Outcome {
  stats: Stats;
  /** Id of the session, if there is one. */
  session?: string;
  /** Absent if `failure` is present. */
  findings?: Findings;
  failure?: CliFailure;
}

/** Milliseconds for the first answers of the program, which may be busy with its error. */
const CONNECT_MS = 15_000;
/** Runs one investigation or implementation. Never throws a failure: it is in the outcome. */
export async function investigate(input: CliInput, options: InvestigateOptions): Promise<Outcome> {
  const control = createControl();
  let connection: HostConnection | undefined;
  let events: EventStream | undefined;
  try {
    const { given, status, signal } = options;
    if (given.eventsFd !== undefined) events = openEventStream(given.eventsFd);
    const projectRoot = toProjectRoot(input);
    const { requestTimeoutMs } = given;
    const place = { url: input.mcpUrl, token: input.mcpToken, timeoutMs: CONNECT_MS, signal };
    const connected = await connectHost(place);
    connection = { ...connected, tools: selectTools(connected.tools, input.mode) };
    status.send({ type: 'server_started', url: input.mcpUrl });
    await using opened = await openSession({ input, projectRoot, connection, control, status, requestTimeoutMs });
    const { session, klaus } = opened;
    status.log(`Session ${session.id} of Klaus`);
    const prompt = renderPrompt(input.mode, toPromptData({ input, tools: connection.tools, projectRoot }), {
      given: given.templates,
      user: join(klaus.home, 'klendathu'),
    });
    const end = await follow(opened, { options, events, work: () => work(opened, { prompt, input, control, signal }) });
    return { session: session.id, ...toOutcome(control, end) };
  } catch (error) {
    const { signal } = options;
    return { stats: NO_STATS, failure: toCliFailure(signal.aborted ? signal.reason : (control.failure ?? error)) };
  } finally {
    await connection?.close();
    await events?.close();
  }
}

function work(
  { klaus, session }: OpenedSession,
  { prompt, input, control, signal }: { prompt: string; input: CliInput; control: Control; signal: AbortSignal },
): Promise<LogEnd> {
  return drive({ klaus, session, control, prompt, needsResult: input.mode === 'implement', signal });
}

/** Reports the events of the session while it works, and those that were not delivered at its end. */
async function follow(
  { session }: OpenedSession,
  {
    options: { status },
    events,
    work: doWork,
  }: { options: InvestigateOptions; events: EventStream | undefined; work: () => Promise<LogEnd> },
): Promise<LogEnd> {
  let seen = 0;
  const report = (event: Parameters<typeof reportEvent>[1]): void => {
    if (event.seq <= seen) return;
    seen = event.seq;
    reportEvent(status, event);
    events?.write(event);
  };
  const unsubscribe = session.subscribe(0, report);
  try {
    return await doWork();
  } finally {
    unsubscribe();
    for await (const event of session.events(seen)) report(event);
    const folder = process.env[TRANSCRIPTS_VARIABLE];
    if (folder) {
      try {
        status.log(`Transcript: ${await writeTranscript(session, folder)}`);
      } catch (error) {
        status.log(`The transcript was not written: ${(error as Error).message}`, 'warning');
      }
    }
  }
}

function toOutcome(control: Control, end: LogEnd): Outcome {
  const { stats, text } = end;
  if (control.failure) return { stats, failure: control.failure };
  if (control.findings) return { stats, findings: control.findings };
  const shown = text === '' ? 'The result was accepted.' : text;
  return { stats, findings: { text: shown, evidence: [] } };
}
