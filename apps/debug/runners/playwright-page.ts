import { findCaptured } from '../capture/capture.ts';
import { readText } from '../stack/read-stack.ts';
import { armTests } from './arm-tests.ts';
import { investigateTest, type TestReport } from './investigate-test.ts';
import { readRunSettings } from './run-settings.ts';

/** Milliseconds for what follows an investigation: writing and attaching the report. */
const MARGIN_MS = 10_000;

export interface TestInfoLike {
  title: string;
  titlePath: readonly string[];
  file: string;
  status?: string;
  expectedStatus: string;
  errors: readonly { message?: string; stack?: string; value?: string }[];
  attach(name: string, options: { body: string; contentType: string }): Promise<void>;
}

interface PageLike {
  on(name: 'console' | 'pageerror', listener: (message: unknown) => void): void;
}

type Use = (page: PageLike) => Promise<void>;

/** Messages of the page that are kept. */
const MAX_MESSAGES = 200;

/**
 * Fixtures that investigate a failed test while its page is still open. The agent gets `page`, and may use it: the
 * test has ended.
 */
export function definePageFixtures() {
  const page = async ({ page: live }: { page: PageLike }, use: Use, info: TestInfoLike) => {
    armTests();
    const messages: string[] = [];
    const keep = (message: unknown) => {
      if (messages.length < MAX_MESSAGES) messages.push(toText(message));
    };
    live.on('console', keep);
    live.on('pageerror', keep);
    await use(live);
    if (info.status === info.expectedStatus) return;
    const report = await investigatePage(live, info, messages);
    if (report !== undefined) {
      await info.attach('klendathu', { body: report.markdown, contentType: 'text/markdown' });
    }
  };
  // A time of its own: that of the test may be over.
  return { page: [page, { timeout: readRunSettings().options.timeoutMs + MARGIN_MS, scope: 'test' }] as const };
}

function investigatePage(
  page: PageLike,
  info: TestInfoLike,
  pageMessages: readonly string[],
): Promise<TestReport | undefined> {
  const error = findOriginal(info) ?? toError(info);
  return investigateTest({
    title: info.titlePath.slice(1).join(' > ') || info.title,
    file: info.file,
    error,
    context: { page, pageMessages, errors: info.errors },
    access: 'full',
    instructions:
      '`page` is the open page of Playwright after the failed test. Look at it with `eval`, for example ' +
      '`await page.locator("body").ariaSnapshot()` or `await page.evaluate(() => location.href)`.',
  });
}

/** Playwright keeps a copy of an error, without its variables. The original was captured if code of the test threw it. */
function findOriginal({ errors: [first] }: TestInfoLike): object | undefined {
  const printed = first?.message;
  if (printed === undefined) return undefined;
  return findCaptured((error) => {
    const message = readText(error, 'message');
    return message !== undefined && (printed === message || printed.endsWith(`: ${message}`));
  });
}

function toError({ errors: [first], status }: TestInfoLike): Error {
  const error = new Error(first?.message ?? first?.value ?? `The test ended with the status ${status}.`);
  if (first?.stack !== undefined) error.stack = first.stack;
  return error;
}

function toText(message: unknown): string {
  if (message instanceof Error) return `error: ${message.message}`;
  const { type, text } = message as { type?: () => string; text?: () => string };
  return `${type?.() ?? ''}: ${text?.() ?? ''}`;
}
