import type { Log } from './log.ts';

/** Entries as lines for people, or as one JSON object a line. */
export function createTextLog({ write, json }: { write: (line: string) => void; json: boolean }): Log {
  const entry =
    (level: string) =>
    (text: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      const plain = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toPlain(value)]));
      const time = new Date().toISOString();
      if (json) write(`${JSON.stringify({ time, level, text, ...plain })}\n`);
      else {
        const rest = Object.entries(plain).map(
          ([name, value]) => ` ${name}=${String(value).replaceAll(/\s*\n\s*/g, ' ')}`,
        );
        write(`${time} ${level} ${text}${rest.join('')}\n`);
      }
    };
  return { info: entry('info'), warn: entry('warn'), error: entry('error') };
}

function toPlain(value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
