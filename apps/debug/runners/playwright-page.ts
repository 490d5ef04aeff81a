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
 * Fixtures that investigate a failed test: one that uses `page` while its page is still open (the agent gets `page`, and
 * may use it: the test has ended), and any other one at its end.
 */
export function definePageFixtures() {
  const investigated = new WeakSet<TestInfoLike>();
  const attach = async (info: TestInfoLike, report: TestReport | undefined) => {
    if (report !== undefined) await info.attach('klendathu', { body: report.markdown, contentType: 'text/markdown' });
  };
  // Playwright reads the fixtures that it uses from the pattern.
  // oxlint-disable-next-line no-empty-pattern
  const klendathu = async ({}: object, use: () => Promise<void>, info: TestInfoLike) => {
    armTests();
    await use();
    if (info.status === info.expectedStatus || investigated.has(info)) return;
    await attach(info, await investigatePlain(info));
  };
  const page = async ({ page: live }: { page: PageLike }, use: Use, info: TestInfoLike) => {
    const messages: string[] = [];
    const keep = (message: unknown) => {
      if (messages.length < MAX_MESSAGES) messages.push(toText(message));
    };
    live.on('console', keep);
    live.on('pageerror', keep);
    await use(live);
    if (info.status === info.expectedStatus) return;
    investigated.add(info);
    await attach(info, await investigatePage(live, info, messages));
  };
  // A time of their own: that of the test may be over.
  const timeout = readRunSettings().options.timeoutMs + MARGIN_MS;
  return {
    klendathu: [klendathu, { timeout, scope: 'test', auto: true }] as const,
    page: [page, { timeout, scope: 'test' }] as const,
  };
}

function investigatePlain(info: TestInfoLike): Promise<TestReport | undefined> {
  return investigateTest({
    title: toTitle(info),
    file: info.file,
    error: findOriginal(info) ?? toError(info),
    context: { errors: info.errors },
  });
}

function toTitle({ titlePath, title }: TestInfoLike): string {
  return titlePath.slice(1).join(' > ') || title;
}

function investigatePage(
  page: PageLike,
  info: TestInfoLike,
  pageMessages: readonly string[],
): Promise<TestReport | undefined> {
  const error = findOriginal(info) ?? toError(info);
  return investigateTest({
    title: toTitle(info),
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
