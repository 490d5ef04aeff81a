import { createInterface } from 'node:readline';
import { err } from '../output/sink.ts';

/** Reads the inputs of a chat. A line that ends with `\` continues on the next one. */
export interface LineReader extends Disposable {
  /** The next input; undefined at the end. @param signal Ends the input. */
  read(signal: AbortSignal): Promise<string | undefined>;
}

/** One line, or the beginning of a longer input. */
function join(pending: readonly string[], line: string): { pending: string[] } | { text: string } {
  const lines = [...pending, line.replace(/\\$/, '')];
  return line.endsWith('\\') ? { pending: lines } : { text: lines.join('\n') };
}

/** Standard input that is not a terminal. */
export function openPipe(): LineReader {
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  const iterator = lines[Symbol.asyncIterator]();
  return {
    async read(signal) {
      const close = (): void => lines.close();
      signal.addEventListener('abort', close, { once: true });
      try {
        for (let pending: string[] = []; ;) {
          const { done, value } = await iterator.next();
          if (signal.aborted) return undefined;
          if (done) return pending.length === 0 ? undefined : pending.join('\n');
          const joined = join(pending, value);
          if ('text' in joined) return joined.text;
          pending = joined.pending;
        }
      } finally {
        signal.removeEventListener('abort', close);
      }
    },
    [Symbol.dispose]: () => lines.close(),
  };
}

/**
 * The terminal of standard input, where lines can be edited and earlier ones recalled. Lines of a pasted text belong
 * together. Between two reads the terminal is as other programs expect it, so that Ctrl-C is a signal.
 *
 * @param options.history Earlier inputs, the newest first.
 */
export function openTerminalInput({ prompt, history }: { prompt: string; history: readonly string[] }): LineReader {
  const { stdin } = process;
  const lines = createInterface({
    input: stdin,
    output: err.stream,
    terminal: true,
    history: [...history],
    historySize: 500,
    removeHistoryDuplicates: true,
  });
  /** Inputs that were entered before they were read. */
  const entered: string[] = [];
  let pending: string[] = [];
  let isPasting = false;
  /** True while several lines that have arrived together are read. */
  let isLines = false;
  let isEnded = false;
  let take: (() => void) | undefined;

  const showPrompt = (): void => {
    lines.setPrompt(pending.length === 0 ? prompt : '… ');
    lines.prompt();
  };
  const end = (): void => {
    isEnded = true;
    take?.();
  };
  // A terminal that does not mark pastes sends their lines together; a person sends one line at a time.
  const onRead = (data: Buffer | string): void => void (isLines = /[\r\n]+[^\r\n]/.test(String(data)));
  stdin.prependListener('data', onRead);
  stdin.prependListener('keypress', (_text: string | undefined, key: { name?: string }) => {
    if (key.name === 'paste-start') isPasting = true;
    else if (key.name === 'paste-end') isPasting = false;
  });
  lines.on('line', (line) => {
    const joined = isPasting || isLines ? { pending: [...pending, line] } : join(pending, line);
    if ('text' in joined) {
      pending = [];
      entered.push(joined.text);
      take?.();
    } else {
      pending = joined.pending;
      showPrompt();
    }
  });
  lines.on('SIGINT', () => {
    if (lines.line === '' && pending.length === 0) {
      err.write('\n');
      return end();
    }
    pending = [];
    lines.write(null, { ctrl: true, name: 'e' });
    lines.write(null, { ctrl: true, name: 'u' });
    err.write('^C\n');
    return showPrompt();
  });
  lines.on('close', () => {
    if (!isEnded) err.write('\n');
    end();
  });
  return {
    async read(signal) {
      if (entered.length > 0) return entered.shift();
      if (isEnded || signal.aborted) return undefined;
      stdin.setRawMode(true);
      err.markPaste(true);
      const abort = (): void => end();
      signal.addEventListener('abort', abort, { once: true });
      await new Promise<void>((resolve) => {
        take = resolve;
        showPrompt();
      });
      take = undefined;
      signal.removeEventListener('abort', abort);
      err.markPaste(false);
      if (!isEnded) lines.pause();
      stdin.setRawMode(false);
      return isEnded ? undefined : entered.shift();
    },
    [Symbol.dispose]() {
      isEnded = true;
      stdin.off('data', onRead);
      lines.close();
    },
  };
}
