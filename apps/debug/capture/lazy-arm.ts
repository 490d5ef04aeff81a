import { loadNow } from '../launch/load-now.ts';
import type * as Arm from './arm.ts';
import type { Armed, ArmOptions } from './arm.ts';

/** The inspector of Node.js takes several milliseconds to load. Undefined where it cannot be: the program continues. */
function load(): typeof Arm | undefined {
  try {
    return loadNow('capture/arm') as typeof Arm;
  } catch (error) {
    const reason = (error as { code?: string }).code === 'ERR_REQUIRE_ESM' ? 'Node.js 22.12 is needed' : String(error);
    process.emitWarning(`Variables are not captured: ${reason}.`, 'klendathu');
    return undefined;
  }
}

const IDLE: Armed = { disarm: () => {} };

/**
 * Keeps the variables of each frame from now on when an error is thrown, as live references. Costs while it is on: up to
 * 3 ms a throw, of which those of one place that throws often are sampled, and code with many `await` becomes about ten
 * times slower. For tests, and for errors that are awaited. One at a time: a second call replaces the options of the
 * first.
 */
export function arm(options?: ArmOptions): Armed {
  return load()?.arm(options) ?? IDLE;
}

/**
 * Keeps the variables of the next error with this fingerprint, then switches the debugger off.
 *
 * @param fingerprint 16 hexadecimal digits, of a `DebugRecord`.
 */
export function armFor(fingerprint: string): Armed {
  return load()?.armFor(fingerprint) ?? IDLE;
}
