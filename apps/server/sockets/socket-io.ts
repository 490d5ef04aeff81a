import type { Server as EngineServer } from 'engine.io';
import { KlausError } from '@klaus/sdk';
import { Server, type Socket } from 'socket.io';
import type { Context } from '../http/handler.ts';
import { toProblem, toSentence } from '../http/problem.ts';
import {
  answer,
  cancel,
  COMMAND_SCHEMAS,
  type CommandGiven,
  type CommandName,
  findPromptSession,
  prompt,
} from './commands.ts';
import { followNamed, toCurrentEvents } from '../legacy/follow-legacy-events.ts';
import { createRateLimit } from './rate-limit.ts';

/** Who the log says it was. */
const BY = 'server/socket.io';

/** Events that are taken however many there are: the wish to stop and an answer never wait. */
const UNLIMITED: ReadonlySet<CommandName> = new Set(['patch_approval_response', 'cancel']);

/** The older protocol over Socket.IO: the same names and payloads in both directions, folded from the log. */
export function createNamedSockets(context: Context, engine: EngineServer): Server {
  const io = new Server({ serveClient: false });
  io.bind(engine as Parameters<typeof io.bind>[0]);
  io.on('connection', (socket) => serve(context, socket));
  return io;
}

function serve(context: Context, socket: Socket): void {
  const joined = new Map<string, () => void>();
  const rate = createRateLimit(context.klaus.configuration.get('server.wsRateLimit'));

  const join = (session: string, after: number, isPrompting = false): void => {
    joined.get(session)?.();
    const tell: Parameters<typeof followNamed>[1]['tell'] = ({ name, data }, seq) =>
      void socket.emit(name, seq === undefined ? data : { ...data, seq });
    joined.set(session, followNamed(context, { session, after, isPrompting, tell }).stop);
  };

  const perform: { [N in CommandName]: (given: CommandGiven<N>) => Promise<object> } = {
    async prompt(given) {
      const session = await findPromptSession(context, given);
      if (!joined.has(session)) join(session, (await context.klaus.store.head(session))?.seq ?? 0, true);
      await prompt(context, session, given.message);
      return { sessionId: session };
    },
    async cancel(given) {
      await cancel(context, { ...given, by: BY });
      return {};
    },
    async join_session({ sessionId, after }) {
      const session = (await context.klaus.session(sessionId)).id;
      const last = (await context.klaus.store.head(session))?.seq ?? 0;
      join(session, after ?? last);
      if (after === undefined) for (const { name, data } of toCurrentEvents(context, session)) socket.emit(name, data);
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
      const say = (result: object): void => {
        if (typeof reply === 'function') reply(result);
      };
      void receive(name, payload).then(
        (result) => say({ ok: true, ...result }),
        (error: unknown) => {
          const problem = toProblem(error);
          const told = { error: toSentence(problem), code: problem.code, ...toSessionId(payload) };
          say({ ok: false, ...told });
          socket.emit('error', told);
        },
      );
    });
  }

  async function receive(name: CommandName, payload: unknown): Promise<object> {
    const wait = UNLIMITED.has(name) ? 0 : rate.take();
    if (wait > 0) {
      throw new KlausError('usage', 'This socket sends too much.', {
        hint: `Try again in ${Math.ceil(wait / 1_000)} s, or raise AGENT_WS_RATE_LIMIT.`,
      });
    }
    const parsed = COMMAND_SCHEMAS[name].safeParse(payload);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new KlausError('usage', `${name}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
    }
    const act = perform[name] as (given: unknown) => Promise<object>;
    return act(parsed.data);
  }

  socket.on('disconnect', () => {
    // Leaving cancels nothing: what it began goes on.
    for (const stop of joined.values()) stop();
    joined.clear();
  });
}

function toSessionId(payload: unknown): { sessionId?: string } {
  const id = (payload as { sessionId?: unknown } | null)?.sessionId;
  return typeof id === 'string' ? { sessionId: id } : {};
}
