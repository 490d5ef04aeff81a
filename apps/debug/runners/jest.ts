// A test environment of Jest: `testEnvironment: 'klendathu/jest'`. It extends the environment of the variable
// `KLENDATHU_JEST_ENVIRONMENT`, by default `jest-environment-node`.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { joinRealm } from '../capture/join-realm.ts';
import { armTests } from './arm-tests.ts';
import { investigateTest } from './investigate-test.ts';

interface Environment {
  /** The global object of the tests. */
  global: object;
  handleTestEvent?(event: CircusEvent, state: unknown): void | Promise<void>;
}

interface CircusBlock {
  name: string;
  parent?: CircusBlock | undefined;
}

interface CircusTest extends CircusBlock {
  failing?: boolean;
}

interface CircusEvent {
  name: string;
  error?: unknown;
  test?: CircusTest;
}

interface EnvironmentContext {
  testPath: string;
}

type EnvironmentClass = new (config: unknown, context: EnvironmentContext) => Environment;

const Base = loadEnvironment(process.env['KLENDATHU_JEST_ENVIRONMENT'] || 'jest-environment-node');

// oxlint-disable-next-line import/no-default-export -- Jest takes the default export
export default class KlendathuEnvironment extends Base implements Environment {
  readonly #file: string;

  constructor(...[config, context]: ConstructorParameters<EnvironmentClass>) {
    super(config, context);
    this.#file = context.testPath;
    joinRealm(this.global);
    armTests();
  }

  override async handleTestEvent(event: CircusEvent, state: unknown): Promise<void> {
    await super.handleTestEvent?.(event, state);
    const { test, error } = event;
    if (event.name !== 'test_fn_failure' || test === undefined || test.failing) return;
    await investigateTest({ title: toTitle(test), file: this.#file, error });
  }
}

function toTitle({ name, parent }: CircusBlock): string {
  return parent === undefined || parent.name === 'ROOT_DESCRIBE_BLOCK' ? name : `${toTitle(parent)} > ${name}`;
}

/** From the project, or from the Jest of the project, which depends on the default environment. */
function loadEnvironment(name: string): EnvironmentClass {
  let load = createRequire(join(process.cwd(), 'package.json'));
  for (const next of ['jest', '@jest/core', 'jest-config']) {
    try {
      return read(load(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
      load = createRequire(load.resolve(next));
    }
  }
  return read(load(name));
}

function read(exports: unknown): EnvironmentClass {
  const { TestEnvironment, default: other } = exports as Record<string, EnvironmentClass>;
  return TestEnvironment ?? other ?? (exports as EnvironmentClass);
}
