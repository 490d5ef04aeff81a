import { arm } from '../capture/lazy-arm.ts';

/** Keeps the variables of failures in this process. Without effect where no debugger can be used. */
export function armTests(): void {
  if (process.env['KLENDATHU_LOCALS'] === 'false') return;
  try {
    arm();
  } catch (error) {
    process.emitWarning(`Variables of failed tests are not captured: ${String(error)}`, 'klendathu');
  }
}
