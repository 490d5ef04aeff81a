/* oxlint-disable typescript/unbound-method -- functions of the runtime are kept and called with Reflect.apply. */
import { Session } from 'node:inspector';

/** What the inspector says of a value. */
export interface RemoteValue {
  type: string;
  subtype?: string;
  className?: string;
  value?: unknown;
  unserializableValue?: string;
  objectId?: string;
  description?: string;
}

// Taken before evaluated code runs: it cannot use them, and cannot replace them here.
const { connect, post: postOf, disconnect } = Session.prototype;

// oxlint-disable-next-line typescript/no-explicit-any -- the methods of the protocol have no common type.
type Answer = Record<string, any>;

/** A request whose answer may come later. */
export interface Pending {
  done: boolean;
  error?: Error | undefined;
  answer?: Answer | undefined;
}

/** A connection to the inspector of this thread: it answers at once. Only `Debugger.enable` costs the program time. */
export function openInspector() {
  const session = new Session();
  connect.call(session);
  const post = (method: string, params: object = {}): Pending => {
    const pending: Pending = { done: false };
    const done = (error: Error | null, answer?: object): void => {
      pending.done = true;
      if (error) pending.error = error;
      else pending.answer = answer as Answer;
    };
    Reflect.apply(postOf, session, [method, params, done]);
    return pending;
  };
  return {
    session,
    post,
    call(method: string, params: object = {}): Answer {
      const { error, answer } = post(method, params);
      if (error) throw error;
      return answer ?? {};
    },
    close: () => disconnect.call(session),
  };
}

export type Inspector = ReturnType<typeof openInspector>;

/** An argument of `Runtime.callFunctionOn`. */
export function toArgument({ objectId, unserializableValue, value }: RemoteValue): object {
  if (objectId !== undefined) return { objectId };
  return unserializableValue === undefined ? { value } : { unserializableValue };
}

/** A value that is no object. */
export function toPrimitive({ type, value, unserializableValue }: RemoteValue): unknown {
  if (type === 'bigint') return BigInt(unserializableValue!.slice(0, -1));
  return unserializableValue === undefined ? value : Number(unserializableValue);
}
