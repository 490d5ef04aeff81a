import type { CommandShell, Sandbox } from '@klaus/core/agent';
import { isKlausError, optional, type SandboxName } from '@klaus/core/protocol';

/** The start of one command in a sandbox. */
export interface SandboxStart {
  driver: SandboxName;
  /** `failed`: the driver failed before the command started. The result of the command does not matter. */
  outcome: 'ok' | 'failed';
  /** Milliseconds from the request until the start, or until its failure. */
  durationMs: number;
}

/** The same sandbox, which reports the start of each command. */
export function observeSandbox(sandbox: Sandbox, report: (start: SandboxStart) => void, shell?: CommandShell): Sandbox {
  const { name: driver } = sandbox;
  const watch = async <T>(run: (begun: () => void) => Promise<T>, isBegunAtEnd: boolean): Promise<T> => {
    const asked = performance.now();
    let hasBegun = false;
    const say = (outcome: SandboxStart['outcome']): void => {
      if (hasBegun) return;
      hasBegun = true;
      report({ driver, outcome, durationMs: performance.now() - asked });
    };
    try {
      const result = await run(() => say('ok'));
      if (isBegunAtEnd) say('ok');
      return result;
    } catch (error) {
      if (isKlausError(error) && error.code.startsWith('sandbox.')) say('failed');
      throw error;
    }
  };
  return {
    name: driver,
    exec: (request) =>
      watch((begun) => {
        const onBegin = (): void => {
          begun();
          request.onBegin?.();
        };
        return sandbox.exec({ ...optional({ shell }), ...request, onBegin });
      }, false),
    ...(sandbox.warmUp ? { warmUp: () => sandbox.warmUp!() } : {}),
    ...(sandbox.prestart ? { prestart: (request) => sandbox.prestart!(request) } : {}),
    ...(sandbox.start
      ? { start: (request) => watch(() => sandbox.start!({ ...optional({ shell }), ...request }), true) }
      : {}),
    ...(sandbox.inspect ? { inspect: (programs, folders) => sandbox.inspect!(programs, folders) } : {}),
    ...(sandbox.suspect ? { suspect: (paths) => sandbox.suspect!(paths) } : {}),
    ...(sandbox.attach ? { attach: (folder) => sandbox.attach!(folder) } : {}),
  };
}
