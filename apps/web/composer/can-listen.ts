/** The part of the browser's speech recognition that the page uses. TypeScript does not know it. */
export interface Recognition extends EventTarget {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  start(): void;
  stop(): void;
  abort(): void;
}

interface Speech {
  SpeechRecognition?: new () => Recognition;
  webkitSpeechRecognition?: new () => Recognition;
}

/** True in a browser with speech recognition. */
export function canListen(): boolean {
  return toRecognition() !== undefined;
}

export function toRecognition(): (new () => Recognition) | undefined {
  const speech = globalThis as Speech;
  return speech.SpeechRecognition ?? speech.webkitSpeechRecognition;
}
