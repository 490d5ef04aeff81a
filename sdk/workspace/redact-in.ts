import { openSecretsOf, type Engine } from '@klaus/core/agent';

/** Redacts known secrets of a workspace and of Klaus in a text. @param root Absolute real path. */
export async function redactIn(engine: Engine, root: string, text: string): Promise<string> {
  const redactor = engine.createRedactor('view');
  redactor.learn(
    await openSecretsOf(engine, { workspace: root })
      .values()
      .catch(() => []),
  );
  return redactor.redact(text);
}
