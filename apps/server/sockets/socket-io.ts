import type { Server as EngineServer } from 'engine.io';
import { KlausError } from '@klaus/sdk';
import { Server, type Socket } from 'socket.io';
import type { Context } from '../http/handler.ts';
import { toProblem, toSentence } from '../http/problem.ts';
import { cancelRun } from '../handlers/runs.ts';
import { answer, COMMAND_SCHEMAS, type CommandInput, type CommandName, findPromptSession, prompt } from './commands.ts';
import { followLegacyEvents, readCurrentEvents } from '../legacy/follow-legacy-events.ts';
import { createRateLimit } from './rate-limit.ts';

const BY = 'server/socket.io';

/** Commands without a rate limit. */
const UNLIMITED: ReadonlySet<CommandName> = new Set(['patch_approval_response', 'cancel']);

/** Serves the older protocol over Socket.IO. */
export function createSocketIo(context: Context, engine: EngineServer): Server {
  const io = new Server({ serveClient: false });
  io.bind(engine as Parameters<typeof io.bind>[0]);
  io.on('connection', (socket) => serve(context, socket));
  return io;
}

function serve(context: Context, socket: Socket): void {
  const joined = new Map<string, () => void>();
  const countMessage = createRateLimit(context.klaus.configuration.get('server.wsRateLimit'));

  const join = (session: string, after: number, isPrompting = false): void => {
    joined.get(session)?.();
    const { stop } = followLegacyEvents(context, {
      session,
      after,
      isPrompting,
      onEvent: ({ name, data }, seq) => void socket.emit(name, seq === undefined ? data : { ...data, seq }),
    });
    joined.set(session, stop);
  };

  const perform: { [N in CommandName]: (given: CommandInput<N>) => Promise<object> } = {
    async prompt(given) {
      const session = await findPromptSession(context, given);
      if (!joined.has(session)) join(session, (await context.klaus.store.head(session))?.seq ?? 0, true);
      await prompt(context, session, given.message);
      return { sessionId: session };
    },
    async cancel({ sessionId }) {
      await cancelRun(context, sessionId, { by: BY });
      return {};
    },
    async join_session({ sessionId, after }) {
      const session = (await context.klaus.session(sessionId)).id;
      const last = (await context.klaus.store.head(session))?.seq ?? 0;
      join(session, after ?? last);
      if (after === undefined)
        for (const { name, data } of readCurrentEvents(context, session)) socket.emit(name, data);
      return { sessionId: session, seq: last };
    },
    async leave_session({ sessionId }) {
      const session = (await context.klaus.session(sessionId)).id;
      joined.get(session)?.();
      joined.delete(session);
      return {};
    },
    async patch_approval_response(given) {
      await answer(context, { ...given, by: BY });
      return {};
    },
  };

  for (const name of Object.keys(COMMAND_SCHEMAS) as CommandName[]) {
    socket.on(name, (payload: unknown, reply?: unknown) => {
      const acknowledge = (result: object): void => {
        if (typeof reply === 'function') reply(result);
      };
      void receive(name, payload).then(
        (result) => acknowledge({ ok: true, ...result }),
        (error: unknown) => {
          const problem = toProblem(error);
          const failure = { error: toSentence(problem), code: problem.code, ...toSessionId(payload) };
          acknowledge({ ok: false, ...failure });
          socket.emit('error', failure);
        },
      );
    });
  }

  async function receive(name: CommandName, payload: unknown): Promise<object> {
    if (!UNLIMITED.has(name)) countMessage();
    const parsed = COMMAND_SCHEMAS[name].safeParse(payload);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new KlausError('usage', `${name}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
    }
    const act = perform[name] as (given: unknown) => Promise<object>;
    return act(parsed.data);
  }

  socket.on('disconnect', () => {
    // Runs continue when the client disconnects.
    for (const stop of joined.values()) stop();
    joined.clear();
  });
}

function toSessionId(payload: unknown): { sessionId?: string } {
  const id = (payload as { sessionId?: unknown } | null)?.sessionId;
  return typeof id === 'string' ? { sessionId: id } : {};
}
